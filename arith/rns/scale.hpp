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
    return least(r, r - m);
}

/// X <- 2^up X, below M.
///
/// cost  2 reductions a residue, half of one for short shifts
template <class Set>
RESIDUA_HD void multiply_pow2(const Set& set, std::uint32_t* x, int up)
{
    if (up <= short_shift) {
        for_residues(set, [&](int k) __attribute__((always_inline)) {
            x[k] = shift_shortly(x[k], up, set.modulus(k).m);
        });
    } else {
        for_residues(set, [&](int k) __attribute__((always_inline)) { x[k] = shift_mod(set, k, x[k], up); });
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
    for_residues(set, [&](int k) __attribute__((always_inline)) {
        const rns_modulus& q = set.modulus(k);
        const std::uint32_t c =
            reduce_loosely(static_cast<std::uint64_t>(x[k]) * q.weight, q.m, q.inverse);
        fractions += mul_high(c, q.reciprocal);
        low += c * static_cast<Word>(q.cofactor_low);
    });
    fractions = set.sum(fractions) + 2 * static_cast<std::uint32_t>(set.scalars().count);
    low = set.sum(low);
    return low - (fractions >> 24) * static_cast<Word>(set.scalars().product_low);
}

/// (x - low) 2^-32 mod m, low any word: Montgomery's reduction of the difference.
RESIDUA_HD std::uint32_t drop_word(std::uint32_t x, std::uint32_t low, const rns_modulus& q)
{
    const std::uint32_t taken = mul_high((x - low) * q.inverse, q.m) + (x < low ? 1u : 0u);
    const std::uint32_t r = 0u - taken;  // in -m, ..., 0
    return least(r, r + q.m);
}

/// (x - low) 2^-bits mod m, low below 2^bits, bits in 1, ..., 31: the upper half of (x - low) 2^(32 - bits) is -1 at least.
RESIDUA_HD std::uint32_t drop_bits(std::uint32_t x, std::uint32_t low, int bits, const rns_modulus& q)
{
    const std::uint32_t difference = x - low;
    const auto high = static_cast<std::uint32_t>(static_cast<std::int32_t>(difference) >> bits);
    const std::uint32_t r = high - mul_high((difference << (32 - bits)) * q.inverse, q.m);
    return least(r, r + q.m);
}

/// What a division by a power of two leaves.
struct remainder_bits {
    bool half;  ///< the highest bit below the quotient
    bool rest;  ///< any bit below that
};

/// X <- floor(X / 2^down), down >= 0
///
/// cost  for each 64 bits 3 reductions and 4 products a residue
/// from  [Isu20]; a step is a Montgomery reduction instead of a division, and takes a machine word
template <class Set>
RESIDUA_HD remainder_bits floor_pow2(const Set& set, std::uint32_t* x, int down)
{
    remainder_bits left{false, false};
    const int bits = down % 64;
    if (bits >= 32) {
        const std::uint64_t low = low_bits<std::uint64_t>(set, x) & ((std::uint64_t{1} << bits) - 1);
        const auto first = static_cast<std::uint32_t>(low);
        const auto second = static_cast<std::uint32_t>(low >> 32);
        if (bits > 32) {
            for_residues(set, [&](int k) __attribute__((always_inline)) {
                const rns_modulus& q = set.modulus(k);
                x[k] = drop_bits(drop_word(x[k], first, q), second, bits - 32, q);
            });
        } else {
            for_residues(set, [&](int k) __attribute__((always_inline)) { x[k] = drop_word(x[k], first, set.modulus(k)); });
        }
        left.half = (low >> (bits - 1)) != 0;
        left.rest = (low & ((std::uint64_t{1} << (bits - 1)) - 1)) != 0;
    } else if (bits > 0) {
        const std::uint32_t low = low_bits<std::uint32_t>(set, x) & ((std::uint32_t{1} << bits) - 1);
        for_residues(set, [&](int k) __attribute__((always_inline)) { x[k] = drop_bits(x[k], low, bits, set.modulus(k)); });
        left.half = (low >> (bits - 1)) != 0;
        left.rest = (low & ((std::uint32_t{1} << (bits - 1)) - 1)) != 0;
    }
    RESIDUA_KEEP_LOOP
    for (int words = down / 64; words > 0; --words) {
        const std::uint64_t low = low_bits<std::uint64_t>(set, x);
        for_residues(set, [&](int k) __attribute__((always_inline)) {
            const rns_modulus& q = set.modulus(k);
            x[k] = drop_word(drop_word(x[k], static_cast<std::uint32_t>(low), q),
                             static_cast<std::uint32_t>(low >> 32), q);
        });
        left.rest = left.rest || left.half || (low & 0x7fffffffffffffffu) != 0;
        left.half = (low >> 63) != 0;
    }
    return left;
}

/// X <- X / 2^down, rounded to the nearest integer, half upwards.
template <class Set>
RESIDUA_HD void divide_pow2(const Set& set, std::uint32_t* x, int down)
{
    const std::uint32_t up = floor_pow2(set, x, down).half ? 1 : 0;
    for_residues(set, [&](int k) __attribute__((always_inline)) { x[k] = add_mod(x[k], up, set.modulus(k).m); });
}

}  // namespace residua::detail
