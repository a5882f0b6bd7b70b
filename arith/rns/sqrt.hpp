#pragma once

#include <cmath>

#include <residua/arith/rns/div.hpp>

namespace residua {

/// The square root of x; not finite below zero.
///
/// The integer root S of 2^j X, of width bits, grows by 36 bits a step: the remainder 2^j X - S^2 is exact
/// in residues, and its bounds over 2 S give the next ones. So S is right to 0.76.
/// errors  below u relative
/// cost    as div
template <int L>
RESIDUA_HD_LONG rns_float<L> sqrt(const rns_set<L>& set, const rns_float<L>& x)
{
    if (!is_finite(x) || (x.negative && !is_zero(x))) {
        return rns_not_finite<L>();
    }
    if (is_zero(x)) {
        return x;
    }
    // 2^j X in 2^(2 width - 2) ... 2^(2 width), and an even exponent
    const interval bounds = detail::tight_bounds(set, x);
    const int bits = static_cast<int>(detail::bits_of(set, bounds));
    int j = 2 * rns_set<L>::width - bits;
    j -= static_cast<int>((x.exponent - j) & 1);
    rns_float<L> s;
    std::uint32_t rest[L];
    RESIDUA_KEEP_LOOP
    for (int i = 0; i < L; ++i) {
        rest[i] = x.digit[i];
    }
    detail::multiply_pow2(set, rest, j);

    // S to 36 bits, from X and not from X / M
    const extended square = ldexp(mul<toward::down>(bounds.low, set.product[0]), j);
    const int odd = static_cast<int>(square.e & 1);
    extended root;
    root.f = std::sqrt(square.f * (odd == 0 ? 1.0 : 2.0));
    root.e = (square.e - odd) / 2;
    const extended one = to_extended<toward::down>(1);
    detail::partial_quotient g = detail::quotient_of(root, one);
    const extended twice_root = ldexp(mul<toward::down>(root, set.unit[0]), 1);
    bool negative = false;
    while (g.integer != 0) {
        std::uint32_t digit[L];
        detail::to_digits(set, g, digit);
        RESIDUA_KEEP_LOOP
        for (int i = 0; i < L; ++i) {
            const rns_modulus& m = set.modulus[i];
            const std::uint32_t next = negative ? detail::sub_mod(s.digit[i], digit[i], m.m)
                                                : detail::add_mod(s.digit[i], digit[i], m.m);
            const std::uint32_t sum = detail::add_mod(s.digit[i], next, m.m);
            rest[i] = detail::sub_mod(rest[i], detail::mul_mod(digit[i], sum, m), m.m);
            s.digit[i] = next;
        }
        const detail::signed_bounds left = detail::evaluate(set, rest);
        negative = negative != left.negative;
        g = detail::quotient_of(left.bounds.low, twice_root);
    }
    s.bounds = detail::evaluate(set, s.digit).bounds;
    s.exponent = (x.exponent - j) / 2;
    detail::round(set, s);
    return s;
}

}  // namespace residua
