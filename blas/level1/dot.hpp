#pragma once

#include <residua/arith/expansion/accumulator.hpp>
#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// x' y
///
/// shapes   x (n), y (n)
/// errors   |err| <= c(n) u^N sum |x_i y_i|; c = long_sum_error_bound<N>
/// cost     n multiply-adds; reads 2n numbers
/// order    reduction_order.hpp: the same bits for any thread count and instruction set
/// throws   dimension_error if sizes differ
template <number T>
T dot(const host_executor& exec, in_vector<host_executor, T> x, in_vector<host_executor, T> y);

/// dot on a CUDA device, with the bits of the host; waits for the result.
template <number T>
T dot(const cuda_executor& exec, in_vector<cuda_executor, T> x, in_vector<cuda_executor, T> y);

/// dot on a CUDA device that leaves the result in device memory; the host does not wait.
template <number T>
void dot(const cuda_executor& exec, in_vector<cuda_executor, T> x, in_vector<cuda_executor, T> y,
         scalar_place<T> result);

namespace detail {

/// dot of vectors of one size before it is rounded, with threads if `operations` are worth them.
template <number T>
accumulator<number_traits<T>::terms> ordered_dot(in_vector<host_executor, T> x, in_vector<host_executor, T> y,
                                                 double operations);

}  // namespace detail
}  // namespace residua::blas
