#pragma once

#include <residua/arith/expansion/accumulator.hpp>
#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// y <- alpha A' x + beta y, with A of binary64 or of the format of the vectors
///
/// shapes   A (m x n), x (m), y (n); y overlaps neither A nor x. y is not read if beta == 0
/// errors   |err_j| <= c(m) u^N |alpha| sum_i |a_ij x_i|, plus the errors of one axpy element; c =
///          long_sum_error_bound<N>
/// cost     m n multiply-adds; reads A once
/// order    reduction_order.hpp, each column as a long sum
/// throws   dimension_error if sizes do not fit
template <number T>
void gemv_t(const host_executor& exec, const std::type_identity_t<T>& alpha, matrix_view<host_executor, const double> a,
            in_vector<host_executor, T> x, const std::type_identity_t<T>& beta, vector_view<host_executor, T> y);

template <number T>
    requires(number_traits<T>::terms > 1)
void gemv_t(const host_executor& exec, const std::type_identity_t<T>& alpha, in_matrix<host_executor, T> a,
            in_vector<host_executor, T> x, const std::type_identity_t<T>& beta, vector_view<host_executor, T> y);

/// gemv_t on a CUDA device, with the bits of the host.
template <number T>
void gemv_t(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& alpha,
            matrix_view<cuda_executor, const double> a, in_vector<cuda_executor, T> x,
            const std::type_identity_t<scalar_argument<T>>& beta, vector_view<cuda_executor, T> y);

template <number T>
    requires(number_traits<T>::terms > 1)
void gemv_t(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& alpha,
            in_matrix<cuda_executor, T> a, in_vector<cuda_executor, T> x,
            const std::type_identity_t<scalar_argument<T>>& beta, vector_view<cuda_executor, T> y);

namespace detail {

/// a' x, before it is rounded, of vectors of one size; with threads if `operations` are worth them.
template <number T>
accumulator<number_traits<T>::terms> ordered_column_sum(vector_view<host_executor, const double> a,
                                                        in_vector<host_executor, T> x, double operations);

template <number T>
    requires(number_traits<T>::terms > 1)
accumulator<number_traits<T>::terms> ordered_column_sum(in_vector<host_executor, T> a, in_vector<host_executor, T> x,
                                                        double operations);

}  // namespace detail
}  // namespace residua::blas
