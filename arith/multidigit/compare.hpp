#pragma once

#include <residua/arith/multidigit/type.hpp>
#include <residua/arith/multidigit/unroll.hpp>

namespace residua {
namespace detail {

/// The sign of a - b, for integers a and b.
template <int M, class Digit>
RESIDUA_HD int compare_digits(const Digit (&a)[M], const Digit (&b)[M])
{
    int order = 0;
    RESIDUA_UNROLL(M)
    for (int k = 0; k < M; ++k) {
        order = a[k] > b[k] ? 1 : a[k] < b[k] ? -1 : order;
    }
    return order;
}

/// The sign of |x| - |y|; neither is NaN.
template <class Digit, int N>
RESIDUA_HD int compare_magnitudes(const multidigit_float<Digit, N>& x, const multidigit_float<Digit, N>& y)
{
    return x.exponent != y.exponent ? (x.exponent > y.exponent ? 1 : -1) : compare_digits(x.d, y.d);
}

/// The sign of x - y; neither is NaN.
template <class Digit, int N>
RESIDUA_HD int compare(const multidigit_float<Digit, N>& x, const multidigit_float<Digit, N>& y)
{
    if (is_zero(x) || is_zero(y) || x.negative != y.negative) {
        const int sign_of_x = is_zero(x) ? 0 : x.negative ? -1 : 1;
        const int sign_of_y = is_zero(y) ? 0 : y.negative ? -1 : 1;
        return sign_of_x != sign_of_y ? (sign_of_x > sign_of_y ? 1 : -1) : 0;
    }
    const int order = compare_magnitudes(x, y);
    return x.negative ? -order : order;
}

}  // namespace detail

/// x < y; false if one is NaN.
template <class Digit, int N>
RESIDUA_HD bool operator<(const multidigit_float<Digit, N>& x, const multidigit_float<Digit, N>& y)
{
    return !is_nan(x) && !is_nan(y) && detail::compare(x, y) < 0;
}

/// x == y; false if one is NaN.
template <class Digit, int N>
RESIDUA_HD bool operator==(const multidigit_float<Digit, N>& x, const multidigit_float<Digit, N>& y)
{
    return !is_nan(x) && !is_nan(y) && detail::compare(x, y) == 0;
}

}  // namespace residua
