#pragma once

#if defined(__x86_64__)

#include <cstdint>
#include <utility>

#include <residua/arith/multidigit/type.hpp>

// The files of lanes are compiled for two instruction sets, each in a namespace of its own.
#if defined(RESIDUA_LANES_AVX2)
#include <residua/arith/multidigit/lanes/avx2.hpp>
#else
#include <residua/arith/multidigit/lanes/avx512.hpp>
#endif

/// Several multi-digit floats at once: digit k of each in the lanes of one register. Digits have 52 bits, the most that
/// vector units multiply, in lanes of 64.
///
/// Results have the bits of the operations on one number (arith/multidigit): these are defined by values, not digits.
namespace RESIDUA_LANES_NAMESPACE {

inline constexpr int digit_bits = 52;
inline constexpr std::int64_t digit_mask = (std::int64_t{1} << digit_bits) - 1;

/// The digits of a number of p bits that is a term or a factor of a sum. The 42 or more bits behind the p bits hold the
/// part of a sum below p bits, and its headroom.
constexpr int digits_for(int p) { return (p + 42 + digit_bits - 1) / digit_bits; }

/// The digits of a number that is rounded at once. With 20 more bits, all but one of 2^10 roundings are decided.
constexpr int least_digits = 3;
constexpr int digits_to_round(int p)
{
    const int digits = (p + 20 + digit_bits - 1) / digit_bits;
    return digits > least_digits ? digits : least_digits;
}
static_assert(digits_for(multidigit_least_bits) == least_digits);

/// Numbers of up to this many digits have loops without branches, with the digits in registers. Longer ones share the
/// text for M = 0, which takes any number of digits. Where sums of four by four digits fit registers, factors are
/// filled up with zeros to a multiple of four digits.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr int most_unrolled = 3;  // a sanitizer makes straight-line code take minutes to compile
#else
inline constexpr int most_unrolled = 9;
#endif
inline constexpr int block = 4;
constexpr int factor_digits_for(int digits) { return has_many_registers ? (digits + block) / block * block : digits; }
inline constexpr int most_digits = factor_digits_for(digits_for(multidigit_most_bits));

/// The number of digits of numbers: M, or `m` if M = 0.
template <int M>
struct size_of_numbers {
    int m = M;
    RESIDUA_LANES constexpr operator int() const { return M > 0 ? M : m; }
    RESIDUA_LANES constexpr size_of_numbers factors() const { return {M > 0 ? M : factor_digits_for(m)}; }
    /// The number of digits of a product behind its first m that are computed at first, 1 to 4.
    RESIDUA_LANES constexpr int behind() const { return M > 0 || !has_many_registers ? 1 : factor_digits_for(m) - m; }
};

/// The number of digits that an array has room for.
template <int M>
inline constexpr int capacity = M > 0 ? M : most_digits;

/// f(k) for begin <= k < end; end <= Most if that is not 0, and then without a loop.
template <int Most, class F>
RESIDUA_LANES inline void each(int begin, int end, const F& f)
{
    if constexpr (Most > 0) {
        [&]<int... K>(std::integer_sequence<int, K...>)
            RESIDUA_LANES { ((K >= begin && K < end ? f(K) : void()), ...); }(std::make_integer_sequence<int, Most>{});
    } else {
#pragma GCC unroll 4
        for (int k = begin; k < end; ++k) {
            f(k);
        }
    }
}

/// Numbers without their digits.
struct heads {
    lane exponent;
    lane_mask negative;
    lane_mask regular;     ///< neither zero nor infinite nor NaN
    lane_mask not_finite;  ///< infinite or NaN
    lane_mask nan;
};

/// Numbers of M digits, the highest bit of which is bit 50: 0.0d... 2^(exponent + 1), so that a sum of two does not
/// overflow. The digits of numbers that are not regular are zero.
template <int M>
struct numbers : heads {
    lane d[capacity<M>];
};

/// x for products only
template <int M>
RESIDUA_LANES inline void make_factor(size_of_numbers<M> m, numbers<M>& x)
{
    each<M>(0, m, [&](int k) RESIDUA_LANES { x.d[k] = to_factor(x.d[k]); });
}

/// Brings every digit below 2^52 again except the last one, which is signed and takes the carry.
///
/// Each digit passes on its excess without waiting for the carry from below. Seldom that makes a digit too large, or
/// negative: then a second pass carries from digit to digit.
template <int Most>
RESIDUA_LANES inline void carry(lane* d, int digits)
{
    lane from_below = zeros();
    lane seen = zeros();
    each<Most>(0, digits - 1, [&](int k) RESIDUA_LANES {
        const lane up = floor_shifted(d[k], digit_bits);
        d[k] = (d[k] & all(digit_mask)) + from_below;
        seen = seen | d[k];
        from_below = up;
    });
    d[digits - 1] = d[digits - 1] + from_below;
    if (any(has_any(seen, all(~digit_mask)))) {
        each<Most>(0, digits - 1, [&](int k) RESIDUA_LANES {
            const lane up = floor_shifted(d[k], digit_bits);
            d[k] = d[k] & all(digit_mask);
            d[k + 1] = d[k + 1] + up;
        });
    }
}

/// floor(x / 52) for 0 <= x < 2^13
RESIDUA_LANES inline lane integer_digits(lane x) { return shifted_right(short_product(x, all(20165)), 20); }

constexpr bool integer_digits_is_right()
{
    for (std::int64_t x = 0; x < 1 << 13; x += digit_bits) {
        if (x * 20165 >> 20 != x / digit_bits || (x + digit_bits - 1) * 20165 >> 20 != x / digit_bits) {
            return false;
        }
    }
    return true;
}
static_assert(integer_digits_is_right());

/// d <- floor(d / 2^(52 q)), q <= digits, each lane with its own q; `fill` comes in at the top. Returns whether a lost
/// bit was not zero.
RESIDUA_LANES_CALL inline lane_mask move_down(lane* d, int digits, lane q, lane fill)
{
    lane lost = zeros();
    for (int step = 1; step <= digits; step *= 2) {
        const lane_mask moves = has_any(q, all(step));
        if (!any(moves)) {
            continue;
        }
        for (int k = 0; k < digits; ++k) {
            if (k < step) {
                lost = lost | only(moves, d[k]);
            }
            d[k] = choose(moves, k + step < digits ? d[k + step] : fill, d[k]);
        }
    }
    return has_any(lost, lost);
}

/// d <- d 2^(52 q) with the highest digit other than zero; q, which is `digits` for zero.
RESIDUA_LANES_CALL inline lane move_up(lane* d, int digits)
{
    lane q = zeros();
    lane_mask zero = all_lanes();
    for (int k = digits - 1; k >= 0 && any(zero); --k) {
        zero &= is_zero(d[k]);
        q = add_where(zero, q, all(1));
    }
    for (int step = 1; step <= digits; step *= 2) {
        const lane_mask moves = has_any(q, all(step));
        if (!any(moves)) {
            continue;
        }
        for (int k = digits - 1; k >= 0; --k) {
            d[k] = choose(moves, k >= step ? d[k - step] : zeros(), d[k]);
        }
    }
    return q;
}

/// The 52 bits of high 2^52 + low from bit r on.
RESIDUA_LANES inline lane shifted_down(lane high, lane low, lane r)
{
    return or_then_and(shifted_right(low, r), shifted_left(high, all(digit_bits) - r), all(digit_mask));
}

}  // namespace RESIDUA_LANES_NAMESPACE

#endif
