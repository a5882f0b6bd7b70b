#pragma once

#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// y <- x + a y
///
/// shapes   x (n), y (n); x and y may be the same vector, not partly overlapping
/// errors   as axpy with x and y exchanged
/// cost     n multiply-adds; reads 2n, writes n numbers
/// order    elementwise
/// throws   dimension_error if sizes differ
template <number T>
void xpay(const host_executor& exec, in_vector<host_executor, T> x, const std::type_identity_t<T>& a,
          vector_view<host_executor, T> y);

/// xpay on a CUDA device, with the bits of the host.
template <number T>
void xpay(const cuda_executor& exec, in_vector<cuda_executor, T> x, const std::type_identity_t<scalar_argument<T>>& a,
          vector_view<cuda_executor, T> y);

}  // namespace residua::blas
