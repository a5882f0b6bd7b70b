#pragma once

#include <cstdint>

#include <residua/arith/rns/modular.hpp>
#include <residua/arith/rns/type.hpp>

/// Multiplication and division of an integer 0 <= X <= M/2, in residues, by powers of two. Loops run over
/// residues, so a kernel of many moduli stays small.
namespace residua::detail {

/// a b mod m
RESIDUA_HD std::uint32_t mul_mod(std::uint32_t a, std::uint32_t b, const rns_modulus& q)
{
    return montgomery(montgomery(a, b, q.m, q.inverse), q.to_montgomery, q.m, q.inverse);
}

/// X <- 2^k X; k in 0, ..., 32 rns_set::powers - 33, and 2^k X < M.
///
/// cost  2 reductions a residue
template <int L>
RESIDUA_HD_LONG void multiply_pow2(const rns_set<L>& set, std::uint32_t* x, int k)
{
    const std::uint32_t* power = set.power[k / 32];
    const int rest = k % 32;
    RESIDUA_KEEP_LOOP
    for (int i = 0; i < L; ++i) {
        const rns_modulus& q = set.modulus[i];
        const std::uint32_t shifted = montgomery(x[i], power[i], q.m, q.inverse);
        x[i] = reduce(static_cast<std::uint64_t>(shifted) << rest, q.m, q.inverse);
    }
}

/// X mod 2^32 by the Chinese remainder theorem, X = sum c_i M / m_i - rank M with
/// c_i = |x_i (M/m_i)^-1| mod m_i.
///
/// The rank is floor(sum c_i / m_i), which is X / M more than an integer. The sum in units of 2^-31 is low by
/// less than 2 L; so 2 L more is enough, and not too much as long as X / M < 1 - 2 L 2^-31.
/// cost  1 reduction and 2 products a residue
template <int L>
RESIDUA_HD_LONG std::uint32_t low_word(const rns_set<L>& set, const std::uint32_t* x)
{
    std::uint64_t fractions = 2 * L;
    std::uint32_t low = 0;
    RESIDUA_KEEP_LOOP
    for (int i = 0; i < L; ++i) {
        const rns_modulus& q = set.modulus[i];
        const std::uint32_t c = montgomery(x[i], q.weight, q.m, q.inverse);
        fractions += mul_high(c << 1, q.reciprocal);
        low += c * q.cofactor_low;
    }
    return low - static_cast<std::uint32_t>(fractions >> 31) * set.product_low;
}

/// X <- (X - low) / 2^32, low = X mod 2^32.
///
/// Montgomery's reduction of the 64-bit difference x_i - low: its quotient is a number in -m, ..., 0.
/// cost  1 reduction a residue
template <int L>
RESIDUA_HD_LONG void drop_word(const rns_set<L>& set, std::uint32_t* x, std::uint32_t low)
{
    RESIDUA_KEEP_LOOP
    for (int i = 0; i < L; ++i) {
        const rns_modulus& q = set.modulus[i];
        const std::uint32_t taken = mul_high((x[i] - low) * q.inverse, q.m) + (x[i] < low ? 1u : 0u);
        x[i] = taken == 0 ? 0 : q.m - taken;
    }
}

/// X <- (X - low) / 2^k, low = X mod 2^k, k in 1, ..., 31.
template <int L>
RESIDUA_HD_LONG void drop_bits(const rns_set<L>& set, std::uint32_t* x, std::uint32_t low, int k)
{
    RESIDUA_KEEP_LOOP
    for (int i = 0; i < L; ++i) {
        const rns_modulus& q = set.modulus[i];
        const std::uint32_t canonical = low >= q.m ? low - q.m : low;
        const std::uint32_t difference = sub_mod(x[i], canonical, q.m);
        x[i] = reduce(static_cast<std::uint64_t>(difference) << (32 - k), q.m, q.inverse);
    }
}

/// X <- X + 1
template <int L>
RESIDUA_HD void increment(const rns_set<L>& set, std::uint32_t* x)
{
    RESIDUA_KEEP_LOOP
    for (int i = 0; i < L; ++i) {
        x[i] = add_mod(x[i], 1, set.modulus[i].m);
    }
}

/// What a division by a power of two leaves.
struct remainder_bits {
    bool half;  ///< the highest bit below the quotient
    bool rest;  ///< any bit below that
};

/// X <- floor(X / 2^k), k >= 0
///
/// cost  2 reductions and 2 products a residue for each 32 bits
/// from  [Isu20]; a step is one Montgomery reduction instead of a division
template <int L>
RESIDUA_HD_LONG remainder_bits floor_pow2(const rns_set<L>& set, std::uint32_t* x, std::int64_t k)
{
    const int rest = static_cast<int>(k % 32);
    remainder_bits left{false, false};
    if (rest > 0) {
        const std::uint32_t low = low_word(set, x) & ((std::uint32_t{1} << rest) - 1);
        drop_bits(set, x, low, rest);
        left.half = (low >> (rest - 1)) != 0;
        left.rest = (low & ((std::uint32_t{1} << (rest - 1)) - 1)) != 0;
    }
    for (std::int64_t bits = k - rest; bits > 0; bits -= 32) {
        const std::uint32_t low = low_word(set, x);
        drop_word(set, x, low);
        left.rest = left.rest || left.half || (low & 0x7fffffffu) != 0;
        left.half = (low >> 31) != 0;
    }
    return left;
}

/// X <- X / 2^k, rounded to the nearest integer, half upwards.
template <int L>
RESIDUA_HD void divide_pow2(const rns_set<L>& set, std::uint32_t* x, std::int64_t k)
{
    if (floor_pow2(set, x, k).half) {
        increment(set, x);
    }
}

}  // namespace residua::detail
