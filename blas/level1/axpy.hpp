#pragma once

#include <residua/arith/expansion/accumulator.hpp>
#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// y <- y + a x
///
/// shapes   x (n), y (n); x and y may be the same vector, not partly overlapping
/// errors   per element accumulation_error_bound<N>(1) u^N (|a x_i| + |y_i|), arith/expansion;
///          double: u |a x_i| + u |y_i + a x_i|, to first order
/// cost     n multiply-adds; reads 2n, writes n numbers
/// order    elementwise: the same bits for any thread count, instruction set and executor
/// throws   dimension_error if sizes differ
template <number T>
void axpy(const host_executor& exec, const std::type_identity_t<T>& a, in_vector<host_executor, T> x,
          vector_view<host_executor, T> y);

/// axpy on a CUDA device, with the bits of the host: here as in all operations, queued where the library was
/// built with CUDA.
///
/// throws   dimension_error if sizes differ; cuda_error if the launch fails
template <number T>
void axpy(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& a, in_vector<cuda_executor, T> x,
          vector_view<cuda_executor, T> y);

namespace detail {

/// The step of axpy for one element, on every executor.
template <number T>
RESIDUA_HD T axpy_element(const T& a, const T& x, const T& y)
{
    if constexpr (number_traits<T>::terms == 1) {
        return y + mul_rn(a, x);
    } else {
        return multiply_add(a, x, y);
    }
}

/// w <- y + a x, of which axpy (w = y) and xpay (w = x) are cases.
template <number T>
void add_scaled(const T& a, in_vector<host_executor, T> x, in_vector<host_executor, T> y,
                vector_view<host_executor, T> w);

/// Queues it on a device, for the operation `op`.
template <number T>
void add_scaled(const cuda_executor& exec, const char* op, const scalar_argument<T>& a, in_vector<cuda_executor, T> x,
                in_vector<cuda_executor, T> y, vector_view<cuda_executor, T> w);

}  // namespace detail
}  // namespace residua::blas
