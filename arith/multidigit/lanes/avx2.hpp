#pragma once

#if defined(__x86_64__)

#include <bit>
#include <cstddef>
#include <cstdint>

#include <residua/arith/multidigit/lanes/intrinsics.hpp>

#define RESIDUA_LANES_TARGET target("avx2,fma")
#define RESIDUA_LANES_NAMESPACE residua::detail::lanes_avx2

#define RESIDUA_LANES __attribute__((always_inline, RESIDUA_LANES_TARGET))
#define RESIDUA_LANES_CALL __attribute__((noinline, RESIDUA_LANES_TARGET))

/// Four lanes of 64 bits, and products of 52-bit digits by fused multiply-adds of binary64, which have to round towards
/// zero: callers set that mode. The functions are those of avx512.hpp, which says what they compute.
namespace RESIDUA_LANES_NAMESPACE {

using lane __attribute__((aligned(32))) = __m256i;

inline constexpr int count = 4;
inline constexpr bool has_many_registers = false;  ///< 16 of them

/// All bits of a lane, or none.
struct lane_mask {
    lane m;

    friend RESIDUA_LANES inline lane_mask operator&(lane_mask a, lane_mask b) { return {a.m & b.m}; }
    friend RESIDUA_LANES inline lane_mask operator|(lane_mask a, lane_mask b) { return {a.m | b.m}; }
    friend RESIDUA_LANES inline lane_mask operator^(lane_mask a, lane_mask b) { return {a.m ^ b.m}; }
    friend RESIDUA_LANES inline lane_mask operator~(lane_mask a) { return {~a.m}; }
    RESIDUA_LANES lane_mask& operator&=(lane_mask b) { return *this = *this & b; }
    RESIDUA_LANES lane_mask& operator^=(lane_mask b) { return *this = *this ^ b; }
    RESIDUA_LANES lane_mask& operator|=(lane_mask b) { return *this = *this | b; }
};

RESIDUA_LANES inline lane all(std::int64_t x) { return _mm256_set1_epi64x(x); }
RESIDUA_LANES inline lane zeros() { return _mm256_setzero_si256(); }
RESIDUA_LANES inline lane ascending() { return _mm256_set_epi64x(3, 2, 1, 0); }

RESIDUA_LANES inline lane_mask is_zero(lane x) { return {_mm256_cmpeq_epi64(x, zeros())}; }
RESIDUA_LANES inline lane_mask has_any(lane x, lane of) { return ~is_zero(x & of); }
RESIDUA_LANES inline lane_mask is_negative(lane x) { return {_mm256_cmpgt_epi64(zeros(), x)}; }
RESIDUA_LANES inline lane_mask equal(lane x, lane y) { return {_mm256_cmpeq_epi64(x, y)}; }
RESIDUA_LANES inline lane_mask greater(lane x, lane y) { return {_mm256_cmpgt_epi64(x, y)}; }
RESIDUA_LANES inline lane_mask is_at_most(lane x, lane most)
{
    const lane sign = all(INT64_MIN);
    return ~greater(x ^ sign, most ^ sign);
}

RESIDUA_LANES inline lane_mask all_lanes() { return {all(-1)}; }
RESIDUA_LANES inline lane_mask no_lanes() { return {zeros()}; }
RESIDUA_LANES inline lane_mask first_lanes(std::int64_t n) { return greater(all(n), ascending()); }
RESIDUA_LANES inline bool any(lane_mask m) { return _mm256_testz_si256(m.m, m.m) == 0; }
RESIDUA_LANES inline unsigned bits(lane_mask m)
{
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(m.m)));
}
RESIDUA_LANES inline lane_mask of_lane(const lane_mask& m, std::int64_t i)
{
    return {all(reinterpret_cast<const std::int64_t*>(&m.m)[i])};
}

RESIDUA_LANES inline lane only(lane_mask mask, lane x) { return mask.m & x; }
RESIDUA_LANES inline lane choose(lane_mask mask, lane yes, lane no) { return _mm256_blendv_epi8(no, yes, mask.m); }
RESIDUA_LANES inline lane add_where(lane_mask mask, lane x, lane y) { return _mm256_add_epi64(x, only(mask, y)); }
RESIDUA_LANES inline lane subtract_where(lane_mask mask, lane x, lane y) { return _mm256_sub_epi64(x, only(mask, y)); }
RESIDUA_LANES inline lane or_where(lane_mask mask, lane x, lane y) { return x | only(mask, y); }
RESIDUA_LANES inline lane negated_where(lane_mask mask, lane x) { return _mm256_sub_epi64(x ^ mask.m, mask.m); }

RESIDUA_LANES inline lane shifted_left(lane x, int n) { return _mm256_slli_epi64(x, n); }
RESIDUA_LANES inline lane shifted_left(lane x, lane n) { return _mm256_sllv_epi64(x, n); }
RESIDUA_LANES inline lane shifted_right(lane x, int n) { return _mm256_srli_epi64(x, n); }
RESIDUA_LANES inline lane shifted_right(lane x, lane n) { return _mm256_srlv_epi64(x, n); }
RESIDUA_LANES inline lane floor_shifted(lane x, int n)
{
    const lane sign = all(std::int64_t{1} << (63 - n));
    return _mm256_sub_epi64(_mm256_srli_epi64(x, n) ^ sign, sign);
}

RESIDUA_LANES inline lane or_then_and(lane x, lane y, lane z) { return (x | y) & z; }
RESIDUA_LANES inline lane without(lane x, lane y) { return _mm256_andnot_si256(y, x); }

RESIDUA_LANES inline lane lesser(lane x, lane y) { return choose(greater(x, y), y, x); }
RESIDUA_LANES inline lane larger(lane x, lane y) { return choose(greater(x, y), x, y); }
RESIDUA_LANES inline lane magnitude(lane x) { return negated_where(is_negative(x), x); }

/// The bits of a binary64 number.
RESIDUA_LANES inline __m256d to_reals(lane x) { return _mm256_castsi256_pd(x); }
RESIDUA_LANES inline lane to_lane(__m256d x) { return _mm256_castpd_si256(x); }

RESIDUA_LANES inline lane leading_zeros(lane x)
{
    const __m256d low = to_reals(_mm256_blend_epi32(x, to_lane(_mm256_set1_pd(0x1p52)), 0xaa));
    const __m256d high = to_reals(shifted_right(x, 32) | to_lane(_mm256_set1_pd(0x1p84)));
    const __m256d exact = _mm256_add_pd(_mm256_sub_pd(high, _mm256_set1_pd(0x1p84 + 0x1p52)), low);
    const lane zeros_of_64 = _mm256_sub_epi64(all(1023 + 63), shifted_right(to_lane(exact), 52));
    return _mm256_min_epi32(zeros_of_64, all(64));
}

RESIDUA_LANES inline lane short_product(lane x, lane y) { return _mm256_mul_epu32(x, y); }
RESIDUA_LANES inline lane product(lane x, lane y)
{
    const lane mixed = _mm256_add_epi64(short_product(shifted_right(x, 32), y), short_product(x, shifted_right(y, 32)));
    return _mm256_add_epi64(short_product(x, y), shifted_left(mixed, 32));
}

RESIDUA_LANES inline std::int64_t first_of(lane x) { return x[0]; }
RESIDUA_LANES inline std::int64_t sum_of_lanes(lane x) { return x[0] + x[1] + x[2] + x[3]; }
RESIDUA_LANES inline std::int64_t largest_of_lanes(lane x)
{
    const lane pairs = larger(x, _mm256_permute4x64_epi64(x, 0b01001110));
    return pairs[0] > pairs[1] ? pairs[0] : pairs[1];
}

/// A digit d as the binary64 number d.
RESIDUA_LANES inline lane to_factor(lane digits)
{
    const __m256d unit = _mm256_set1_pd(0x1p52);  // the last bit of which is 1
    return to_lane(_mm256_sub_pd(to_reals(digits | to_lane(unit)), unit));
}

/// 2^104 + 2^52 h, whose last bits are h: the upper 52 of x y < 2^104, as what is below is cut off.
RESIDUA_LANES inline __m256d upper_half(lane x, lane y)
{
    return _mm256_fmadd_pd(to_reals(x), to_reals(y), _mm256_set1_pd(0x1p104));
}
RESIDUA_LANES inline lane add_high(lane sum, lane x, lane y)
{
    return _mm256_add_epi64(sum, to_lane(upper_half(x, y)));
}
/// 2^52 + l, exactly, whose last bits are l = x y - 2^52 h.
RESIDUA_LANES inline lane add_low(lane sum, lane x, lane y)
{
    const __m256d rest = _mm256_sub_pd(_mm256_set1_pd(0x1p104 + 0x1p52), upper_half(x, y));
    return _mm256_add_epi64(sum, to_lane(_mm256_fmadd_pd(to_reals(x), to_reals(y), rest)));
}
inline constexpr auto low_offset = std::bit_cast<std::uint64_t>(0x1p52);
inline constexpr auto high_offset = std::bit_cast<std::uint64_t>(0x1p104);

RESIDUA_LANES inline lane load_lanes(const std::int64_t* from)
{
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
}
RESIDUA_LANES inline lane load_words(const std::uint32_t* from)
{
    return _mm256_cvtepu32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
/// The lower halves of lanes side by side, then the upper ones.
RESIDUA_LANES inline lane halves_apart(lane x)
{
    return _mm256_permutevar8x32_epi32(x, _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0));
}
RESIDUA_LANES inline __m128i to_words(lane x) { return _mm256_castsi256_si128(halves_apart(x)); }
using word_mask = __m128i;
RESIDUA_LANES inline word_mask words_of(lane_mask in) { return to_words(in.m); }
RESIDUA_LANES inline lane load_words(const std::uint32_t* from, word_mask in)
{
    return _mm256_cvtepu32_epi64(_mm_maskload_epi32(reinterpret_cast<const int*>(from), in));
}
RESIDUA_LANES inline void store_words(std::uint32_t* to, lane_mask in, __m128i words)
{
    if (bits(in) == 0xf) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), words);
    } else {
        _mm_maskstore_epi32(reinterpret_cast<int*>(to), to_words(in.m), words);
    }
}
RESIDUA_LANES inline void store_words(std::uint32_t* to, lane_mask in, lane x) { store_words(to, in, to_words(x)); }
RESIDUA_LANES inline void store_halves(std::uint32_t* upper, std::uint32_t* lower, lane_mask in, lane x)
{
    const lane halves = halves_apart(x);
    store_words(upper, in, _mm256_extracti128_si256(halves, 1));
    store_words(lower, in, _mm256_castsi256_si128(halves));
}

struct word_places {
    const char* place[count];

    RESIDUA_LANES explicit word_places(lane at)
    {
        for (int i = 0; i < count; ++i) {
            place[i] = reinterpret_cast<const char*>(at[i]);
        }
    }
    RESIDUA_LANES lane operator()(std::ptrdiff_t bytes) const
    {
        const auto word = [&](int i) RESIDUA_LANES { return *reinterpret_cast<const int*>(place[i] + bytes); };
        return _mm256_cvtepu32_epi64(_mm_set_epi32(word(3), word(2), word(1), word(0)));
    }
};
RESIDUA_LANES inline lane gather(const std::int32_t* base, lane i, lane_mask in)
{
    return _mm256_cvtepi32_epi64(
        _mm256_mask_i64gather_epi32(_mm_setzero_si128(), base, i, to_words(in.m), sizeof(std::int32_t)));
}
RESIDUA_LANES inline lane gather(const double* base, lane i, lane_mask in)
{
    return to_lane(_mm256_mask_i64gather_pd(_mm256_setzero_pd(), base, i, to_reals(in.m), sizeof(double)));
}

}  // namespace RESIDUA_LANES_NAMESPACE

#endif
