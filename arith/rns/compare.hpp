#pragma once

#include <residua/arith/rns/add.hpp>

namespace residua {

/// -1, 0 or 1 as x is below, equal to or above y, exactly; both finite.
///
/// From the bounds where they do not overlap. Otherwise the magnitudes agree to 2^-20, so their exponents differ by
/// width at most, and the difference of the aligned significands is exact.
template <int L>
RESIDUA_HD_LONG int compare(const rns_set<L>& set, const rns_float<L>& x, const rns_float<L>& y)
{
    if (is_zero(x) && is_zero(y)) {
        return 0;
    }
    if (is_zero(x) || is_zero(y) || x.negative != y.negative) {
        const bool below = is_zero(x) ? !y.negative : x.negative;
        return below ? -1 : 1;
    }
    const int above = x.negative ? -1 : 1;
    if (ldexp(y.bounds.high, y.exponent) < ldexp(x.bounds.low, x.exponent)) {
        return above;
    }
    if (ldexp(x.bounds.high, x.exponent) < ldexp(y.bounds.low, y.exponent)) {
        return -above;
    }
    const bool ordered = x.exponent >= y.exponent;
    rns_float<L> a = abs(ordered ? x : y);
    const rns_float<L>& b = ordered ? y : x;
    detail::multiply_pow2(set, a.digit, static_cast<int>(a.exponent - b.exponent));
    RESIDUA_KEEP_LOOP
    for (int i = 0; i < L; ++i) {
        a.digit[i] = detail::sub_mod(a.digit[i], b.digit[i], set.modulus[i].m);
    }
    const detail::signed_bounds difference = detail::evaluate(set, a.digit);
    if (is_zero(difference.bounds.high)) {
        return 0;
    }
    return difference.negative == ordered ? -above : above;
}

}  // namespace residua
