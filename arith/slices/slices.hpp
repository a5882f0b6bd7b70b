#pragma once

#include <cmath>
#include <cstdint>

#include <residua/arith/base/bits.hpp>

/// Slices of binary64 numbers: x with |x| <= 2^e is the sum of whole digits |d_s| <= 2^(b-1), s = 0, 1, ..., times
/// 2^(e + 1 - b (s + 1)). Digit s of all numbers of a row, column or matrix is a slice of it, and products of slices
/// are sums of products of integers, exact in any arithmetic that holds these.
///
/// from  [OOOR12], with integers instead of sums with a large one, as [OOY24] has them
namespace residua {

/// The most bits of a digit such that `terms` products of two digits, one after the other, stay below 2^exact_bits; at
/// least 1.
constexpr int slice_bits(int exact_bits, std::int64_t terms)
{
    int needed = 0;  // for the number of terms
    while (needed < 62 && (std::int64_t{1} << needed) < terms) {
        ++needed;
    }
    return 1 + (exact_bits > needed ? (exact_bits - needed) / 2 : 0);
}

/// How many digits of b bits a number needs whose last bit is worth 2^last.
constexpr int slices_needed(int e, int last, int b) { return e - last <= b - 1 ? 1 : (e - last) / b + 1; }

namespace detail {

/// Zeros below the lowest bit of x, not zero.
RESIDUA_HD int trailing_zeros(std::uint64_t x)
{
#if defined(__CUDA_ARCH__)
    return __ffsll(static_cast<long long>(x)) - 1;
#else
    return __builtin_ctzll(x);
#endif
}

/// |x| = whole 2^exponent for a finite x.
struct integer_and_exponent {
    std::uint64_t whole;
    int exponent;
};

RESIDUA_HD integer_and_exponent integer_of(double x)
{
    const std::uint64_t bits = to_bits(x);
    const int field = static_cast<int>((bits & exponent_mask) >> fraction_bits);
    return {(bits & fraction_mask) | (field > 0 ? fraction_mask + 1 : 0),
            (field > 0 ? field : 1) - exponent_bias - fraction_bits};
}

}  // namespace detail

/// The exponent of the last bit of x, finite and not zero.
RESIDUA_HD int last_bit_exponent(double x)
{
    const auto [whole, exponent] = detail::integer_of(x);
    return exponent + detail::trailing_zeros(whole);
}

namespace detail {

/// x 2^k by one product where 2^k is a normal number: nothing is lost then if x 2^k is one too.
RESIDUA_HD double times_pow2(double x, int k)
{
    return k >= min_exponent && k <= max_exponent ? x * pow2(k) : scale_pow2(x, k);
}

}  // namespace detail

/// Digit s of x, an integer.
RESIDUA_HD double slice_digit(double x, int e, int b, int s)
{
    const int unit = e + 1 - b * (s + 1);
    const int top = floor_log2(x);
    if (top < unit - 1 || top > unit + b + fraction_bits) {  // also for zero: less than half, or a multiple of the next
        return 0.0;
    }
    const double scaled = detail::times_pow2(x, -unit);
    const double whole = ::rint(scaled);
    return s == 0 ? whole : whole - ::rint(scaled * pow2(-b)) * pow2(b);
}

/// What the digits before s leave of x, over 2^(e + 1 - b), to within 2^-1074: x itself for s = 0.
RESIDUA_HD double slice_rest(double x, int e, int b, int s)
{
    if (s == 0) {
        return detail::times_pow2(x, b - 1 - e);
    }
    const int unit = e + 1 - b * s;  // of digit s - 1
    if (floor_log2(x) > unit + fraction_bits) {
        return 0.0;
    }
    const double scaled = detail::times_pow2(x, -unit);
    return scale_pow2(scaled - ::rint(scaled), -b * (s - 1));
}

/// The words of |x| for an integer x of `words` words in two's complement, `stride` apart.
struct long_magnitude {
    const std::uint64_t* word;
    std::int64_t stride;
    bool negative;  ///< x
    int first;      ///< word that is not zero, or `words`
    int last;       ///< word that is not zero; the one before `first` if there is none

    RESIDUA_HD long_magnitude(const std::uint64_t* of, std::int64_t apart, int words)
        : word{of}, stride{apart}, negative{of[(words - 1) * apart] >> 63 != 0}, first{0}, last{words - 1}
    {
        while (first < words && word[first * stride] == 0) {
            ++first;
        }
        while (last >= first && (*this)[last] == 0) {
            --last;
        }
    }

    RESIDUA_HD bool is_zero() const { return last < first; }

    /// The bits of |x|, which is not zero: 2^(bits - 1) <= |x| < 2^bits.
    RESIDUA_HD std::int64_t bits() const
    {
        return 64 * (last + std::int64_t{1}) - detail::leading_zeros((*this)[last]);
    }
    RESIDUA_HD bool is_power_of_two() const { return first == last && ((*this)[last] & ((*this)[last] - 1)) == 0; }

    RESIDUA_HD std::uint64_t operator[](int k) const
    {
        const std::uint64_t w = word[k * stride];
        return !negative ? w : k > first ? ~w : k == first ? ~w + 1 : 0;
    }
};

/// Integers of `words` words of 64 bits in two's complement, `stride` apart, the least first.
struct long_integer {
    std::uint64_t* word;
    std::int64_t stride;
    int words;

    /// += x 2^shift, 0 <= shift; nothing is lost if the sum and x 2^shift fit.
    RESIDUA_HD void add(std::int64_t x, int shift) const
    {
        const int rest = shift % 64;
        const std::uint64_t low = static_cast<std::uint64_t>(x) << rest;
        const std::uint64_t sign = x < 0 ? ~std::uint64_t{0} : 0;
        const std::uint64_t high = rest == 0 ? sign : static_cast<std::uint64_t>(x >> (64 - rest));
        std::uint64_t carry = 0;
        for (int k = shift / 64; k < words; ++k) {
            const std::uint64_t part = k == shift / 64 ? low : k == shift / 64 + 1 ? high : sign;
            if (k > shift / 64 + 1 && part + carry == 0) {
                return;  // neither word nor carry changes any more
            }
            std::uint64_t& w = word[k * stride];
            const std::uint64_t with_carry = part + carry;
            const std::uint64_t sum = w + with_carry;
            carry = (with_carry < part ? 1 : 0) | (sum < w ? 1 : 0);
            w = sum;
        }
    }

    /// += x 2^shift, cut to an integer, towards zero; x is finite.
    RESIDUA_HD void add_cut(double x, std::int64_t shift) const
    {
        const auto [whole, exponent] = detail::integer_of(x);
        const std::int64_t at = exponent + shift;
        const auto cut = static_cast<std::int64_t>(at >= 0 ? whole : at > -64 ? whole >> -at : 0);
        if (cut != 0) {
            add(x < 0.0 ? -cut : cut, at >= 0 ? static_cast<int>(at) : 0);
        }
    }

    RESIDUA_HD long_magnitude absolute() const { return {word, stride, words}; }

    /// The number times 2^scale, rounded to nearest even.
    RESIDUA_HD double rounded(std::int64_t scale) const
    {
        const long_magnitude magnitude = absolute();
        if (magnitude.is_zero()) {
            return 0.0;
        }
        const int last = magnitude.last;
        const std::uint64_t high = magnitude[last];
        const std::uint64_t low = last > 0 ? magnitude[last - 1] : 0;
        const int up = detail::leading_zeros(high);
        const std::uint64_t top = up == 0 ? high : high << up | low >> (64 - up);
        const bool sticky = magnitude.first < last - 1 || (up == 0 ? low : low << up) != 0;
        const double r = rounded_to_binary64(top, sticky, scale + 64 * (last + 1) - up);
        return magnitude.negative ? -r : r;
    }
};

}  // namespace residua
