#pragma once

#include <residua/arith/rns/round.hpp>

namespace residua {

/// x y
///
/// errors  below u relative, unless it leaves the range
/// cost    width / 32 + 1 steps of scaling, each of 2 reductions a residue
template <int L>
RESIDUA_HD_LONG rns_float<L> mul(const rns_set<L>& set, const rns_float<L>& x, const rns_float<L>& y)
{
    if (!is_finite(x) || !is_finite(y)) {
        return rns_not_finite<L>();
    }
    rns_float<L> r;
    RESIDUA_KEEP_LOOP
    for (int i = 0; i < L; ++i) {
        r.digit[i] = detail::mul_mod(x.digit[i], y.digit[i], set.modulus[i]);
    }
    r.bounds.low = mul<toward::down>(mul<toward::down>(x.bounds.low, y.bounds.low), set.product[0]);
    r.bounds.high = mul<toward::up>(mul<toward::up>(x.bounds.high, y.bounds.high), set.product[1]);
    r.exponent = x.exponent + y.exponent;
    r.negative = x.negative != y.negative;
    detail::tighten(set, r);
    detail::round(set, r);
    return r;
}

}  // namespace residua
