#pragma once

#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/level2/triangle.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/levels.hpp>
#include <residua/blas/sparse/sliced_ell.hpp>

/// Products and triangular solves with sparse matrices and multi-digit vectors, on host and device.
namespace residua::blas {

/// y <- alpha A x + beta y, V is double or multidigit: entries in binary64 or in the format of the vectors
///
/// shapes   A (m x n), x (n), y (m); y does not overlap x. y is not read if beta is zero
/// errors   u |s_i| + 2^-20 k u max |a_ij x_j| for the sum s_i of a row of k entries; beta y_i, and alpha s_i added to
///          it, are correctly rounded. What is not stored is zero, also times what is not finite
/// order    a row's entries from left to right: the same bits for both storages and both kinds of entries
/// throws   dimension_error if sizes do not fit; error if formats differ
template <class Exec, class V>
void spmv(const Exec& exec, const multidigit_number& alpha, const csr<Exec, V>& a, in_vector<Exec, multidigit> x,
          const multidigit_number& beta, vector_view<Exec, multidigit> y);
template <class Exec, class V>
void spmv(const Exec& exec, const multidigit_number& alpha, const sliced_ell<Exec, V>& a, in_vector<Exec, multidigit> x,
          const multidigit_number& beta, vector_view<Exec, multidigit> y);

/// x <- inverse(T) b, T the lower or upper triangle of A, which may hold more
///
/// shapes   A (n x n), b (n), x (n); x may be b
/// errors   each b_i - sum of t_ij x_j as a sum of spmv, and its quotient by t_ii correctly rounded
/// order    each row starts from b and goes by ascending columns
/// reports  a diagonal entry that is zero or missing gives numbers that are not finite
/// throws   dimension_error if A is not square or sizes differ; error if formats do
void trsv(const host_executor& exec, uplo triangle, diag diagonal, const csr<host_executor, double>& a,
          in_vector<host_executor, multidigit> b, vector_view<host_executor, multidigit> x);

/// trsv by all threads, level by level, with the same bits; `levels` are the levels of the triangle of A.
void trsv(const host_executor& exec, const row_levels& levels, diag diagonal, const csr<host_executor, double>& a,
          in_vector<host_executor, multidigit> b, vector_view<host_executor, multidigit> x);

/// trsv on a CUDA device, level by level.
void trsv(const cuda_executor& exec, const device_levels& levels, diag diagonal, const csr<cuda_executor, double>& a,
          in_vector<cuda_executor, multidigit> b, vector_view<cuda_executor, multidigit> x);

}  // namespace residua::blas
