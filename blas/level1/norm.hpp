#pragma once

#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// sqrt(x_0^2 + ... + x_{n-1}^2), without overflow or underflow on the way
///
/// errors   relative: half of c(n) u^N of dot, and a square root of the format
/// cost     n multiply-adds; three times that where the squares leave the range of binary64
/// order    reduction_order.hpp
/// reports  NaN if an element is NaN, else infinity if one is infinite
template <number T>
T norm2(const host_executor& exec, in_vector<host_executor, T> x);

/// max |x_i|, 0 for n = 0; of equal ones the first
///
/// errors   none
/// cost     reads n leading terms
/// reports  NaN if an element is NaN, else infinity if one is infinite
template <number T>
T norm_inf(const host_executor& exec, in_vector<host_executor, T> x);

}  // namespace residua::blas
