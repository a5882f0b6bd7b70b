#pragma once

#include <cstdint>

#include <residua/arith/rns/round.hpp>

namespace residua {
namespace detail {

/// The digits of an integer below 2^63.
template <int L>
RESIDUA_HD_LONG void to_digits(const rns_set<L>& set, std::uint64_t integer, std::uint32_t* x)
{
    RESIDUA_KEEP_LOOP
    for (int i = 0; i < L; ++i) {
        const rns_modulus& q = set.modulus[i];
        x[i] = montgomery(reduce(integer, q.m, q.inverse), q.to_montgomery, q.m, q.inverse);
    }
}

}  // namespace detail

/// x, exactly; not finite if x is not.
template <int L>
RESIDUA_HD_LONG rns_float<L> to_rns(const rns_set<L>& set, double x)
{
    const std::uint64_t magnitude = to_bits(x) & ~sign_mask;
    if (magnitude >= exponent_mask) {
        return rns_not_finite<L>();
    }
    rns_float<L> r;
    if (magnitude == 0) {
        return r;
    }
    const bool subnormal = magnitude <= fraction_mask;
    const std::uint64_t integer =
        subnormal ? magnitude : (magnitude & fraction_mask) | (fraction_mask + 1);
    detail::to_digits(set, integer, r.digit);
    const extended value = to_extended<toward::down>(integer);  // exact
    r.bounds.low = mul<toward::down>(value, set.unit[0]);
    r.bounds.high = mul<toward::up>(value, set.unit[1]);
    r.exponent = subnormal ? min_ulp_exponent
                           : static_cast<std::int64_t>(magnitude >> fraction_bits) - exponent_bias - fraction_bits;
    r.negative = (to_bits(x) & sign_mask) != 0;
    detail::round(set, r);  // sets of few moduli have fewer than 53 bits
    return r;
}

/// x rounded to the nearest binary64, ties to even; subnormal numbers and overflow as IEEE 754 has them.
/// NaN if x is not finite.
template <int L>
RESIDUA_HD_LONG double to_double(const rns_set<L>& set, const rns_float<L>& x)
{
    if (!is_finite(x)) {
        return x.bounds.low.f;
    }
    if (is_zero(x)) {
        return 0.0;
    }
    std::uint32_t digit[L];
    RESIDUA_KEEP_LOOP
    for (int i = 0; i < L; ++i) {
        digit[i] = x.digit[i];
    }
    const std::int64_t bits = detail::bits_of(set, x.bounds);
    const std::int64_t k = bits > 64 ? bits - 64 : 0;
    const detail::remainder_bits below = detail::floor_pow2(set, digit, k);
    std::uint64_t word = detail::low_word(set, digit);
    detail::drop_word(set, digit, static_cast<std::uint32_t>(word));
    word |= static_cast<std::uint64_t>(detail::low_word(set, digit)) << 32;

    // x = word 2^e and something below
    bool sticky = below.half || below.rest;
    std::int64_t e = x.exponent + k;
    while ((word >> 63) == 0) {  // at most 63 times; sticky bits only stand below 63 bits
        word <<= 1;
        --e;
    }
    // the place of the last bit kept: 53 bits, fewer for subnormal numbers
    const std::int64_t top = e + 63;
    if (top > max_exponent) {
        return x.negative ? -__builtin_inf() : __builtin_inf();
    }
    const std::int64_t drop = top < min_exponent ? 11 + (min_exponent - top) : 11;
    if (drop > 64) {
        return x.negative ? -0.0 : 0.0;
    }
    const std::uint64_t kept = drop == 64 ? 0 : word >> drop;
    const std::uint64_t rest = drop == 64 ? word : word << (64 - drop);  // in units of 2^-64 of the last bit
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    const bool up = rest > half || (rest == half && (sticky || kept % 2 == 1));
    const double magnitude = scale_pow2(static_cast<double>(kept + (up ? 1 : 0)), static_cast<int>(e + drop));
    return x.negative ? -magnitude : magnitude;
}

}  // namespace residua
