#pragma once

#include <residua/arith/rns/round.hpp>

namespace residua {
namespace detail {

/// The largest j for which 2^j X + 2^width stays below M/4, X < 2^bits.
template <int L>
RESIDUA_HD std::int64_t room_of(std::int64_t bits)
{
    return 2 * rns_set<L>::width - 3 - bits;
}

/// x <- x - y for integers of one exponent, X and Y at most M/4 together: |X - Y| and its sign.
template <int L>
RESIDUA_HD_LONG void subtract_magnitudes(const rns_set<L>& set, rns_float<L>& x, const rns_float<L>& y)
{
    const interval a = x.bounds;
    const interval b = y.bounds;
    const bool greater = b.high < a.low;
    const bool smaller = a.high < b.low;
    RESIDUA_KEEP_LOOP
    for (int i = 0; i < L; ++i) {
        const std::uint32_t m = set.modulus[i].m;
        x.digit[i] = smaller ? sub_mod(y.digit[i], x.digit[i], m) : sub_mod(x.digit[i], y.digit[i], m);
    }
    bool negative = smaller;
    if (greater || smaller) {
        const interval& big = greater ? a : b;
        const interval& small = greater ? b : a;
        x.bounds.low = sub<toward::down>(big.low, small.high);
        x.bounds.high = sub<toward::up>(big.high, small.low);
        tighten(set, x);
    } else {
        const signed_bounds s = evaluate(set, x.digit);
        x.bounds = s.bounds;
        negative = s.negative;
    }
    x.negative = x.negative != negative;
}

}  // namespace detail

/// x + y
///
/// Exponents are aligned by multiplying the significand of the greater exponent by a power of two; where
/// that would pass M/4, the other one is divided by the rest and rounded, 2^width below the result's last bit.
/// errors  below u relative, unless it leaves the range
/// cost    4 reductions a residue, width / 32 + 1 steps of scaling at most; where magnitudes cancel,
///         an evaluation of the bounds
template <int L>
RESIDUA_HD_LONG rns_float<L> add(const rns_set<L>& set, const rns_float<L>& x, const rns_float<L>& y)
{
    if (!is_finite(x) || !is_finite(y)) {
        return rns_not_finite<L>();
    }
    if (is_zero(x) || is_zero(y)) {
        return is_zero(x) ? y : x;
    }
    const bool ordered = x.exponent >= y.exponent;
    rns_float<L> a = ordered ? x : y;
    rns_float<L> b = ordered ? y : x;
    const std::int64_t distance = a.exponent - b.exponent;
    const std::int64_t room = detail::room_of<L>(detail::bits_of(set, a.bounds));
    if (distance > room + rns_set<L>::width + 1) {
        return a;  // b is below 2^-(2 width - 4) of it
    }
    const int j = static_cast<int>(distance < room ? distance : room);
    if (j > 0) {
        detail::multiply_pow2(set, a.digit, j);
        a.bounds.low = ldexp(a.bounds.low, j);
        a.bounds.high = ldexp(a.bounds.high, j);
    }
    const std::int64_t k = distance - j;
    if (k > 0) {
        detail::divide_pow2(set, b.digit, k);
        const extended half = ldexp(set.unit[1], -1);
        b.bounds.low = sub<toward::down>(ldexp(b.bounds.low, -k), half);
        b.bounds.high = add<toward::up>(ldexp(b.bounds.high, -k), half);
    }
    a.exponent -= j;
    if (a.negative == b.negative) {
        RESIDUA_KEEP_LOOP
        for (int i = 0; i < L; ++i) {
            a.digit[i] = detail::add_mod(a.digit[i], b.digit[i], set.modulus[i].m);
        }
        a.bounds.low = add<toward::down>(a.bounds.low, b.bounds.low);
        a.bounds.high = add<toward::up>(a.bounds.high, b.bounds.high);
        detail::tighten(set, a);
    } else {
        detail::subtract_magnitudes(set, a, b);
    }
    detail::round(set, a);
    return a;
}

template <int L>
RESIDUA_HD rns_float<L> sub(const rns_set<L>& set, const rns_float<L>& x, const rns_float<L>& y)
{
    return add(set, x, -y);
}

}  // namespace residua
