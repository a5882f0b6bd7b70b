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
template <class Set, int N>
RESIDUA_HD_LONG rns_float<N> sqrt(const Set& set, const rns_float<N>& x)
{
    if (!is_finite(x) || (x.negative && !is_zero(x))) {
        return rns_not_finite<N>();
    }
    if (is_zero(x)) {
        return x;
    }
    // 2^up X in 2^(2 width - 2) ... 2^(2 width), and an even exponent
    const interval bounds = detail::tight_bounds(set, x);
    const extended one = to_extended<toward::down>(1);
    const extended size = mul<toward::down>(bounds.low, set.scalars().product[0]);
    int up = 2 * set.scalars().width - static_cast<int>(size.e + 1);
    up -= static_cast<int>((x.exponent - up) & 1);
    rns_float<N> s = rns_zero<N>();
    std::uint32_t rest[N];
    detail::for_residues(set, [&](int k) { rest[k] = x.digit[k]; });
    detail::multiply_pow2(set, rest, up);

    // S to 36 bits, from X and not from X / M
    const extended square = ldexp(size, up);
    const int odd = static_cast<int>(square.e & 1);
    extended root;
    root.f = std::sqrt(square.f * (odd == 0 ? 1.0 : 2.0));
    root.e = (square.e - odd) / 2;
    detail::partial_quotient g = detail::quotient_of(root, one);
    const extended twice_root = ldexp(div<toward::down>(root, set.scalars().product[1]), 1);
    extended largest = ldexp(bounds.high, up);  // no remainder is larger than the one before
    bool negative = false;
    while (g.integer != 0) {
        std::uint32_t digit[N];
        detail::to_digits(set, g, digit);
        detail::for_residues(set, [&](int k) {
            const std::uint32_t m = set.modulus(k).m;
            const std::uint32_t next =
                negative ? detail::sub_mod(s.digit[k], digit[k], m) : detail::add_mod(s.digit[k], digit[k], m);
            const std::uint32_t sum = detail::add_mod(s.digit[k], next, m);
            rest[k] = detail::sub_mod(rest[k], detail::mul_mod(set, k, digit[k], sum), m);
            s.digit[k] = next;
        });
        const detail::signed_interval left = detail::evaluate(set, rest, detail::bound_bits(set, largest));
        negative = negative != left.negative;
        largest = left.bounds.high;
        g = detail::quotient_of(left.bounds.low, twice_root);
    }
    s.range = detail::quotient_range(set, s.digit);
    s.exponent = (x.exponent - up) / 2;
    detail::round(set, s);
    return s;
}

}  // namespace residua
