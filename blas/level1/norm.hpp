#pragma once

#include <cmath>
#include <type_traits>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/native/double.hpp>
#include <residua/blas/base/cuda_executor.hpp>
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

/// norm2 on a CUDA device, with the bits of the host; waits for the result.
template <number T>
T norm2(const cuda_executor& exec, in_vector<cuda_executor, T> x);

/// norm2 from square = dot(x, x): x is read only if that is out of range.
template <number T>
T norm2(const host_executor& exec, in_vector<host_executor, T> x, const std::type_identity_t<T>& square);
template <number T>
T norm2(const cuda_executor& exec, in_vector<cuda_executor, T> x, const std::type_identity_t<T>& square);

/// max |x_i|, 0 for n = 0; the first of equal ones
///
/// errors   none
/// cost     reads n leading terms
/// reports  NaN if an element is NaN, else infinity if one is infinite
template <number T>
T norm_inf(const host_executor& exec, in_vector<host_executor, T> x);

/// norm_inf on a CUDA device, with the bits of the host; waits for the result.
template <number T>
T norm_inf(const cuda_executor& exec, in_vector<cuda_executor, T> x);

namespace detail {

/// norm2 from `sum` = x'x if that is far from the limits of binary64; otherwise from the sum of (2^-e x_i)^2, with the
/// largest element about 1.
template <number T, class Largest, class ScaledSum>
T scaled_norm2(const T& sum, const Largest& norm_inf, const ScaledSum& scaled_sum)
{
    // Below `least` the errors of underflow, n N^2 2^-1074 at most, could show in the result.
    constexpr double most = 0x1p1000;
    const double least = std::ldexp(1.0, -1000 + number_traits<T>::precision_bits);

    const double size = to_double(sum);
    if (least <= size && size <= most) {
        return sqrt(sum);
    }
    const T largest = norm_inf();
    const double m = to_double(largest);
    if (!(m > 0.0) || !is_finite(largest)) {
        return largest;
    }
    const int e = std::ilogb(m);
    return ldexp(sqrt(scaled_sum(-e)), e);
}

}  // namespace detail

}  // namespace residua::blas
