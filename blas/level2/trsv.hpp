#pragma once

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>
#include <residua/blas/level2/triangle.hpp>

namespace residua::blas {

/// x <- T^-1 b, T a triangle of A, which is of binary64 or of the format of the vectors
///
/// shapes   A (n x n), b (n), x (n); x may be b and does not overlap A
/// errors   |b - T x| <= (2 c(n) + d) u^N |T| |x|; c = sparse_row_error_bound<N>, d =
///          quotient_error_bound<N>
/// cost     n^2 / 2 multiply-adds, n divisions; one thread
/// order    each row starts from b and goes towards the diagonal; renormalised as reduction_order.hpp has it
/// reports  a zero on the diagonal gives infinity or NaN
/// throws   dimension_error if A is not square or sizes differ
/// from     [Higham02, Alg. 8.1]
template <number T>
void trsv(const host_executor& exec, uplo triangle, diag diagonal, matrix_view<host_executor, const double> a,
          in_vector<host_executor, T> b, vector_view<host_executor, T> x);

template <number T>
    requires(number_traits<T>::terms > 1)
void trsv(const host_executor& exec, uplo triangle, diag diagonal, in_matrix<host_executor, T> a,
          in_vector<host_executor, T> b, vector_view<host_executor, T> x);

/// trsv on a CUDA device, with the bits of the host.
///
/// cost   two launches for each 32 columns
template <number T>
void trsv(const cuda_executor& exec, uplo triangle, diag diagonal, matrix_view<cuda_executor, const double> a,
          in_vector<cuda_executor, T> b, vector_view<cuda_executor, T> x);

template <number T>
    requires(number_traits<T>::terms > 1)
void trsv(const cuda_executor& exec, uplo triangle, diag diagonal, in_matrix<cuda_executor, T> a,
          in_vector<cuda_executor, T> b, vector_view<cuda_executor, T> x);

/// x <- T'^-1 b, T a triangle of A; else as trsv. `triangle` is a triangle of A, not of its transpose.
///
/// order    each column of A as a long sum, reduction_order.hpp
template <number T>
void trsv_t(const host_executor& exec, uplo triangle, diag diagonal, matrix_view<host_executor, const double> a,
            in_vector<host_executor, T> b, vector_view<host_executor, T> x);

template <number T>
    requires(number_traits<T>::terms > 1)
void trsv_t(const host_executor& exec, uplo triangle, diag diagonal, in_matrix<host_executor, T> a,
            in_vector<host_executor, T> b, vector_view<host_executor, T> x);

}  // namespace residua::blas
