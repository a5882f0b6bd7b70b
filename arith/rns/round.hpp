#pragma once

#include <cstdint>

#include <residua/arith/rns/evaluate.hpp>

namespace residua::detail {

/// The b with X < 2^b, at most one more than X needs while its bounds are tight; for X > 0.
template <int L>
RESIDUA_HD std::int64_t bits_of(const rns_set<L>& set, const interval& bounds)
{
    return mul<toward::up>(bounds.high, set.product[1]).e + 1;
}

/// Whether bounds are wider than 2^-bits relative to X.
RESIDUA_HD bool wide(const interval& bounds, int bits)
{
    return ldexp(bounds.low, -bits) < sub<toward::up>(bounds.high, bounds.low);
}

/// Bounds wider than this are computed anew from the digits. Far from where a significand's size would be
/// misjudged by a bit.
inline constexpr int bounds_bits = 20;

/// Bounds that operations have widened too far, anew.
template <int L>
RESIDUA_HD_LONG void tighten(const rns_set<L>& set, rns_float<L>& x)
{
    if (wide(x.bounds, bounds_bits)) {
        x.bounds = evaluate(set, x.digit).bounds;
    }
}

/// x with X <= 2^width, to nearest, and an exponent in range; X < M/2 before. All results end here.
///
/// errors  2^-width (1 + 2^-18) relative, half of u
template <int L>
RESIDUA_HD_LONG void round(const rns_set<L>& set, rns_float<L>& x)
{
    if (is_zero(x)) {
        x = {};
        return;
    }
    const std::int64_t k = bits_of(set, x.bounds) - rns_set<L>::width;
    if (k > 0) {
        divide_pow2(set, x.digit, k);
        x.exponent += k;
        const extended half = ldexp(set.unit[1], -1);
        x.bounds.low = sub<toward::down>(ldexp(x.bounds.low, -k), half);
        x.bounds.high = add<toward::up>(ldexp(x.bounds.high, -k), half);
    }
    x = ldexp(x, 0);  // checks the exponent
}

}  // namespace residua::detail
