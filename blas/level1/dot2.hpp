#pragma once

#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// x' y of binary64 vectors as if computed with twice their precision, rounded once
///
/// Products are exact, their sum has two words: the bits of dot of expansion<double, 2> with the same numbers, rounded
/// to binary64, for half the memory and fewer flops.
///
/// shapes   x (n), y (n)
/// errors   |err| <= u |x' y| + (1 + u) c(n) u^2 sum |x_i y_i|; c = long_sum_error_bound<2>. So the result has all digits
///          of binary64 up to condition numbers of about 1 / (u c(n)), u = 2^-53
/// cost     n products and sums of two words, 12 flops or so each; reads 2n numbers
/// order    as dot: the same bits for any thread count and instruction set
/// throws   dimension_error if sizes differ
/// from     Dot2 [ORO05, Alg. 5.3] in the order of reduction_order.hpp; docs/error_bounds.md, corollary of theorem 3
double dot2(const host_executor& exec, in_vector<host_executor, double> x, in_vector<host_executor, double> y);

/// dot2 on a CUDA device, with the bits of the host; waits for the result.
double dot2(const cuda_executor& exec, in_vector<cuda_executor, double> x, in_vector<cuda_executor, double> y);

/// dot2 on a CUDA device that leaves the result in device memory; the host does not wait.
void dot2(const cuda_executor& exec, in_vector<cuda_executor, double> x, in_vector<cuda_executor, double> y,
          scalar_place<double> result);

}  // namespace residua::blas
