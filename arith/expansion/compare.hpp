#pragma once

#include <residua/arith/expansion/functions.hpp>

/// Comparisons by value, exact: an expansion has more than one form, so they look at the sign of
/// the exact difference, of any finite numbers. NaN is unordered; infinities are compared by their leading terms.
namespace residua {

namespace detail {

/// A difference of leading terms, for when the exact difference leaves the range: 0 for equal infinities.
RESIDUA_HD double leading_difference(double x, double y) { return x == y ? 0.0 : x - y; }

/// A number that is subtracted, exactly, from two leading terms so that no sum of terms overflows. It is 0 unless both
/// are large and have one sign.
RESIDUA_HD double common_part(double x, double y)
{
    const bool above = x >= 0x1p1022 && y >= 0x1p1022;
    const bool below = x <= -0x1p1022 && y <= -0x1p1022;
    return above ? 0x1p1023 : below ? -0x1p1023 : 0.0;
}

/// A number with the sign of the nonadjacent h, or, where that overflows, of the difference of the leading terms.
template <int M>
RESIDUA_HD double leading_of(double (&h)[M], double x, double y)
{
    collect<0>(h);
    return h[0] - h[0] == 0.0 ? h[0] : leading_difference(x, y);
}

/// A number with the sign of x - y; NaN if they are unordered.
template <int N>
RESIDUA_HD double signed_difference(const expansion<double, N>& x, const expansion<double, N>& y)
{
    const double common = common_part(x.t[0], y.t[0]);
    double terms[N];
    double minus[N];
    copy_terms(x.t, terms);
    negate(y.t, minus);
    terms[0] -= common;
    minus[0] += common;
    double h[2 * N];
    exact_sum(terms, minus, h);
    return leading_of(h, x.t[0], y.t[0]);
}

template <int N>
RESIDUA_HD double signed_difference(const expansion<double, N>& x, double y)
{
    const double common = common_part(x.t[0], y);
    double terms[N];
    copy_terms(x.t, terms);
    terms[0] -= common;
    double h[N + 1];
    exact_sum(common - y, terms, h);
    return leading_of(h, x.t[0], y);
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
