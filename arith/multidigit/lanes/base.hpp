#pragma once

#if defined(__x86_64__)

#include <cstdint>
#include <utility>

// GCC 12 has intrinsics whose unused operand is not set, and warns of it (its bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#include <residua/arith/multidigit/type.hpp>

/// Functions for processors with AVX-512 IFMA: a part of their callers, or called themselves. Lambdas too.
#define RESIDUA_IFMA_TARGET target("avx512f,avx512dq,avx512bw,avx512vl,avx512cd,avx512ifma")
#define RESIDUA_IFMA __attribute__((always_inline, RESIDUA_IFMA_TARGET))
#define RESIDUA_IFMA_CALL __attribute__((noinline, RESIDUA_IFMA_TARGET))

/// Eight multi-digit floats at once: digit k of each in the lanes of one register. Digits have 52 bits, those that
/// vpmadd52luq and vpmadd52huq multiply, in lanes of 64.
///
/// Results have the bits of the operations on one number (arith/multidigit): these are defined by values, not digits.
namespace residua::detail::lanes {

/// Aligned by itself: outside of functions for AVX-512, GCC aligns a 64-byte vector to 16 bytes.
using lane __attribute__((aligned(64))) = __m512i;
using lane_mask = __mmask8;

inline constexpr int count = 8;
inline constexpr int digit_bits = 52;
inline constexpr std::int64_t digit_mask = (std::int64_t{1} << digit_bits) - 1;

/// Digits of a number of p bits. The 42 or more bits behind it are what a sum has below p bits, and its headroom.
constexpr int digits_for(int p) { return (p + 42 + digit_bits - 1) / digit_bits; }

/// Numbers of so many digits have loops without branches, their digits in registers. Longer ones have M = 0: one text,
/// for any number of digits, and factors of products with zeros behind them, a multiple of four digits in all.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr int most_unrolled = 3;  // what a sanitizer watches in straight lines takes minutes to compile
#else
inline constexpr int most_unrolled = 9;
#endif
inline constexpr int block = 4;
constexpr int factor_digits_for(int digits) { return (digits + block) / block * block; }
inline constexpr int most_digits = factor_digits_for(digits_for(multidigit_most_bits));

/// How many digits numbers have: M, or for M = 0 what `m` says.
template <int M>
struct size_of_numbers {
    int m = M;
    RESIDUA_IFMA constexpr operator int() const { return M > 0 ? M : m; }
    RESIDUA_IFMA constexpr size_of_numbers factors() const { return {M > 0 ? M : factor_digits_for(m)}; }
    /// Digits of a product behind its first m that are computed at first, 1 to 4.
    RESIDUA_IFMA constexpr int behind() const { return M > 0 ? 1 : factor_digits_for(m) - m; }
};

/// What an array of digits has room for.
template <int M>
inline constexpr int capacity = M > 0 ? M : most_digits;

/// f(k) for begin <= k < end; end <= Most if that is not 0, and then without a loop.
template <int Most, class F>
RESIDUA_IFMA inline void each(int begin, int end, const F& f)
{
    if constexpr (Most > 0) {
        [&]<int... K>(std::integer_sequence<int, K...>) RESIDUA_IFMA {
            ((K >= begin && K < end ? f(K) : void()), ...);
        }(std::make_integer_sequence<int, Most>{});
    } else {
#pragma GCC unroll 4
        for (int k = begin; k < end; ++k) {
            f(k);
        }
    }
}

RESIDUA_IFMA inline lane all(std::int64_t x) { return _mm512_set1_epi64(x); }
RESIDUA_IFMA inline lane ascending() { return _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0); }
RESIDUA_IFMA inline lane zeros() { return _mm512_setzero_si512(); }

/// x where the mask is set, else zero.
RESIDUA_IFMA inline lane only(lane_mask mask, lane x) { return _mm512_maskz_mov_epi64(mask, x); }
RESIDUA_IFMA inline lane choose(lane_mask mask, lane yes, lane no) { return _mm512_mask_mov_epi64(no, mask, yes); }

/// Eight numbers without their digits.
struct heads {
    lane exponent;
    lane_mask negative;
    lane_mask regular;     ///< neither zero nor one of the next two
    lane_mask not_finite;  ///< infinite or NaN
    lane_mask nan;
};

/// Numbers of M digits, the highest bit of which is bit 50: 0.0d... 2^(exponent + 1), so that a sum of two does not
/// overflow. The digits of what is not regular are zero.
template <int M>
struct numbers : heads {
    lane d[capacity<M>];
};

/// Every digit below 2^52 again, the last one apart, which is signed and takes what is carried.
template <int Most>
RESIDUA_IFMA inline void carry(lane* d, int digits)
{
    each<Most>(0, digits - 1, [&](int k) RESIDUA_IFMA {
        const lane up = _mm512_srai_epi64(d[k], digit_bits);
        d[k] = d[k] & all(digit_mask);
        d[k + 1] = d[k + 1] + up;
    });
}

/// floor(x / 52) for 0 <= x < 2^13
RESIDUA_IFMA inline lane whole_digits(lane x) { return _mm512_srli_epi64(_mm512_mul_epu32(x, all(20165)), 20); }

constexpr bool whole_digits_is_right()
{
    for (std::int64_t x = 0; x < 1 << 13; x += digit_bits) {
        if (x * 20165 >> 20 != x / digit_bits || (x + digit_bits - 1) * 20165 >> 20 != x / digit_bits) {
            return false;
        }
    }
    return true;
}
static_assert(whole_digits_is_right());

/// d <- floor(d / 2^(52 q)), q <= digits, each lane its own; what comes in at the top is `fill`. Whether what is lost
/// was not zero.
RESIDUA_IFMA_CALL inline lane_mask move_down(lane* d, int digits, lane q, lane fill)
{
    lane lost = zeros();
    for (int step = 1; step <= digits; step *= 2) {
        const lane_mask moves = _mm512_test_epi64_mask(q, all(step));
        if (moves == 0) {
            continue;
        }
        for (int k = 0; k < digits; ++k) {
            if (k < step) {
                lost = lost | only(moves, d[k]);
            }
            d[k] = choose(moves, k + step < digits ? d[k + step] : fill, d[k]);
        }
    }
    return _mm512_test_epi64_mask(lost, lost);
}

/// d <- d 2^(52 q) with the highest digit other than zero; q, which is `digits` for zero.
RESIDUA_IFMA_CALL inline lane move_up(lane* d, int digits)
{
    lane q = zeros();
    lane_mask zero = 0xff;
    for (int k = digits - 1; k >= 0 && zero != 0; --k) {
        zero &= _mm512_testn_epi64_mask(d[k], d[k]);
        q = _mm512_mask_add_epi64(q, zero, q, all(1));
    }
    for (int step = 1; step <= digits; step *= 2) {
        const lane_mask moves = _mm512_test_epi64_mask(q, all(step));
        if (moves == 0) {
            continue;
        }
        for (int k = digits - 1; k >= 0; --k) {
            d[k] = choose(moves, k >= step ? d[k - step] : zeros(), d[k]);
        }
    }
    return q;
}

/// The 52 bits of high 2^52 + low from bit r on.
RESIDUA_IFMA inline lane shifted_down(lane high, lane low, lane r)
{
    constexpr int or_then_and = 0xa8;
    return _mm512_ternarylogic_epi64(_mm512_srlv_epi64(low, r), _mm512_sllv_epi64(high, all(digit_bits) - r),
                                     all(digit_mask), or_then_and);
}

}  // namespace residua::detail::lanes

#endif
