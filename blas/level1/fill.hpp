#pragma once

#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// y_i <- a
///
/// errors   none
/// cost     writes n numbers
template <number T>
void fill(const host_executor& exec, const std::type_identity_t<T>& a, vector_view<host_executor, T> y);

/// fill on a CUDA device.
template <number T>
void fill(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& a,
          vector_view<cuda_executor, T> y);

}  // namespace residua::blas
