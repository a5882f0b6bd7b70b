#pragma once

#include <cstdint>

#include <residua/arith/rns/evaluate.hpp>

namespace residua::detail {

/// The range of a number that operations have widened too far, anew.
template <class Set, int N>
RESIDUA_HD void tighten(const Set& set, rns_float<N>& x)
{
    if (wide(x.range)) {
        std::uint32_t digit[N];
        for_residues(
            set, [&](int k) __attribute__((always_inline)) { digit[k] = x.digit[k]; });
        x.range = measure(set, digit, bound_bits(x.range)).range;
    }
}

/// The last stage of every operation: x with X <= 2^width, to nearest, and an exponent in range; X <= 2^(2 width)
/// before.
///
/// errors  2^-width (1 + 2^-13) relative, half of u
template <class Set, int N>
RESIDUA_HD void round(const Set& set, rns_float<N>& x)
{
    if (is_zero(x) || !is_finite(x)) {
        return;
    }
    tighten(set, x);
    const int down = bound_bits(x.range) - set.scalars().width;
    if (down > 0) {
        divide_pow2(set, x.digit, down);
        x.exponent += down;
        x.range = divided(x.range, down);
    }
    head(x) = checked(x);
}

}  // namespace residua::detail
