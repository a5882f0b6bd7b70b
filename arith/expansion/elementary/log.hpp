#pragma once

#include <residua/arith/expansion/elementary/exp.hpp>

namespace residua {

namespace detail {

/// ln(1 + d), -0.3 < d < 0.42, with a relative error near 2^-50.
RESIDUA_HD double start_log1p(double d)
{
    const double s = d / (2.0 + d);
    return 2.0 * odd_series(s, mul_rn(s, s), 11);
}

/// ln(1 + z) for |z| < 2^-40.
template <int N>
RESIDUA_HD expansion<double, N> tiny_log1p(const expansion<double, N>& z)
{
    const expansion<double, N> third = 2.0 * inverse_factorial<N>(3);
    const double quarter_square = mul_rn(0.25 * z.t[0], z.t[0]);
    return z + (z * z) * ((third * z - quarter_square) - 0.5);
}

}  // namespace detail

/// ln x as e ln 2 + y + ln(m e^-y): x = m 2^e, 0.7 < m < 1.42, y is ln m in binary64, and
/// m e^-y - 1, below 2^-40, is formed as (m - 1) + m (e^-y - 1), so that m near 1 loses nothing.
///
/// errors    measured: N = 2, 3, 4: 1.9, 0.8, 0.7 u^N |ln x|; 2^-1074 where that is more
/// cost      N = 2, 3, 4: about 900, 3200, 7300 flops
/// specials  log(0) is -infinity, of a negative number NaN, of infinity infinity; log(1) is 0
/// from      Newton's step for e^y = m with three terms more, [Mul16, Ch. 7];
///           docs/elementary-functions.md
template <int N>
RESIDUA_HD_LONG expansion<double, N> log(const expansion<double, N>& x)
{
    const double leading = x.t[0];
    const bool ordinary = leading > 0.0 && is_finite(x);
    int e = ordinary ? floor_log2(leading) : 0;
    expansion<double, N> m = ldexp(x, -e);
    if (m.t[0] > 1.4142) {
        m = ldexp(m, -1);
        ++e;
    }
    const expansion<double, N> d = m - 1.0;
    const double start = detail::start_log1p(d.t[0]);
    // m e^-start - 1, without a rounded 1 + ... in it.
    const expansion<double, N> z = detail::fused(m, detail::small_expm1(expansion<double, N>{-start}), d);
    const expansion<double, N + 1> fraction = detail::with_terms<N + 1>(detail::tiny_log1p(z)) + start;
    const expansion<double, N> r = detail::with_terms<N>(detail::ln2<N + 1>() * static_cast<double>(e) + fraction);
    const double special = leading == 0.0 ? -detail::infinity : leading > 0.0 ? leading : detail::quiet_nan;
    return detail::ordinary_or(ordinary, r, special);
}

}  // namespace residua
