#pragma once

#include <residua/arith/expansion/functions.hpp>

/// Comparisons by value, exact: an expansion has more than one form, so they look at the sign of
/// the exact difference. NaN is unordered; infinities are compared by their leading terms.
namespace residua {

namespace detail {

/// A difference of leading terms of which one at least is not finite: 0 for equal infinities.
RESIDUA_HD double leading_difference(double x, double y) { return x == y ? 0.0 : x - y; }

/// A number with the sign of x - y; NaN if they are unordered.
template <int N>
RESIDUA_HD double signed_difference(const expansion<double, N>& x, const expansion<double, N>& y)
{
    double minus[N];
    negate(y.t, minus);
    double h[2 * N];
    exact_sum(x.t, minus, h);
    collect<0>(h);
    return is_finite(x) && is_finite(y) ? h[0] : leading_difference(x.t[0], y.t[0]);
}

template <int N>
RESIDUA_HD double signed_difference(const expansion<double, N>& x, double y)
{
    double h[N + 1];
    exact_sum(-y, x.t, h);
    collect<0>(h);
    return is_finite(x) && y - y == 0.0 ? h[0] : leading_difference(x.t[0], y);
}

}  // namespace detail

template <int N>
RESIDUA_HD bool operator==(const expansion<double, N>& x, const expansion<double, N>& y)
{
    return detail::signed_difference(x, y) == 0.0;
}

template <int N>
RESIDUA_HD bool operator==(const expansion<double, N>& x, double y)
{
    return detail::signed_difference(x, y) == 0.0;
}

template <int N>
RESIDUA_HD bool operator==(double x, const expansion<double, N>& y)
{
    return 0.0 == detail::signed_difference(y, x);
}

template <int N>
RESIDUA_HD bool operator!=(const expansion<double, N>& x, const expansion<double, N>& y)
{
    return detail::signed_difference(x, y) != 0.0;
}

template <int N>
RESIDUA_HD bool operator!=(const expansion<double, N>& x, double y)
{
    return detail::signed_difference(x, y) != 0.0;
}

template <int N>
RESIDUA_HD bool operator!=(double x, const expansion<double, N>& y)
{
    return 0.0 != detail::signed_difference(y, x);
}

template <int N>
RESIDUA_HD bool operator<(const expansion<double, N>& x, const expansion<double, N>& y)
{
    return detail::signed_difference(x, y) < 0.0;
}

template <int N>
RESIDUA_HD bool operator<(const expansion<double, N>& x, double y)
{
    return detail::signed_difference(x, y) < 0.0;
}

template <int N>
RESIDUA_HD bool operator<(double x, const expansion<double, N>& y)
{
    return 0.0 < detail::signed_difference(y, x);
}

template <int N>
RESIDUA_HD bool operator>(const expansion<double, N>& x, const expansion<double, N>& y)
{
    return detail::signed_difference(x, y) > 0.0;
}

template <int N>
RESIDUA_HD bool operator>(const expansion<double, N>& x, double y)
{
    return detail::signed_difference(x, y) > 0.0;
}

template <int N>
RESIDUA_HD bool operator>(double x, const expansion<double, N>& y)
{
    return 0.0 > detail::signed_difference(y, x);
}

template <int N>
RESIDUA_HD bool operator<=(const expansion<double, N>& x, const expansion<double, N>& y)
{
    return detail::signed_difference(x, y) <= 0.0;
}

template <int N>
RESIDUA_HD bool operator<=(const expansion<double, N>& x, double y)
{
    return detail::signed_difference(x, y) <= 0.0;
}

template <int N>
RESIDUA_HD bool operator<=(double x, const expansion<double, N>& y)
{
    return 0.0 <= detail::signed_difference(y, x);
}

template <int N>
RESIDUA_HD bool operator>=(const expansion<double, N>& x, const expansion<double, N>& y)
{
    return detail::signed_difference(x, y) >= 0.0;
}

template <int N>
RESIDUA_HD bool operator>=(const expansion<double, N>& x, double y)
{
    return detail::signed_difference(x, y) >= 0.0;
}

template <int N>
RESIDUA_HD bool operator>=(double x, const expansion<double, N>& y)
{
    return 0.0 >= detail::signed_difference(y, x);
}

}  // namespace residua
