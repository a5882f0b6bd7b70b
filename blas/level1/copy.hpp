#pragma once

#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// y <- x
///
/// shapes   x (n), y (n); x and y may be the same vector, not partly overlapping
/// errors   none
/// cost     reads n, writes n numbers
/// throws   dimension_error if sizes differ
template <number T>
void copy(const host_executor& exec, in_vector<host_executor, T> x, vector_view<host_executor, T> y);

/// copy on a CUDA device.
template <number T>
void copy(const cuda_executor& exec, in_vector<cuda_executor, T> x, vector_view<cuda_executor, T> y);

}  // namespace residua::blas
