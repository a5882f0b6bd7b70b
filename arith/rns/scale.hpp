#pragma once

#include <cstdint>

#include <residua/arith/rns/modular.hpp>
#include <residua/arith/rns/type.hpp>

/// Multiplication and division of an integer 0 <= X <= 2^(2 width), in residues, by powers of two.
namespace residua::detail {

/// a b mod m
template <class Set>
RESIDUA_HD std::uint32_t mul_mod(const Set& set, int k, std::uint32_t a, std::uint32_t b)
{
    const rns_modulus& q = set.modulus(k);
    return montgomery(montgomery(a, b, q.m, q.inverse), set.power(0, k), q.m, q.inverse);
}

/// x 2^up mod m; up in 0, ..., 32 rns_set::powers - 1
template <class Set>
RESIDUA_HD std::uint32_t shift_mod(const Set& set, int k, std::uint32_t x, int up)
{
    const rns_modulus& q = set.modulus(k);
    const std::uint32_t words = montgomery(x, set.power(up / 32, k), q.m, q.inverse);
    return reduce(static_cast<std::uint64_t>(words) << (up % 32), q.m, q.inverse);
}

/// Shifts up to here take half of a reduction: 2^31 - m < 2^12 for all moduli.
inline constexpr int short_shift = 18;

/// x 2^up mod m; up in 0, ..., short_shift
///
/// floor(x 2^up / 2^31) m is what to take off: the rest is below 2^31 + 2^30.
RESIDUA_HD std::uint32_t shift_shortly(std::uint32_t x, int up, std::uint32_t m)
{
    const std::uint32_t r = (x << up) - (x >> (31 - up)) * m;
    return min(r, r - m);
}

/// X <- 2^up X, below M.
///
/// cost  2 reductions a residue, half of one for short shifts
template <class Set>
RESIDUA_HD void multiply_pow2(const Set& set, std::uint32_t* x, int up)
{
    if (up <= short_shift) {
        for_residues(
            set, [&](int k) __attribute__((always_inline)) { x[k] = shift_shortly(x[k], up, set.modulus(k).m); });
    } else {
        for_residues(
            set, [&](int k) __attribute__((always_inline)) { x[k] = shift_mod(set, k, x[k], up); });
    }
}

/// X mod 2^32 or 2^64, as Word has it, by the Chinese remainder theorem: X = sum c_i M / m_i - rank M with
/// c_i = |x_i (M/m_i)^-1| mod m_i, or m_i more.
///
/// The rank is floor(sum c_i / m_i), which is X / M more than an integer. The sum in units of 2^-24 is low by
/// less than 2 for each residue; so as much more is enough, and not too much as long as X / M < 1 - 2^-13.
/// cost  1 reduction and 2 or 4 products a residue
template <class Word, class Set>
RESIDUA_HD Word low_bits(const Set& set, const std::uint32_t* x)
{
    std::uint32_t fractions = 0;
    Word low = 0;
    for_residues(
        set, [&](int k) __attribute__((always_inline)) {
            const rns_modulus& q = set.modulus(k);
            const std::uint32_t c = reduce_loosely(static_cast<std::uint64_t>(x[k]) * q.weight, q.m, q.inverse);
            fractions += mul_high(c, q.reciprocal);
            low += c * static_cast<Word>(q.cofactor_low);
        });
    fractions = set.sum(fractions) + 2 * static_cast<std::uint32_t>(set.scalars().count);
    low = set.sum(low);
    return low - (fractions >> 24) * static_cast<Word>(set.scalars().product_low);
}

/// (x - low) 2^-bits mod m, low below 2^bits, bits in 1, ..., 32: Montgomery's reduction of the difference.
RESIDUA_HD std::uint32_t drop_bits(std::uint32_t x, std::uint32_t low, int bits, const rns_modulus& q)
{
    const std::int64_t difference = static_cast<std::int64_t>(x) - low;
    const auto lowest = static_cast<std::uint32_t>(difference) << (32 - bits);
    const std::uint32_t r = static_cast<std::uint32_t>(difference >> bits) - mul_high(lowest * q.inverse, q.m);
    return min(r, r + q.m);  // from -m to m / 2
}

/// (x - low) 2^-bits mod m for bits in 33, ..., 64. The lower word leaves -s of x, s = q m / 2^32 + second and perhaps
/// 1: in one sum, without a residue in between.
RESIDUA_HD std::uint32_t drop_long(std::uint32_t x, std::uint64_t low, int bits, const rns_modulus& q)
{
    const auto first = static_cast<std::uint32_t>(low);
    const std::uint64_t s = (low >> 32) + mul_high((x - first) * q.inverse, q.m) + (x < first ? 1 : 0);
    const auto lowest = static_cast<std::uint32_t>(s) << (64 - bits);
    const std::uint32_t r = mul_high(lowest * q.inverse, q.m) - static_cast<std::uint32_t>(s >> (bits - 32));
    return min(r, r + q.m);  // from -m / 2 - 1 to m - 1
}

/// The part that a division by a power of two leaves below the quotient.
struct remainder_bits {
    bool half;  ///< the highest bit below the quotient
    bool rest;  ///< any bit below that
};

/// X <- floor(X / 2^down), down >= 0
///
/// cost  for each 64 bits 3 reductions and 4 products a residue, for the last 32 2 and 3
/// from  [Isu20]; a step is a Montgomery reduction instead of a division, and takes up to two machine words
template <class Set>
RESIDUA_HD remainder_bits floor_pow2(const Set& set, std::uint32_t* x, int down)
{
    remainder_bits left{false, false};
    RESIDUA_KEEP_LOOP
    while (down > 32) {
        const int bits = down < 64 ? down : 64;
        const std::uint64_t low = low_bits<std::uint64_t>(set, x) & (~std::uint64_t{0} >> (64 - bits));
        for_residues(
            set, [&](int k) __attribute__((always_inline)) { x[k] = drop_long(x[k], low, bits, set.modulus(k)); });
        left.rest = left.rest || left.half || low << (65 - bits) != 0;
        left.half = low >> (bits - 1) != 0;
        down -= bits;
    }
    if (down > 0) {
        const std::uint32_t low = low_bits<std::uint32_t>(set, x) & (~std::uint32_t{0} >> (32 - down));
        for_residues(
            set, [&](int k) __attribute__((always_inline)) { x[k] = drop_bits(x[k], low, down, set.modulus(k)); });
        left.rest = left.rest || left.half || (low & ~(~std::uint32_t{0} << (down - 1))) != 0;
        left.half = low >> (down - 1) != 0;
    }
    return left;
}

/// X <- X / 2^down, rounded to the nearest integer, half upwards.
template <class Set>
RESIDUA_HD void divide_pow2(const Set& set, std::uint32_t* x, int down)
{
    const std::uint32_t up = floor_pow2(set, x, down).half ? 1 : 0;
    for_residues(
        set, [&](int k) __attribute__((always_inline)) { x[k] = add_mod(x[k], up, set.modulus(k).m); });
}

}  // namespace residua::detail
