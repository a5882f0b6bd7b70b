#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include <residua/arith/base/host_device.hpp>

namespace residua {

// The fields of binary64: 1 sign bit, 11 exponent bits (bias 1023), 52 fraction bits.
inline constexpr int fraction_bits = 52;
inline constexpr int exponent_bias = 1023;
inline constexpr int min_exponent = -1022;  // of a normal number
inline constexpr int max_exponent = 1023;
inline constexpr int min_ulp_exponent = -1074;  // of every ulp
inline constexpr int exponent_of_zero = std::numeric_limits<int>::min();
inline constexpr std::uint64_t sign_mask = 0x8000000000000000u;
inline constexpr std::uint64_t exponent_mask = 0x7ff0000000000000u;
inline constexpr std::uint64_t fraction_mask = 0x000fffffffffffffu;

RESIDUA_HD constexpr std::uint64_t to_bits(double x) { return __builtin_bit_cast(std::uint64_t, x); }
RESIDUA_HD constexpr double from_bits(std::uint64_t b) { return __builtin_bit_cast(double, b); }

/// 2^k, exactly, for k in -1074..1023; 0 for a smaller k, infinity for a larger one.
RESIDUA_HD constexpr double pow2(int k)
{
    const int normal = k < min_exponent ? 1 : k > max_exponent ? 2 * exponent_bias + 1 : k + exponent_bias;
    const int shift = k < min_ulp_exponent ? 0 : k < min_exponent ? k - min_ulp_exponent : 0;
    const std::uint64_t subnormal = k < min_ulp_exponent ? 0u : std::uint64_t{1} << shift;
    return from_bits(k < min_exponent ? subnormal : static_cast<std::uint64_t>(normal) << fraction_bits);
}

/// floor(log2 |x|): the e with 2^e <= |x| < 2^(e+1), exact for subnormals too.
///
/// exponent_of_zero, the least int, for zero; 1024 for infinities and NaN.
RESIDUA_HD constexpr int floor_log2(double x)
{
    const bool tiny = (to_bits(x) & exponent_mask) == 0;
    const std::uint64_t b = to_bits(tiny ? x * 0x1p54 : x) & ~sign_mask;
    const int e = static_cast<int>(b >> fraction_bits) - exponent_bias - (tiny ? 54 : 0);
    return b == 0 ? exponent_of_zero : e;
}

/// Unit in the first place: 2^floor_log2(x), the greatest power of two <= |x|; 0 for 0.
///
/// Infinity for infinities and NaN.
RESIDUA_HD constexpr double ufp(double x)
{
    const bool tiny = (to_bits(x) & exponent_mask) == 0;
    const double leading = from_bits(to_bits(tiny ? x * 0x1p54 : x) & exponent_mask);
    return tiny ? leading * 0x1p-54 : leading;
}

/// Unit in the last place: 2^(floor_log2(x) - 52), never below 2^-1074, which is ulp(0).
///
/// Infinity for infinities and NaN.
/// from  Goldberg; [MBdD+18]
RESIDUA_HD constexpr double ulp(double x)
{
    const double leading = from_bits(to_bits(x) & exponent_mask);
    const double spacing = leading * 0x1p-52;
    return spacing < 0x1p-1074 ? 0x1p-1074 : spacing;
}

/// The smallest power of two >= |x|; 0 for 0, infinity above 2^1023.
RESIDUA_HD constexpr double ceil_pow2(double x)
{
    const double down = ufp(x);
    const double magnitude = from_bits(to_bits(x) & ~sign_mask);
    return down == magnitude ? down : down * 2.0;
}

/// RN(x 2^k) for every x and k: one rounding, in the subnormal range only; no library call.
///
/// A first factor that makes x subnormal is followed by one below 2^-53, which takes the value
/// to zero whatever the first rounding did; so no result is rounded twice.
RESIDUA_HD constexpr double scale_pow2(double x, int k)
{
    constexpr int down = min_exponent + 53;  // -969
    const int k1 = k < min_exponent ? down : k > max_exponent ? max_exponent : 0;
    const int rest = k < -3 * max_exponent ? -3 * max_exponent : k > 3 * max_exponent ? 3 * max_exponent : k;
    const int after1 = rest - k1;
    const int k2 = after1 < min_exponent ? down : after1 > max_exponent ? max_exponent : 0;
    const int after2 = after1 - k2;
    const int k3 = after2 < min_exponent ? min_exponent : after2 > max_exponent ? max_exponent : after2;
    return ((x * pow2(k1)) * pow2(k2)) * pow2(k3);
}

namespace detail {

/// Zeros above the highest bit of x; all of them for 0.
RESIDUA_HD int leading_zeros(std::uint32_t x)
{
#if defined(__CUDA_ARCH__)
    return __clz(static_cast<int>(x));
#else
    return std::countl_zero(x);
#endif
}
RESIDUA_HD int leading_zeros(std::uint64_t x)
{
#if defined(__CUDA_ARCH__)
    return __clzll(static_cast<long long>(x));
#else
    return std::countl_zero(x);
#endif
}

}  // namespace detail

/// 2^exponent top / 2^64 rounded to nearest even, subnormal numbers too. The highest bit of top is set; `sticky`
/// says whether something nonzero follows its last bit.
RESIDUA_HD double rounded_to_binary64(std::uint64_t top, bool sticky, std::int64_t exponent)
{
    constexpr int full = 63 - fraction_bits;  // bits of top that a normal number leaves out
    if (exponent > max_exponent + 1) {
        return from_bits(exponent_mask);
    }
    if (exponent < min_ulp_exponent) {  // less than half of the least number
        return 0.0;
    }
    const int e = static_cast<int>(exponent);
    const int drop = e > min_exponent ? full : full + min_exponent + 1 - e;  // 12 to 64 for subnormal numbers
    std::uint64_t whole = drop < 64 ? top >> drop : 0;
    const std::uint64_t half = std::uint64_t{1} << (drop - 1);
    const bool up = (top & half) != 0 && (sticky || (top & (half - 1)) != 0 || (whole & 1) != 0);
    whole += up ? 1 : 0;
    return scale_pow2(static_cast<double>(whole), e - 64 + drop);
}

}  // namespace residua
