#pragma once

#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// y <- alpha A x + beta y, with A of binary64 or of the format of the vectors
///
/// shapes   A (m x n), x (n), y (m); y overlaps neither A nor x. y is not read if beta == 0
/// errors   |err_i| <= c(n) u^N |alpha| sum_j |a_ij x_j|, plus the errors of one axpy element; c =
///          dense_row_error_bound<N>
/// cost     m n multiply-adds; reads A once
/// order    reduction_order.hpp: the same bits for any thread count and instruction set
/// throws   dimension_error if sizes do not fit
template <number T>
void gemv(const host_executor& exec, const std::type_identity_t<T>& alpha, matrix_view<host_executor, const double> a,
          in_vector<host_executor, T> x, const std::type_identity_t<T>& beta, vector_view<host_executor, T> y);

template <number T>
    requires(number_traits<T>::terms > 1)
void gemv(const host_executor& exec, const std::type_identity_t<T>& alpha, in_matrix<host_executor, T> a,
          in_vector<host_executor, T> x, const std::type_identity_t<T>& beta, vector_view<host_executor, T> y);

/// gemv on a CUDA device, with the bits of the host.
///
/// throws   unsupported_error if A has more than 4194240 columns
template <number T>
void gemv(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& alpha,
          matrix_view<cuda_executor, const double> a, in_vector<cuda_executor, T> x,
          const std::type_identity_t<scalar_argument<T>>& beta, vector_view<cuda_executor, T> y);

template <number T>
    requires(number_traits<T>::terms > 1)
void gemv(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& alpha,
          in_matrix<cuda_executor, T> a, in_vector<cuda_executor, T> x,
          const std::type_identity_t<scalar_argument<T>>& beta, vector_view<cuda_executor, T> y);

}  // namespace residua::blas
