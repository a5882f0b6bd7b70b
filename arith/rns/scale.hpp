#pragma once

#include <cstdint>

#include <residua/arith/rns/modular.hpp>
#include <residua/arith/rns/type.hpp>

/// Multiplication and division of an integer 0 <= X <= M/2, in residues, by powers of two.
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

/// X <- 2^up X, below M.
///
/// cost  2 reductions a residue
template <class Set>
RESIDUA_HD void multiply_pow2(const Set& set, std::uint32_t* x, int up)
{
    for_residues(set, [&](int k) __attribute__((always_inline)) { x[k] = shift_mod(set, k, x[k], up); });
}

/// X mod 2^64 by the Chinese remainder theorem, X = sum c_i M / m_i - rank M with
/// c_i = |x_i (M/m_i)^-1| mod m_i, or m_i more.
///
/// The rank is floor(sum c_i / m_i), which is X / M more than an integer. The sum in units of 2^-24 is low by
/// less than 2 for each residue; so as much more is enough, and not too much as long as X / M <= 1/2.
/// cost  1 reduction and 4 products a residue
template <class Set>
RESIDUA_HD std::uint64_t low_words(const Set& set, const std::uint32_t* x)
{
    std::uint32_t fractions = 0;
    std::uint64_t low = 0;
    for_residues(set, [&](int k) __attribute__((always_inline)) {
        const rns_modulus& q = set.modulus(k);
        const std::uint32_t c =
            reduce_loosely(static_cast<std::uint64_t>(x[k]) * q.weight, q.m, q.inverse);
        fractions += mul_high(c, q.reciprocal);
        low += c * q.cofactor_low;
    });
    fractions = set.sum(fractions) + 2 * static_cast<std::uint32_t>(set.scalars().count);
    low = set.sum(low);
    return low - (fractions >> 24) * set.scalars().product_low;
}

/// (x - low) 2^-32 mod m, low any word: Montgomery's reduction of the difference.
RESIDUA_HD std::uint32_t drop_word(std::uint32_t x, std::uint32_t low, const rns_modulus& q)
{
    const std::uint32_t taken = mul_high((x - low) * q.inverse, q.m) + (x < low ? 1u : 0u);
    const std::uint32_t r = 0u - taken;  // in -m, ..., 0
    return least(r, r + q.m);
}

/// (x - low) 2^-bits mod m, low below 2^bits, bits in 1, ..., 31.
RESIDUA_HD std::uint32_t drop_bits(std::uint32_t x, std::uint32_t low, int bits, const rns_modulus& q)
{
    const std::uint32_t difference = sub_mod(x, least(low, low - q.m), q.m);
    return reduce(static_cast<std::uint64_t>(difference) << (32 - bits), q.m, q.inverse);
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
RESIDUA_HD remainder_bits floor_pow2(const Set& set, std::uint32_t* x, std::int64_t down)
{
    remainder_bits left{false, false};
    if (const int bits = static_cast<int>(down % 64); bits > 0) {
        const std::uint64_t low = low_words(set, x) & ((std::uint64_t{1} << bits) - 1);
        const auto first = static_cast<std::uint32_t>(low);
        const auto second = static_cast<std::uint32_t>(low >> 32);
        const int rest = bits % 32;
        for_residues(set, [&](int k) __attribute__((always_inline)) {
            const rns_modulus& q = set.modulus(k);
            const std::uint32_t upper = bits >= 32 ? drop_word(x[k], first, q) : x[k];
            x[k] = rest > 0 ? drop_bits(upper, bits >= 32 ? second : first, rest, q) : upper;
        });
        left.half = (low >> (bits - 1)) != 0;
        left.rest = (low & ((std::uint64_t{1} << (bits - 1)) - 1)) != 0;
    }
    RESIDUA_KEEP_LOOP
    for (std::int64_t bits = down / 64; bits > 0; --bits) {
        const std::uint64_t low = low_words(set, x);
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
RESIDUA_HD void divide_pow2(const Set& set, std::uint32_t* x, std::int64_t down)
{
    const std::uint32_t up = floor_pow2(set, x, down).half ? 1 : 0;
    for_residues(set, [&](int k) __attribute__((always_inline)) { x[k] = add_mod(x[k], up, set.modulus(k).m); });
}

}  // namespace residua::detail
