#pragma once

#include <residua/arith/expansion/add.hpp>

namespace residua {

/// Nearest binary64: the leading term.
template <int N>
RESIDUA_HD double to_double(const expansion<double, N>& x)
{
    return x.t[0] + x.t[1];
}

template <int N>
RESIDUA_HD bool is_finite(const expansion<double, N>& x)
{
    return std::fabs(x.t[0]) <= 0x1.fffffffffffffp1023;
}

template <int N>
RESIDUA_HD expansion<double, N> abs(const expansion<double, N>& x)
{
    const bool negative = x.t[0] < 0.0;
    expansion<double, N> r;
    for (int k = 0; k < N; ++k) {
        r.t[k] = negative ? -x.t[k] : x.t[k];
    }
    return r;
}

/// x 2^k, exact unless it overflows or underflows.
template <int N>
RESIDUA_HD expansion<double, N> ldexp(const expansion<double, N>& x, int k)
{
    expansion<double, N> r;
    for (int i = 0; i < N; ++i) {
        r.t[i] = std::ldexp(x.t[i], k);
    }
    return r;
}

namespace detail {

/// A number with the sign of x - y; NaN if they are not ordered.
template <int N>
RESIDUA_HD double difference_sign(const expansion<double, N>& x, const expansion<double, N>& y)
{
    const bool finite = is_finite(x) && is_finite(y);
    const double far = x.t[0] == y.t[0] ? 0.0 : x.t[0] - y.t[0];
    return finite ? (x - y).t[0] : far;
}

}  // namespace detail

template <int N>
RESIDUA_HD bool operator==(const expansion<double, N>& x, const expansion<double, N>& y)
{
    return detail::difference_sign(x, y) == 0.0;
}

template <int N>
RESIDUA_HD bool operator==(const expansion<double, N>& x, double y)
{
    return x == expansion<double, N>{y};
}

template <int N>
RESIDUA_HD bool operator==(double x, const expansion<double, N>& y)
{
    return expansion<double, N>{x} == y;
}

template <int N>
RESIDUA_HD bool operator!=(const expansion<double, N>& x, const expansion<double, N>& y)
{
    return detail::difference_sign(x, y) != 0.0;
}

template <int N>
RESIDUA_HD bool operator!=(const expansion<double, N>& x, double y)
{
    return x != expansion<double, N>{y};
}

template <int N>
RESIDUA_HD bool operator!=(double x, const expansion<double, N>& y)
{
    return expansion<double, N>{x} != y;
}

template <int N>
RESIDUA_HD bool operator<(const expansion<double, N>& x, const expansion<double, N>& y)
{
    return detail::difference_sign(x, y) < 0.0;
}

template <int N>
RESIDUA_HD bool operator<(const expansion<double, N>& x, double y)
{
    return x < expansion<double, N>{y};
}

template <int N>
RESIDUA_HD bool operator<(double x, const expansion<double, N>& y)
{
    return expansion<double, N>{x} < y;
}

template <int N>
RESIDUA_HD bool operator>(const expansion<double, N>& x, const expansion<double, N>& y)
{
    return detail::difference_sign(x, y) > 0.0;
}

template <int N>
RESIDUA_HD bool operator>(const expansion<double, N>& x, double y)
{
    return x > expansion<double, N>{y};
}

template <int N>
RESIDUA_HD bool operator>(double x, const expansion<double, N>& y)
{
    return expansion<double, N>{x} > y;
}

template <int N>
RESIDUA_HD bool operator<=(const expansion<double, N>& x, const expansion<double, N>& y)
{
    return detail::difference_sign(x, y) <= 0.0;
}

template <int N>
RESIDUA_HD bool operator<=(const expansion<double, N>& x, double y)
{
    return x <= expansion<double, N>{y};
}

template <int N>
RESIDUA_HD bool operator<=(double x, const expansion<double, N>& y)
{
    return expansion<double, N>{x} <= y;
}

template <int N>
RESIDUA_HD bool operator>=(const expansion<double, N>& x, const expansion<double, N>& y)
{
    return detail::difference_sign(x, y) >= 0.0;
}

template <int N>
RESIDUA_HD bool operator>=(const expansion<double, N>& x, double y)
{
    return x >= expansion<double, N>{y};
}

template <int N>
RESIDUA_HD bool operator>=(double x, const expansion<double, N>& y)
{
    return expansion<double, N>{x} >= y;
}

}  // namespace residua
