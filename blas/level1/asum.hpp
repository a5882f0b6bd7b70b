#pragma once

#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// |x_0| + ... + |x_{n-1}|
///
/// errors   |err| <= c(n) u^N times the result; c = long_sum_error_bound<N>
/// cost     n additions; reads n numbers
/// order    reduction_order.hpp
template <number T>
T asum(const host_executor& exec, in_vector<host_executor, T> x);

/// asum on a CUDA device, with the bits of the host; waits for the result.
template <number T>
T asum(const cuda_executor& exec, in_vector<cuda_executor, T> x);

}  // namespace residua::blas
