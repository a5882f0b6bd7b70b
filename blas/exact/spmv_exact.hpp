#pragma once

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/exact/options.hpp>
#include <residua/blas/sparse/spmv.hpp>

namespace residua::blas {

namespace detail {

/// y <- A x, or y <- b - A x where there is a b.
template <class Exec, class T>
struct exact_vector_operands {
    const char* op;
    vector_view<Exec, const T> x;
    const vector_view<Exec, const T>* b;
    vector_view<Exec, T> y;
    exact_options options;
};

template <class T, class A>
void multiply_exactly(const host_executor& exec, const A& a, const exact_vector_operands<host_executor, T>& of);
template <class T, class A>
void multiply_exactly(const cuda_executor& exec, const A& a, const exact_vector_operands<cuda_executor, T>& of);

}  // namespace detail

/// y <- A x, every element summed exactly and rounded once, with A of binary64 or of the format of the vectors
///
/// It is gemv_exact but for this: an entry that is not stored is zero, also times infinity; exponents are those of
/// finite numbers; and sums may have any length. Multi-digit and RNS floats of A, x and y may differ in precision.
///
/// shapes   A (m x n), x (n), y (m); y does not overlap x
/// errors   as gemm_exact, k the entries of the row
/// special  where an entry of row i or its factor x_j is infinite or NaN: the sum of the products with these
/// cost     with all bits and up to eight terms, four if A has them too: 2 k two_sum at most for a product of two
///          terms, k being 3 more than the terms of both numbers, in SIMD lanes for rows. With all bits and one format of
///          multi-digit floats: a product of digits for an entry, if the products of a row lie some 32 bits from the
///          first at most. An entry of binary64 costs one or two passes over the words of x_j up to the last that is not
///          zero, for which x is copied. Else, and for rows that these ways leave, the products of 32-bit digits one by
///          one, in a sum in memory for each thread. RNS floats become multi-digit floats each time, as by gemm_exact
/// order    the same bits for both storages, on every machine, with any number of threads, on host and CUDA
/// throws   dimension_error if sizes do not fit or bits < 0; unsupported_error if an RNS float that is an operand has
///          an exponent above 0x7ffff000 in size; resource_error
/// from     docs/error_bounds.md, theorems 22 and 24
///
/// On a CUDA device sums are in registers up to 1024 bits with a matrix in binary64, up to 512 with one of the format. Rows
/// that do not fit are summed in the same kernel, in memory of the thread. The host waits only for operands of RNS floats,
/// to learn whether their exponents are too large.
template <class T, class V, class Exec, template <class, class> class Storage>
    requires sparse_for<Storage<Exec, V>, Exec, T>
void spmv_exact(const Exec& exec, const Storage<Exec, V>& a, in_vector<Exec, T> x, out_vector<Exec, T> y,
                const exact_options& options = {})
{
    detail::multiply_exactly<T>(exec, a, {"spmv_exact", x, nullptr, y, options});
}

/// r <- b - A x, every element summed exactly, with b_i as one more term of row i, and rounded once
///
/// shapes   A (m x n), x (n), b (m), r (m); r does not overlap x, and is b or does not overlap it
/// errors   all bits: the exact residual, rounded to nearest even as by gemm_exact. q bits: b is not cut, and
///          |err_i| <= u |r_i| + 2 k 2^(E_i + F - q) for k entries |a_ij| < 2^E_i and |x_j| < 2^F, as A x alone
/// special  where an entry of row i, its factor x_j, or b_i is infinite or NaN: b_i, if it is one, less the products
///          with these
/// cost     as spmv_exact, b_i being the first term of the row
/// order    as spmv_exact
/// throws   as spmv_exact
/// from     [CH18], as the residual in more than the working precision; docs/error_bounds.md, theorems 22 and 24
template <class T, class V, class Exec, template <class, class> class Storage>
    requires sparse_for<Storage<Exec, V>, Exec, T>
void residual_exact(const Exec& exec, const Storage<Exec, V>& a, in_vector<Exec, T> x, in_vector<Exec, T> b,
                    out_vector<Exec, T> r, const exact_options& options = {})
{
    detail::multiply_exactly<T>(exec, a, {"residual_exact", x, &b, r, options});
}

}  // namespace residua::blas
