#pragma once

#include <residua/arith/expansion/elementary/trigonometric.hpp>

namespace residua {

namespace detail {

/// arctan(t), 0 <= t <= 1, with a relative error near 2^-50.
RESIDUA_HD double start_atan(double t)
{
    const bool high = t > 0.4142;
    const double a = high ? (t - 1.0) / (t + 1.0) : t;
    return odd_series(a, -mul_rn(a, a), 20) + (high ? 0.5 * half_pi_term(0) : 0.0);
}

/// arctan z for |z| < 2^-40.
template <int N>
RESIDUA_HD expansion<double, N> tiny_atan(const expansion<double, N>& z)
{
    if constexpr (N == 2) {
        return z;
    } else {
        return z - z * (z * z) * (2.0 * inverse_factorial<N>(3));
    }
}

}  // namespace detail

/// arctan x as y + arctan((x cos y - sin y) / (cos y + x sin y)): y is arctan x in binary64, for
/// |x| > 1 pi/2 less arctan(1 / x); the second arctan is of a number below 2^-40.
///
/// errors    measured: N = 2, 3, 4: 1.9, 1.1, 0.8 u^N |arctan x|; 2^-1074 where that is more
/// cost      N = 2, 3, 4: about 1000, 4400, 10000 flops
/// specials  atan(-0) is -0, of +-infinity +-pi/2
/// from      Newton's step for tan y = x with one term more, [Mul16, Ch. 7];
///           docs/elementary-functions.md
template <int N>
RESIDUA_HD_LONG expansion<double, N> atan(const expansion<double, N>& x)
{
    constexpr double huge = 0x1p300;
    const bool ordinary = std::fabs(x.t[0]) < huge && x.t[0] != 0.0;
    const expansion<double, N> a = ordinary ? abs(x) : expansion<double, N>{1.0};
    const bool steep = a.t[0] > 1.0;
    const double v = detail::start_atan(steep ? 1.0 / a.t[0] : a.t[0]);
    const expansion<double, N> s = detail::small_sin(expansion<double, N>{v});
    const expansion<double, N> c = detail::small_cos(expansion<double, N>{v});
    const expansion<double, N> adjacent = steep ? s : c;
    const expansion<double, N> opposite = steep ? c : s;
    const expansion<double, N> z = detail::tiny_atan(detail::fused(a, adjacent, -opposite) / (adjacent + a * opposite));
    const expansion<double, N + 1> start = steep ? detail::half_pi<N + 1>() - v : expansion<double, N + 1>{v};
    const expansion<double, N> sum = detail::with_terms<N>(start + detail::with_terms<N + 1>(z));
    const expansion<double, N> limit = detail::half_pi<N>();
    expansion<double, N> r;
    for (int i = 0; i < N; ++i) {
        r.t[i] = ordinary ? sum.t[i] : limit.t[i];
        r.t[i] = x.t[0] < 0.0 ? -r.t[i] : r.t[i];
    }
    return detail::ordinary_or(std::fabs(x.t[0]) > 0.0, r, x.t[0]);
}

}  // namespace residua
