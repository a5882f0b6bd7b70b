#pragma once

#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/sliced_ell.hpp>

namespace residua::blas {

/// Y <- A X of binary64, A sparse, from products of slices that are exact in binary64; slices 0: as many as there are
///
/// Digit s of an element is a whole number of b bits: 2 b <= 55 - log2 of the entries of the longest row, of which 8192 are
/// summed at a time. Each row of A and each column of X has a power of two of its own. A slice of A has A's pattern;
/// slices of zeros are left out.
///
/// shapes   A (m x n), X (n x c), Y (m x c); Y does not overlap X
/// errors   all slices: every element is the exact one, rounded to nearest even once. s slices, |a_il| <= E_i and |x_lj| <=
///          F_j with powers of two, k entries in row i: |err_ij| <= (s k (s k + 5) 2^(-b (s-1)) + k (s^2 + 2) (1 + k / 4096))
///          2^-53 E_i F_j and one rounding
/// special  where an entry of row i or the x_lj that belongs to it is infinite or NaN: the sum of the products that are.
///          What is not stored is zero, also times infinity
/// cost     a multiply-add for each entry, slice of A, slice of X and column: s (s + 1) / 2 for s slices, s_a s_x for all,
///          about (53 + d) / b of a factor whose numbers differ by 2^d in a row or column. A is read once for four slices
///          of X. Memory: a slice of A, 8 bytes an entry (and padding), 16 a row; in binary64 words, all slices: s_x n +
///          (b (s_a + s_x) + log2 k) / 64 m a column; s slices: (2 s - 1) n + 2 m. Columns are taken as many together as
///          need 2e9 bytes
/// order    the same bits for both storages, any number of threads, host and CUDA; with s slices rows are summed from left
///          to right, and b depends on the longest row
/// throws   dimension_error if sizes do not fit or slices < 0; resource_error
/// from     [OOOR12]; whole numbers as digits: [OOY24]; docs/error_bounds.md, theorem 20
void spmm_ozaki(const host_executor& exec, const csr<host_executor, double>& a,
                matrix_view<host_executor, const double> x, matrix_view<host_executor, double> y, int slices = 0);
void spmm_ozaki(const host_executor& exec, const sliced_ell<host_executor, double>& a,
                matrix_view<host_executor, const double> x, matrix_view<host_executor, double> y, int slices = 0);

/// The same on a CUDA device, a thread for an element; there rows side by side read side by side in a sliced_ell.
void spmm_ozaki(const cuda_executor& exec, const csr<cuda_executor, double>& a,
                matrix_view<cuda_executor, const double> x, matrix_view<cuda_executor, double> y, int slices = 0);
void spmm_ozaki(const cuda_executor& exec, const sliced_ell<cuda_executor, double>& a,
                matrix_view<cuda_executor, const double> x, matrix_view<cuda_executor, double> y, int slices = 0);

/// y <- A x: spmm_ozaki of one column.
void spmv_ozaki(const host_executor& exec, const csr<host_executor, double>& a, in_vector<host_executor, double> x,
                vector_view<host_executor, double> y, int slices = 0);
void spmv_ozaki(const host_executor& exec, const sliced_ell<host_executor, double>& a,
                in_vector<host_executor, double> x, vector_view<host_executor, double> y, int slices = 0);

/// The same on a CUDA device.
void spmv_ozaki(const cuda_executor& exec, const csr<cuda_executor, double>& a, in_vector<cuda_executor, double> x,
                vector_view<cuda_executor, double> y, int slices = 0);
void spmv_ozaki(const cuda_executor& exec, const sliced_ell<cuda_executor, double>& a,
                in_vector<cuda_executor, double> x, vector_view<cuda_executor, double> y, int slices = 0);

}  // namespace residua::blas
