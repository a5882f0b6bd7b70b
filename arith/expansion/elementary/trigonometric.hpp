#pragma once

#include <residua/arith/expansion/elementary/series.hpp>

namespace residua {

/// |x| of the arguments of sin, cos, sincos and tan is below this.
inline constexpr double trigonometric_limit = 0x1p52;

namespace detail {

/// x = r + n pi/2, |r| <= pi/4 and a little, n modulo 4.
template <int N>
struct reduced_angle {
    expansion<double, N> r;
    int quadrant;
};

/// x - n pi/2 with M terms: an error of some hundred u^M |x| at most.
template <int M, int N>
RESIDUA_HD expansion<double, N> minus_half_pis(const expansion<double, N>& x, double n)
{
    return with_terms<N>(with_terms<M>(x) - half_pi<M>() * n);
}

/// The same for x within 2^-37 |x| of n pi/2, for every x that N doubles can hold.
template <int N>
RESIDUA_HD_RARE expansion<double, N> minus_half_pis_near(const expansion<double, N>& x, double n)
{
    return minus_half_pis<2 * N + 2>(x, n);
}

/// |x| < trigonometric_limit.
template <int N>
RESIDUA_HD_LONG reduced_angle<N> reduce_angle(const expansion<double, N>& x)
{
    const rounded q = two_prod(x.t[0], two_over_pi);
    const double low = std::fma(x.t[0], two_over_pi_low, std::fma(x.t[1], two_over_pi, q.error));
    const double whole = std::rint(q.value);
    const double n = whole + std::rint((q.value - whole) + low);
    reduced_angle<N> a;
    a.r = minus_half_pis<N + 1>(x, n);
    if (n != 0.0 && std::fabs(a.r.t[0]) < 0x1p-37 * std::fabs(x.t[0])) {
        a.r = minus_half_pis_near(x, n);
    }
    a.quadrant = static_cast<int>(static_cast<long long>(n) & 3);
    return a;
}

/// sin r for |r| <= pi/4.
template <int N>
RESIDUA_HD_LONG expansion<double, N> small_sin(const expansion<double, N>& r)
{
    const expansion<double, N> w = -(r * r);
    return r + r * (w * factorial_series<3, 2>(w));
}

/// cos r for |r| <= pi/4.
template <int N>
RESIDUA_HD_LONG expansion<double, N> small_cos(const expansion<double, N>& r)
{
    const expansion<double, N> w = -(r * r);
    return w * factorial_series<2, 2>(w) + 1.0;
}

/// sin(x + turns pi/2)
template <int N>
RESIDUA_HD expansion<double, N> turned_sin(const expansion<double, N>& x, int turns)
{
    const bool inside = std::fabs(x.t[0]) < trigonometric_limit;
    const reduced_angle<N> a = reduce_angle(inside ? x : expansion<double, N>{});
    const int quadrant = (a.quadrant + turns) & 3;
    const expansion<double, N> y = (quadrant & 1) != 0 ? small_cos(a.r) : small_sin(a.r);
    return ordinary_or(inside, (quadrant & 2) != 0 ? -y : y, quiet_nan);
}

}  // namespace detail

/// sin x as +-sin r or +-cos r: r = x - n pi/2, |r| <= pi/4, is formed with N + 1 terms and, next
/// to a multiple of pi/2, with 2N + 2; then Taylor's series, its small terms with fewer words.
///
/// domain    |x| < trigonometric_limit, else NaN
/// errors    measured: N = 2, 3, 4: 2.7, 2.1, 1.8 u^N |sin x|; 2^-1074 where that is more
/// cost      N = 2, 3, 4: about 500, 1900, 4400 flops
/// specials  sin(-0) is -0; of infinities NaN
/// from      [Mul16, Ch. 11]; docs/elementary-functions.md
template <int N>
RESIDUA_HD_LONG expansion<double, N> sin(const expansion<double, N>& x)
{
    return detail::ordinary_or(x.t[0] != 0.0, detail::turned_sin(x, 0), x.t[0]);
}

/// cos x, as sin.
///
/// domain    |x| < trigonometric_limit, else NaN
/// errors    measured: N = 2, 3, 4: 2.6, 1.7, 1.7 u^N |cos x|
/// cost      that of sin
/// from      [Mul16, Ch. 11]; docs/elementary-functions.md
template <int N>
RESIDUA_HD_LONG expansion<double, N> cos(const expansion<double, N>& x)
{
    return detail::turned_sin(x, 1);
}

/// sine <- sin x, cosine <- cos x, the bits of sin and cos; one reduction for both.
///
/// cost  N = 2, 3, 4: about 800, 3500, 8400 flops
template <int N>
RESIDUA_HD_LONG void sincos(const expansion<double, N>& x, expansion<double, N>& sine, expansion<double, N>& cosine)
{
    const bool inside = std::fabs(x.t[0]) < trigonometric_limit;
    const detail::reduced_angle<N> a = detail::reduce_angle(inside ? x : expansion<double, N>{});
    const expansion<double, N> s = detail::small_sin(a.r);
    const expansion<double, N> c = detail::small_cos(a.r);
    const bool swapped = (a.quadrant & 1) != 0;
    const expansion<double, N> y = swapped ? c : s;
    const expansion<double, N> z = swapped ? s : c;
    const bool minus_sine = (a.quadrant & 2) != 0;
    const double zero = x.t[0] == 0.0 ? x.t[0] : detail::quiet_nan;
    sine = detail::ordinary_or(inside && x.t[0] != 0.0, minus_sine ? -y : y, zero);
    cosine = detail::ordinary_or(inside, minus_sine != swapped ? -z : z, detail::quiet_nan);
}

/// tan x = sin x / cos x
///
/// domain    |x| < trigonometric_limit, else NaN
/// errors    measured: N = 2, 3, 4: 3.4, 2.6, 2.4 u^N |tan x|; 2^-1074 where that is more
/// cost      N = 2, 3, 4: about 1000, 4000, 9200 flops
/// specials  tan(-0) is -0; of infinities NaN
/// from      [Mul16, Ch. 11]; docs/elementary-functions.md
template <int N>
RESIDUA_HD_LONG expansion<double, N> tan(const expansion<double, N>& x)
{
    const bool inside = std::fabs(x.t[0]) < trigonometric_limit;
    const detail::reduced_angle<N> a = detail::reduce_angle(inside ? x : expansion<double, N>{});
    const expansion<double, N> s = detail::small_sin(a.r);
    const expansion<double, N> c = detail::small_cos(a.r);
    const bool swapped = (a.quadrant & 1) != 0;
    const expansion<double, N> r = detail::wide_quotient(swapped ? -c : s, swapped ? s : c);
    const double special = x.t[0] == 0.0 ? x.t[0] : detail::quiet_nan;
    return detail::ordinary_or(inside && x.t[0] != 0.0, r, special);
}

}  // namespace residua
