#pragma once

#include <cmath>
#include <type_traits>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/native/double.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/level1/dot.hpp>

namespace residua::blas {

namespace detail {

/// norm2, and norm_inf, of each format; `square` is x'x.
template <number T>
T norm2_of(const host_executor& exec, const vector_view<host_executor, const T>& x, const T& square);
template <number T>
T norm2_of(const cuda_executor& exec, const vector_view<cuda_executor, const T>& x, const T& square);
template <class Exec>
multidigit_number norm2_of(const Exec& exec, const vector_view<Exec, const multidigit>& x,
                           const multidigit_number& square);
template <class Exec>
rns_number norm2_of(const Exec&, const vector_view<Exec, const rns>&, const rns_number& square)
{
    return sqrt(square);
}

template <number T>
T norm_inf_of(const host_executor& exec, const vector_view<host_executor, const T>& x);
template <number T>
T norm_inf_of(const cuda_executor& exec, const vector_view<cuda_executor, const T>& x);
template <class Exec>
multidigit_number norm_inf_of(const Exec& exec, const vector_view<Exec, const multidigit>& x);
template <class Exec>
rns_number norm_inf_of(const Exec& exec, const vector_view<Exec, const rns>& x);

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

/// sqrt(x_0^2 + ... + x_{n-1}^2) from square = dot(x, x): x is read only if that is out of range, and then scaled
///
/// errors   as norm2
template <class T, class Exec>
typename array_traits<T>::number norm2(const Exec& exec, in_vector<Exec, T> x,
                                       const std::type_identity_t<typename array_traits<T>::number>& square)
{
    return detail::norm2_of(exec, x, square);
}

/// sqrt(x_0^2 + ... + x_{n-1}^2), without overflow or underflow on the way: no square of an RNS float leaves the range of
/// exponents before x does. On a device it waits for the result
///
/// errors   relative: half of the bound of dot, and a square root of the format
/// cost     n multiply-adds; three times that where the squares leave the range
/// order    as dot
/// reports  NaN if an element is NaN, else infinity if one is infinite; in run-time formats what is not finite
template <class T, class Exec>
typename array_traits<T>::number norm2(const Exec& exec, in_vector<Exec, T> x)
{
    return detail::norm2_of(exec, x, detail::dot_of(exec, x, x));
}

/// max |x_i|, 0 for n = 0; the first of equal ones. On a device it waits for the result
///
/// errors   none
/// cost     reads n numbers, of expansions n leading terms
/// reports  NaN if an element is NaN, else infinity if one is infinite; in RNS floats what is not finite
template <class T, class Exec>
typename array_traits<T>::number norm_inf(const Exec& exec, in_vector<Exec, T> x)
{
    return detail::norm_inf_of(exec, x);
}

}  // namespace residua::blas
