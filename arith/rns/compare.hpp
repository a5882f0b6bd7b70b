#pragma once

#include <residua/arith/rns/add.hpp>

namespace residua {

/// -1, 0 or 1 as x is below, equal to or above y, exactly; both finite.
///
/// From the ranges where they do not overlap. Otherwise the magnitudes agree to 2^-14, so their exponents differ by
/// width at most, and the difference of the aligned significands is exact.
template <class Set, int N>
RESIDUA_HD_LONG int compare(const Set& set, const rns_float<N>& x, const rns_float<N>& y)
{
    if (is_zero(x) || is_zero(y) || x.negative != y.negative) {
        const bool below = is_zero(x) ? !is_zero(y) && !y.negative : x.negative;
        return below ? -1 : is_zero(x) && is_zero(y) ? 0 : 1;
    }
    const int above = x.negative ? -1 : 1;
    rns_head a = x;
    rns_head b = y;
    a.negative = false;
    b.negative = true;
    const detail::add_plan plan = detail::plan_add(set.scalars().width, a, b);
    const int first_greater = plan.swapped ? -above : above;
    switch (plan.digits) {
        case detail::combination::first:
        case detail::combination::difference:
            return first_greater;
        case detail::combination::reversed:
            return -first_greater;
        default:
            break;
    }
    std::uint32_t digit[N];
    detail::for_residues(
        set, [&](int k)
                 __attribute__((always_inline)) { digit[k] = detail::select(plan.swapped, y.digit[k], x.digit[k]); });
    detail::multiply_pow2(set, digit, plan.up);
    detail::for_residues(
        set, [&](int k) __attribute__((always_inline)) {
            const std::uint32_t second = detail::select(plan.swapped, x.digit[k], y.digit[k]);
            digit[k] = detail::sub_mod(digit[k], second, set.modulus(k).m);
        });
    const detail::signed_interval difference = detail::evaluate(set, digit, detail::bound_bits(plan.head.range));
    if (is_zero(difference.bounds.high)) {
        return 0;
    }
    return difference.negative ? -first_greater : first_greater;
}

}  // namespace residua
