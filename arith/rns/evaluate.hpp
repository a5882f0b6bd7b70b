#pragma once

#include <cstdint>

#include <residua/arith/rns/scale.hpp>

namespace residua {

/// Bounds of a fraction X / M: low <= X / M <= high.
struct interval {
    extended low, high;
};

namespace detail {

/// A magnitude and a sign.
struct signed_interval {
    interval bounds;  ///< of |X| / M
    bool negative;
};

/// The sign of X and bounds of |X| / M from the residues; X <- |X|. A negative X stands as M + X. |X| <= 2^bits, and
/// bits <= 2 width, or 2 width - 3 if X may be negative: X / M is below 1/2 + 2^-12, or above 3/4.
///
/// errors  a relative width below 2^-37
///
/// The fraction X / M mod 1 = sum c_i / m_i mod 1 comes in units of 2^-63, low by less than 2 for each residue.
/// For a small X it would lose its leading bits, so X is multiplied by a power of two first that cannot take it to
/// M / 4; and again where X is far below 2^bits: (bits - log2 |X|) / 50 times more. A negative X shows as a
/// fraction above 5/8, unless it is so small that the error of the sum hides its sign: then it is
/// multiplied on as well.
/// cost  for each pass 3 reductions and a product of 64 bits a residue
/// from  [Isu20, Alg. 2], in fixed point
template <class Set>
RESIDUA_HD_LONG signed_interval evaluate(const Set& set, std::uint32_t* x, int bits)
{
    constexpr std::uint64_t half = std::uint64_t{1} << 62;
    constexpr std::uint64_t negative_from = half + (half >> 2);
    const std::uint64_t spread = 2 * static_cast<std::uint64_t>(set.scalars().count);
    const std::uint64_t enough = spread << 37;
    std::uint32_t work[Set::capacity];
    for_residues(
        set, [&](int k) __attribute__((always_inline)) { work[k] = x[k]; });
    signed_interval result{{}, false};
    const int room = 2 * set.scalars().width - 3 - bits;
    std::int64_t shift = room > 0 ? room : 0;
    multiply_pow2(set, work, static_cast<int>(shift));
    for (bool first = true;; first = false) {
        std::uint64_t low = 0;
        std::uint32_t any = 0;
        for_residues(
            set, [&](int k) __attribute__((always_inline)) {
                const rns_modulus& q = set.modulus(k);
                const std::uint32_t c = montgomery(work[k], q.weight, q.m, q.inverse);
                low += mul_high(static_cast<std::uint64_t>(c) << 33, q.reciprocal_long);
                any |= c;
            });
        low = set.sum(low) & 0x7fffffffffffffffu;
        if (first && set.sum(any != 0 ? 1u : 0u) == 0) {
            return result;
        }
        // in units of 2^-63: X / M mod 1 is in [low, low + spread]
        const bool large = low >= negative_from;  // negative, or a tiny number of either sign
        const std::uint64_t complement = (std::uint64_t{1} << 63) - low;
        const std::uint64_t magnitude = large ? complement : low;  // of |X|, up to spread
        if (magnitude >= enough) {
            result.negative = large;
            // |X| / M is in [low, low + spread], or, if negative, in [complement - spread, complement]
            const std::uint64_t least = large ? complement - spread : low;
            result.bounds.low = ldexp(to_extended<toward::down>(least), -63 - shift);
            result.bounds.high = ldexp(to_extended<toward::up>(least + spread), -63 - shift);
            break;
        }
        // |X| / M <= (magnitude + spread) 2^-63: leave it below 1/4
        int up = 0;
        for (std::uint64_t m = magnitude + spread; m < (half >> 2); m *= 2) {
            ++up;
        }
        multiply_pow2(set, work, up);
        shift += up;
    }
    if (result.negative) {
        for_residues(
            set, [&](int k) __attribute__((always_inline)) { x[k] = sub_mod(0, x[k], set.modulus(k).m); });
    }
    return result;
}

/// The range of X that such bounds mean; zero for zero.
template <class Set>
RESIDUA_HD rns_range to_range(const Set& set, const interval& x)
{
    if (is_zero(x.high)) {
        return {};
    }
    const extended low = mul<toward::down>(x.low, set.scalars().product[0]);
    const extended high = mul<toward::up>(x.high, set.scalars().product[1]);
    // 61 bits and the exponent of high
    const std::int64_t below = high.e - low.e;
    const auto low_bits = below > 60 ? 0 : static_cast<std::uint64_t>(low.f * pow2(60 - static_cast<int>(below)));
    return make_range(low_bits, static_cast<std::uint64_t>(high.f * 0x1p60), static_cast<std::int32_t>(high.e) - 60);
}

/// The b with X <= 2^b, from an upper bound of X / M; for X > 0.
template <class Set>
RESIDUA_HD int bound_bits(const Set& set, const extended& high)
{
    return static_cast<int>(mul<toward::up>(high, set.scalars().product[1]).e) + 1;
}

/// A size and a sign.
struct signed_range {
    rns_range range;
    bool negative;
};

template <class Set>
RESIDUA_HD_RARE signed_range measure_apart(typename Set::handle set, std::uint32_t* x, int bits)
{
    const signed_interval s = evaluate(set, x, bits);
    return {to_range(set, s.bounds), s.negative};
}

/// evaluate(), with the bounds as a range. It is seldom needed, so it is a function of its own and crowds no caller.
template <class Set>
RESIDUA_HD signed_range measure(const Set& set, std::uint32_t* x, int bits)
{
    return measure_apart<Set>(set, x, bits);
}

}  // namespace detail
}  // namespace residua
