#pragma once

#include <residua/arith/expansion/elementary/series.hpp>

namespace residua {

namespace detail {

/// e^r - 1 for |r| <= 0.35, with a small relative error near 0 too.
template <int N>
RESIDUA_HD_LONG expansion<double, N> small_expm1(const expansion<double, N>& r)
{
    return r + (r * r) * factorial_series<2, 1>(r);
}

}  // namespace detail

/// e^x as 2^k e^r: k is the integer next to x / ln 2, r = x - k ln 2, |r| <= 0.35, is formed with
/// N + 1 terms, and e^r is Taylor's series, its small terms with fewer words.
///
/// errors    measured: N = 2, 3, 4: 1.4, 0.9, 0.9 u^N e^x; 2^-1074 where that is more
/// cost      N = 2, 3, 4: about 600, 2700, 6500 flops
/// specials  infinity from 2^1024 on, 0 below 2^-1075; exp(-infinity) is 0
/// from      [Mul16, Ch. 11]; docs/elementary-functions.md
template <int N>
RESIDUA_HD_LONG expansion<double, N> exp(const expansion<double, N>& x)
{
    const double leading = x.t[0];
    const bool inside = leading > -746.0 && leading < 710.0;
    const double k = std::rint(mul_rn(inside ? leading : 0.0, detail::log2_of_e));
    const expansion<double, N> r = detail::with_terms<N>(detail::with_terms<N + 1>(x) - detail::ln2<N + 1>() * k);
    const expansion<double, N> power = detail::small_expm1(r) + 1.0;
    const double beyond = leading <= -746.0 ? 0.0 : leading + detail::infinity;
    return detail::ordinary_or(inside, detail::rescaled(power, static_cast<int>(k)), beyond);
}

}  // namespace residua
