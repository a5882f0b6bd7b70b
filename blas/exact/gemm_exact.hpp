#pragma once

#include <concepts>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/base/rns_array.hpp>
#include <residua/blas/exact/options.hpp>

namespace residua::blas {

/// C <- A B, every element summed exactly and rounded once
///
/// T is double, an expansion, multidigit or rns; multi-digit and RNS floats of A, B and C may differ in precision.
/// Numbers are integer multiples of a power of two for each row of A and each column of B, and these are multiplied
/// modulo numbers of 22 bits. RNS floats become multi-digit floats of the same values before that.
///
/// shapes   A (m x k), B (k x n), C (m x n); C overlaps neither A nor B. If options.lower, elements above the diagonal of
///          C may be made or left as they are
/// errors   all bits: the exact product, rounded to nearest even; expansions and RNS floats as from_real() has them.
///          q bits, with |a_il| < 2^E_i and |b_lj| < 2^F_j: |err_ij| <= u |c_ij| + 2 k 2^(E_i + F_j - q), u = 2^-p or
///          2^(-53 N), p = rns_constants::width for RNS floats, and 2^-1075 where binary64 ends
/// special  where row i or column j has infinities or NaN: the sum of the products with these
/// cost     b / 22 products of matrices in binary64 for sums of b = q_a + q_b + log2 k bits, and b / 22 residues of
///          every number: q_a and q_b are the bits from the largest to the last of a row and of a column, or q if
///          that is less. Sums above 10900 bits by long multiplications, as gemv_exact. An RNS float of L moduli takes
///          about L^2 reductions, as an operand and as a result. options.lower saves nearly half of the work of a
///          square C on the host
/// order    the same bits on every machine, with any number of threads
/// stops    between the moduli by io::ask_for_stop(), which then throws; residual_exact too
/// throws   dimension_error if sizes do not fit or bits < 0; unsupported_error if a sum takes more than 65536 bits:
///          then give bits; or if an RNS float of A or B has an exponent above 0x7ffff000 in size; resource_error
/// from     [OUI25]; docs/error_bounds.md, theorem 22
template <class T>
void gemm_exact(const host_executor& exec, in_matrix<host_executor, T> a, in_matrix<host_executor, T> b,
                matrix_view<host_executor, T> c, const exact_options& options = {});

/// gemm_exact on a CUDA device, with the bits of the host. Tensor cores multiply modulo numbers of 8 bits, and of 14
/// where these do not suffice.
///
/// cost     products of 8-bit matrices, one for each of up to 48 moduli, which make 330 bits of sums, and three for
///          each further 14 bits; the residues of A and B, a byte for each product
/// throws   unsupported_error if k is above 131056, or a sum takes more than 18000 bits: then give bits; cuda_error
///          where cuBLAS is not installed
template <class T>
void gemm_exact(const cuda_executor& exec, in_matrix<cuda_executor, T> a, in_matrix<cuda_executor, T> b,
                matrix_view<cuda_executor, T> c, const exact_options& options = {});

/// R <- B - A X, every element summed exactly, with b_ij as one more term, and rounded once; not for RNS floats
///
/// A is a dense matrix of binary64 numbers or of the format of X. The bits are those that residual_exact with a sparse
/// A (spmv_exact.hpp) gives each column by itself.
///
/// shapes   A (m x k), X (k x n), B (m x n), R (m x n); R overlaps none of the others
/// errors   all bits: the exact residual, rounded to nearest even as by gemm_exact. q bits: B is not cut, and A and X
///          are cut as by gemm_exact
/// special  where row i or column j has infinities or NaN, or b_ij is one: b_ij, if it is one, less the sum of the
///          products with infinities or NaN
/// cost     as gemm_exact; without products where A or X is zero
/// order    the same bits on every machine, with any number of threads
/// throws   dimension_error if sizes do not fit or bits < 0; unsupported_error if a sum, from the last bit of its terms
///          to the first, b_ij among them, takes more than 10900 bits; resource_error
/// from     [OUI25]; docs/error_bounds.md, theorems 22 and 24
template <class T, class V>
    requires std::same_as<V, double> || std::same_as<V, T>
void residual_exact(const host_executor& exec, in_matrix<host_executor, V> a, in_matrix<host_executor, T> x,
                    in_matrix<host_executor, T> b, matrix_view<host_executor, T> r, const exact_options& options = {});

}  // namespace residua::blas
