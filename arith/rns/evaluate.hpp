#pragma once

#include <cstdint>

#include <residua/arith/rns/scale.hpp>

namespace residua::detail {

/// sum c_i / m_i modulo 1, c_i = |x_i (M/m_i)^-1| mod m_i, in units of 2^-63: X / M, low by less than
/// 2 L units, modulo 1.
///
/// cost  1 reduction and a product of 64 bits a residue
template <int L>
RESIDUA_HD_LONG std::uint64_t fraction(const rns_set<L>& set, const std::uint32_t* x)
{
    std::uint64_t sum = 0;
    RESIDUA_KEEP_LOOP
    for (int i = 0; i < L; ++i) {
        const rns_modulus& q = set.modulus[i];
        const std::uint32_t c = montgomery(x[i], q.weight, q.m, q.inverse);
        sum += mul_high(static_cast<std::uint64_t>(c) << 33, q.reciprocal_long);
    }
    return sum & 0x7fffffffffffffffu;
}

/// The magnitude and the sign of an integer.
struct signed_bounds {
    interval bounds;  ///< of |X| / M
    bool negative;
};

/// The sign of X and bounds of |X| / M from the digits alone; X <- |X|. A negative X stands as M + X; |X| < M/4.
///
/// errors  a relative width below 2^-37
///
/// Where the fraction loses its leading bits, X is multiplied by a power of two that cannot take it to M / 4,
/// and evaluated again; so it takes about log2(M / X) / 50 passes. A negative X shows as a
/// fraction above 1/2, unless it is so small that the error of the sum hides its sign: then it is
/// multiplied on as well.
/// from  [Isu20, Alg. 2], in fixed point
template <int L>
RESIDUA_HD_LONG signed_bounds evaluate(const rns_set<L>& set, std::uint32_t* x)
{
    constexpr std::uint64_t half = std::uint64_t{1} << 62;
    constexpr std::uint64_t slack = 2 * L;
    constexpr std::uint64_t enough = slack << 37;
    std::uint32_t any = 0;
    std::uint32_t work[L];
    RESIDUA_KEEP_LOOP
    for (int i = 0; i < L; ++i) {
        any |= x[i];
        work[i] = x[i];
    }
    signed_bounds result{{}, false};
    if (any == 0) {
        return result;
    }
    std::int64_t shift = 0;
    for (;;) {
        const std::uint64_t low = fraction(set, work);
        // in units of 2^-63: X / M mod 1 is in [low, low + slack]
        const bool large = low >= half;  // negative, or a tiny number of either sign
        const std::uint64_t complement = (std::uint64_t{1} << 63) - low;
        const std::uint64_t magnitude = large ? complement : low;  // of |X|, up to slack
        if (magnitude >= enough) {
            result.negative = large;
            // |X| / M is in [low, low + slack], or, if negative, in [complement - slack, complement]
            const std::uint64_t least = large ? complement - slack : low;
            result.bounds.low = ldexp(to_extended<toward::down>(least), -63 - shift);
            result.bounds.high = ldexp(to_extended<toward::up>(least + slack), -63 - shift);
            break;
        }
        // |X| / M <= (magnitude + slack) 2^-63: leave it below 1/4
        int k = 0;
        for (std::uint64_t m = magnitude + slack; m < (half >> 2); m *= 2) {
            ++k;
        }
        multiply_pow2(set, work, k);
        shift += k;
    }
    if (result.negative) {
        RESIDUA_KEEP_LOOP
        for (int i = 0; i < L; ++i) {
            x[i] = x[i] == 0 ? 0 : set.modulus[i].m - x[i];
        }
    }
    return result;
}

}  // namespace residua::detail
