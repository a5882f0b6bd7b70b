#pragma once

#include <cstdint>

#include <residua/arith/base/bits.hpp>
#include <residua/arith/rns/modular.hpp>

namespace residua {

/// What is known about the size of an integer X without leaving residues: low 2^exponent <= X <= high 2^exponent.
///
/// 2^30 < high <= 2^31, or high = 0 for X = 0. As integers of 32 bits instead of the floating-point
/// intervals of X / M that [IKK20] keeps: a third of the memory, a third of the instructions, and M is in no product.
struct rns_range {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::int32_t exponent = 0;
};

namespace detail {

/// high of a number that is not finite.
inline constexpr std::uint32_t no_range = 0xffffffffu;

/// low 2^exponent <= X <= high 2^exponent in 32 bits; 0 < high < 2^63.
RESIDUA_HD rns_range make_range(std::uint64_t low, std::uint64_t high, std::int32_t exponent)
{
    // high <= 2^bits
    const int bits = high == 1 ? 0 : 64 - leading_zeros(high - 1);
    const int excess = bits - 31;
    rns_range r;
    if (excess > 0) {
        r.low = static_cast<std::uint32_t>(low >> excess);
        r.high = static_cast<std::uint32_t>(((high - 1) >> excess) + 1);
    } else {
        r.low = static_cast<std::uint32_t>(low << -excess);
        r.high = static_cast<std::uint32_t>(high << -excess);
    }
    r.exponent = exponent + excess;
    return r;
}

/// A bound b with X <= 2^b, at most one more than needed; for X > 0.
RESIDUA_HD std::int32_t bound_bits(const rns_range& x) { return x.exponent + 31; }

/// Ranges wider than 2^-15 of the number are computed anew from the residues.
inline constexpr std::uint32_t widest_range = std::uint32_t{1} << 15;

RESIDUA_HD bool wide(const rns_range& x) { return x.high - x.low > widest_range; }

RESIDUA_HD rns_range mul(const rns_range& x, const rns_range& y)
{
    const std::uint64_t low = static_cast<std::uint64_t>(x.low) * y.low;
    const std::uint64_t high = static_cast<std::uint64_t>(x.high) * y.high;  // in 2^60 + 1, ..., 2^62
    const int down = high > std::uint64_t{1} << 61 ? 31 : 30;
    rns_range r;
    r.low = static_cast<std::uint32_t>(low >> down);
    r.high = static_cast<std::uint32_t>((high - 1) >> down) + 1;
    r.exponent = x.exponent + y.exponent + down;
    return r;
}

/// The range of X 2^-k rounded to the nearest integer.
RESIDUA_HD rns_range divided(const rns_range& x, std::int64_t k)
{
    const std::int64_t exponent = x.exponent - k;
    if (exponent >= 0) {  // a half is less than a unit
        const bool carry = x.high == std::uint32_t{1} << 31;
        rns_range r;
        r.low = carry ? (x.low - 1) >> 1 : x.low - 1;
        r.high = carry ? (x.high >> 1) + 1 : x.high + 1;
        r.exponent = static_cast<std::int32_t>(exponent) + (carry ? 1 : 0);
        return r;
    }
    const int down = exponent < -32 ? 32 : static_cast<int>(-exponent);
    const std::uint64_t low = static_cast<std::uint64_t>(x.low) >> down;
    const std::uint64_t high = (static_cast<std::uint64_t>(x.high) >> down) + 2;
    return make_range(low == 0 ? 0 : low - 1, high, 0);
}

/// x if `first`, else y.
RESIDUA_HD rns_range select(bool first, const rns_range& x, const rns_range& y)
{
    return {select(first, x.low, y.low), select(first, x.high, y.high), select(first, x.exponent, y.exponent)};
}

/// Two ranges over one unit, that of the greater exponent.
struct aligned_ranges {
    std::uint32_t x_low, x_high, y_low, y_high;
    std::int32_t exponent;
};

/// The one of lesser exponent is widened to whole units.
RESIDUA_HD aligned_ranges align(const rns_range& x, const rns_range& y)
{
    const bool ordered = x.exponent >= y.exponent;
    const rns_range big = select(ordered, x, y);
    const rns_range small = select(!ordered, x, y);
    const std::int32_t distance = big.exponent - small.exponent;
    const int down = distance < 31 ? distance : 31;
    const std::uint32_t small_low = distance < 32 ? small.low >> down : 0;
    const std::uint32_t small_high = ((small.high - 1) >> down) + 1;
    aligned_ranges r;
    r.x_low = select(ordered, big.low, small_low);
    r.x_high = select(ordered, big.high, small_high);
    r.y_low = select(ordered, small_low, big.low);
    r.y_high = select(ordered, small_high, big.high);
    r.exponent = big.exponent;
    return r;
}

/// The range of X + Y.
RESIDUA_HD rns_range sum(const aligned_ranges& r)
{
    const std::uint32_t below_high = r.x_high + r.y_high - 1;  // below 2^32
    const int down = static_cast<int>(below_high >> 31);
    rns_range s;
    s.low = static_cast<std::uint32_t>((static_cast<std::uint64_t>(r.x_low) + r.y_low) >> down);
    s.high = (below_high >> down) + 1;
    s.exponent = r.exponent + down;
    return s;
}

/// low 2^exponent to high 2^exponent; 0 < high <= 2^31.
RESIDUA_HD rns_range make_short_range(std::uint32_t low, std::uint32_t high, std::int32_t exponent)
{
    const int up = high == 1 ? 31 : leading_zeros(static_cast<std::uint64_t>(high - 1)) - 33;
    return {low << up, high << up, exponent - up};
}

}  // namespace detail
}  // namespace residua
