#pragma once

#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>
#include <residua/blas/level1/axpy.hpp>

namespace residua::blas {

/// w <- a x + b y
///
/// shapes   x (n), y (n), w (n); w may be x or y or both, not partly overlapping
/// errors   per element as the product a x_i and one axpy element together
/// cost     2n multiply-adds; reads 2n, writes n numbers
/// order    elementwise
/// throws   dimension_error if sizes differ
template <number T>
void waxpby(const host_executor& exec, const std::type_identity_t<T>& a, in_vector<host_executor, T> x,
            const std::type_identity_t<T>& b, in_vector<host_executor, T> y, vector_view<host_executor, T> w);

/// waxpby on a CUDA device, with the bits of the host.
template <number T>
void waxpby(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& a, in_vector<cuda_executor, T> x,
            const std::type_identity_t<scalar_argument<T>>& b, in_vector<cuda_executor, T> y,
            vector_view<cuda_executor, T> w);

namespace detail {

/// The step of waxpby for one element, on every executor.
template <number T>
RESIDUA_HD T waxpby_element(const T& a, const T& x, const T& b, const T& y)
{
    if constexpr (number_traits<T>::terms == 1) {
        return axpy_element(b, y, mul_rn(a, x));
    } else {
        return axpy_element(b, y, a * x);
    }
}

}  // namespace detail
}  // namespace residua::blas
