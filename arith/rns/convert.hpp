#pragma once

#include <cstdint>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/rns/round.hpp>

namespace residua {
namespace detail {

/// The residues of an integer below 2^63.
template <class Set>
RESIDUA_HD void to_digits(const Set& set, std::uint64_t integer, std::uint32_t* x)
{
    for_residues(
        set, [&](int k) __attribute__((always_inline)) {
            const rns_modulus& q = set.modulus(k);
            x[k] = montgomery(reduce(integer, q.m, q.inverse), set.power(0, k), q.m, q.inverse);
        });
}

/// A binary64 as (-1)^negative integer 2^exponent, the integer odd or zero.
struct odd_integer {
    std::uint64_t integer;
    std::int32_t exponent;
    bool negative;
    bool finite;
};

RESIDUA_HD odd_integer to_odd_integer(double x)
{
    const std::uint64_t magnitude = to_bits(x) & ~sign_mask;
    odd_integer r{0, 0, magnitude != to_bits(x), magnitude < exponent_mask};
    if (magnitude == 0 || !r.finite) {
        return r;
    }
    const bool subnormal = magnitude <= fraction_mask;
    r.integer = subnormal ? magnitude : (magnitude & fraction_mask) | (fraction_mask + 1);
    r.exponent = subnormal ? min_ulp_exponent
                           : static_cast<std::int32_t>(magnitude >> fraction_bits) - exponent_bias - fraction_bits;
    const int zeros = 63 - leading_zeros(r.integer & (0 - r.integer));
    r.integer >>= zeros;
    r.exponent += zeros;
    return r;
}

/// The head of a number that has the residues of the integer.
RESIDUA_HD rns_head head_of(const odd_integer& x)
{
    if (!x.finite) {
        return not_finite_head();
    }
    if (x.integer == 0) {
        return {};
    }
    rns_head r;
    r.range = make_range(x.integer, x.integer, 0);
    r.negative = x.negative;
    r.exponent = x.exponent;
    return r;
}

}  // namespace detail

/// x, exactly where the format has 53 bits or x needs no more than it has, else rounded; not finite if x is not.
template <class Set>
RESIDUA_HD rns_float<Set::capacity> to_rns(const Set& set, double x)
{
    const detail::odd_integer integer = detail::to_odd_integer(x);
    rns_float<Set::capacity> r;
    detail::head(r) = detail::head_of(integer);
    detail::to_digits(set, integer.integer, r.digit);
    detail::round(set, r);
    return r;
}

/// x rounded to the nearest binary64, ties to even; subnormal numbers and overflow as IEEE 754 has them.
/// NaN if x is not finite.
template <class Set, int N>
RESIDUA_HD_LONG double to_double(const Set& set, const rns_float<N>& x)
{
    if (!is_finite(x)) {
        return __builtin_nan("");
    }
    if (is_zero(x)) {
        return 0.0;
    }
    std::uint32_t digit[N];
    detail::for_residues(set, [&](int k) { digit[k] = x.digit[k]; });
    const int bits = detail::bound_bits(x.range) + 1;  // X < 2^bits
    const int down = bits > 64 ? bits - 64 : 0;
    const detail::remainder_bits below = detail::floor_pow2(set, digit, down);
    std::uint64_t word = detail::low_bits<std::uint64_t>(set, digit);

    // x = word 2^e and something below
    const bool sticky = below.half || below.rest;
    const int zeros = detail::leading_zeros(word);  // sticky bits only stand below 63 bits
    word <<= zeros;
    const std::int64_t e = x.exponent + down - zeros;
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
