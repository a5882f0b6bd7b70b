#pragma once

#if defined(__x86_64__)

#include <cstddef>
#include <cstdint>

#include <residua/arith/multidigit/lanes/intrinsics.hpp>

#define RESIDUA_LANES_TARGET target("avx512f,avx512dq,avx512bw,avx512vl,avx512cd,avx512ifma")
#define RESIDUA_LANES_NAMESPACE residua::detail::lanes_avx512

/// Attributes of functions and lambdas for lanes: RESIDUA_LANES for inlined ones, RESIDUA_LANES_CALL for called ones.
#define RESIDUA_LANES __attribute__((always_inline, RESIDUA_LANES_TARGET))
#define RESIDUA_LANES_CALL __attribute__((noinline, RESIDUA_LANES_TARGET))

/// Eight lanes of 64 bits, and products by vpmadd52luq and vpmadd52huq. avx2.hpp has the same functions.
namespace RESIDUA_LANES_NAMESPACE {

/// Aligned by itself: outside of functions for AVX-512, GCC aligns a 64-byte vector to 16 bytes.
using lane __attribute__((aligned(64))) = __m512i;
using lane_mask = __mmask8;

inline constexpr int count = 8;
inline constexpr bool has_many_registers = true;  ///< 32 of them

RESIDUA_LANES inline lane all(std::int64_t x) { return _mm512_set1_epi64(x); }
RESIDUA_LANES inline lane zeros() { return _mm512_setzero_si512(); }
RESIDUA_LANES inline lane ascending() { return _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0); }

RESIDUA_LANES inline lane_mask all_lanes() { return 0xff; }
RESIDUA_LANES inline lane_mask no_lanes() { return 0; }
/// The first n lanes; none if n < 0.
RESIDUA_LANES inline lane_mask first_lanes(std::int64_t n)
{
    return static_cast<lane_mask>(n >= count ? 0xff : n <= 0 ? 0 : (1 << n) - 1);
}
RESIDUA_LANES inline bool any(lane_mask m) { return m != 0; }
RESIDUA_LANES inline unsigned bits(lane_mask m) { return m; }
/// The bit of lane i, in all lanes.
RESIDUA_LANES inline lane_mask of_lane(const lane_mask& m, std::int64_t i)
{
    return static_cast<lane_mask>(-(m >> i & 1));
}

RESIDUA_LANES inline lane_mask is_zero(lane x) { return _mm512_testn_epi64_mask(x, x); }
RESIDUA_LANES inline lane_mask has_any(lane x, lane of) { return _mm512_test_epi64_mask(x, of); }
RESIDUA_LANES inline lane_mask is_negative(lane x) { return _mm512_movepi64_mask(x); }
RESIDUA_LANES inline lane_mask equal(lane x, lane y) { return _mm512_cmpeq_epi64_mask(x, y); }
RESIDUA_LANES inline lane_mask greater(lane x, lane y) { return _mm512_cmpgt_epi64_mask(x, y); }
/// Whether x <= most, all without signs.
RESIDUA_LANES inline lane_mask is_at_most(lane x, lane most) { return _mm512_cmple_epu64_mask(x, most); }

/// x where the mask is set, zero elsewhere.
RESIDUA_LANES inline lane only(lane_mask mask, lane x) { return _mm512_maskz_mov_epi64(mask, x); }
RESIDUA_LANES inline lane choose(lane_mask mask, lane yes, lane no) { return _mm512_mask_mov_epi64(no, mask, yes); }
/// x + y, x - y or x | y where the mask is set, x elsewhere.
RESIDUA_LANES inline lane add_where(lane_mask mask, lane x, lane y) { return _mm512_mask_add_epi64(x, mask, x, y); }
RESIDUA_LANES inline lane subtract_where(lane_mask mask, lane x, lane y)
{
    return _mm512_mask_sub_epi64(x, mask, x, y);
}
RESIDUA_LANES inline lane or_where(lane_mask mask, lane x, lane y) { return _mm512_mask_or_epi64(x, mask, x, y); }
RESIDUA_LANES inline lane negated_where(lane_mask mask, lane x) { return _mm512_mask_sub_epi64(x, mask, zeros(), x); }

/// Shifts: beyond 63 bits nothing is left. shifted_right() is for x without a sign, floor_shifted() for one with.
RESIDUA_LANES inline lane shifted_left(lane x, int n) { return _mm512_slli_epi64(x, static_cast<unsigned>(n)); }
RESIDUA_LANES inline lane shifted_left(lane x, lane n) { return _mm512_sllv_epi64(x, n); }
RESIDUA_LANES inline lane shifted_right(lane x, int n) { return _mm512_srli_epi64(x, static_cast<unsigned>(n)); }
RESIDUA_LANES inline lane shifted_right(lane x, lane n) { return _mm512_srlv_epi64(x, n); }
RESIDUA_LANES inline lane floor_shifted(lane x, int n) { return _mm512_srai_epi64(x, static_cast<unsigned>(n)); }

/// (x | y) & z
RESIDUA_LANES inline lane or_then_and(lane x, lane y, lane z) { return _mm512_ternarylogic_epi64(x, y, z, 0xa8); }
/// x & ~y
RESIDUA_LANES inline lane without(lane x, lane y) { return _mm512_andnot_si512(y, x); }

RESIDUA_LANES inline lane lesser(lane x, lane y) { return _mm512_min_epi64(x, y); }
RESIDUA_LANES inline lane larger(lane x, lane y) { return _mm512_max_epi64(x, y); }
RESIDUA_LANES inline lane magnitude(lane x) { return _mm512_abs_epi64(x); }
/// The leading zeros of x < 2^53; 64 for zero.
RESIDUA_LANES inline lane leading_zeros(lane x) { return _mm512_lzcnt_epi64(x); }
RESIDUA_LANES inline lane product(lane x, lane y) { return _mm512_mullo_epi64(x, y); }
/// The product of x and y in 0, ..., 2^32 - 1.
RESIDUA_LANES inline lane short_product(lane x, lane y) { return _mm512_mul_epu32(x, y); }

RESIDUA_LANES inline std::int64_t first_of(lane x) { return _mm_cvtsi128_si64(_mm512_castsi512_si128(x)); }
RESIDUA_LANES inline std::int64_t sum_of_lanes(lane x) { return _mm512_reduce_add_epi64(x); }
RESIDUA_LANES inline std::int64_t largest_of_lanes(lane x) { return _mm512_reduce_max_epi64(x); }

/// Digits below 2^52 as factors, for the next two.
RESIDUA_LANES inline lane to_factor(lane digits) { return digits; }
/// sum + low_offset + the lower 52 bits of x y, and sum + high_offset + its upper 52.
RESIDUA_LANES inline lane add_low(lane sum, lane x, lane y) { return _mm512_madd52lo_epu64(sum, x, y); }
RESIDUA_LANES inline lane add_high(lane sum, lane x, lane y) { return _mm512_madd52hi_epu64(sum, x, y); }
inline constexpr std::uint64_t low_offset = 0;
inline constexpr std::uint64_t high_offset = 0;

/// Loads lanes that lie side by side, aligned.
RESIDUA_LANES inline lane load_lanes(const std::int64_t* from) { return _mm512_load_si512(from); }
/// Loads words that lie side by side, each into a lane of its own.
RESIDUA_LANES inline lane load_words(const std::uint32_t* from)
{
    return _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
}
/// A mask of words that lie side by side: words_of() sets it for the words of these lanes.
using word_mask = __mmask8;
RESIDUA_LANES inline word_mask words_of(lane_mask in) { return in; }
/// Loads the words of these lanes. The other words are not read, and their lanes are zero.
RESIDUA_LANES inline lane load_words(const std::uint32_t* from, word_mask in)
{
    return _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(in, from));
}
RESIDUA_LANES inline void store_words(std::uint32_t* to, lane_mask in, lane x)
{
    _mm256_mask_storeu_epi32(to, in, _mm512_cvtepi64_epi32(x));
}
/// Stores the upper and the lower halves of these lanes.
RESIDUA_LANES inline void store_halves(std::uint32_t* upper, std::uint32_t* lower, lane_mask in, lane x)
{
    store_words(upper, in, shifted_right(x, 32));
    store_words(lower, in, x);
}
/// Reads the words that lie `bytes` bytes behind the addresses, one in each lane.
struct word_places {
    lane address;

    RESIDUA_LANES explicit word_places(lane at) : address(at) {}
    RESIDUA_LANES lane operator()(std::ptrdiff_t bytes) const
    {
        return _mm512_cvtepu32_epi64(_mm512_i64gather_epi32(address + all(bytes), nullptr, 1));
    }
};
/// base[i] in these lanes, zeros elsewhere; for doubles, their bits.
RESIDUA_LANES inline lane gather(const std::int32_t* base, lane i, lane_mask in)
{
    return _mm512_cvtepi32_epi64(
        _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), in, i, base, sizeof(std::int32_t)));
}
RESIDUA_LANES inline lane gather(const double* base, lane i, lane_mask in)
{
    return _mm512_mask_i64gather_epi64(zeros(), in, i, base, sizeof(double));
}

}  // namespace RESIDUA_LANES_NAMESPACE

#endif
