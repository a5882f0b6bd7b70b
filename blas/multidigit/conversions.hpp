#pragma once

#include <cstdint>

#include <residua/blas/multidigit/elements.hpp>

/// Conversions of one number, in memory.
namespace residua::blas::detail {

/// The factor of element i is 2^of(i).
struct multidigit_power {
    const int* of_element = nullptr;  ///< null: 0
    std::int64_t of_all = 0;

    RESIDUA_HD std::int64_t of(index_t i) const { return of_element == nullptr ? of_all : of_all + of_element[i]; }
};

/// y_i <- 2^e_i x_i rounded to nearest even with p bits. One text serves any two precisions.
struct multidigit_resize {
    int p = 0;  ///< bits of y
    multidigit_power by;
    multidigit_operand x;
    multidigit_result y;

    RESIDUA_HD void operator()(index_t i) const
    {
        using residua::detail::highest_bit;
        constexpr int apart = residua::detail::words_apart;
        const std::uint32_t* const from = x.start.number(i * x.stride);
        std::uint32_t* const to = y.start.number(i * y.stride);
        const int digits = y.start.digits;
        const int top = x.start.digits - 1;
        const int first = top + 1 - digits;  // the digit of x that becomes digit 0 of y
        const auto code = static_cast<std::int32_t>(from[(top + 1) * apart] ^ highest_bit);
        const bool regular = residua::detail::is_regular(code);
        const std::uint32_t sign = from[top * apart] & highest_bit;
        const auto digit = [&](int k) {
            const std::uint32_t word = k < 0 ? 0 : from[k * apart];
            return k == top ? (word & ~highest_bit) | (regular ? highest_bit : 0) : word;
        };

        const int spare = 32 * digits - p;                // the lowest bits of digit 0 of y, which are zero
        const int split = spare > 0 ? first : first - 1;  // the digit of x with the first dropped bit
        const int place = spare > 0 ? spare - 1 : 31;     // and its place
        const std::uint32_t half = std::uint32_t{1} << place;
        std::uint32_t below = digit(split) & (half - 1);
        for (int k = 0; k < split; ++k) {
            below |= from[k * apart];
        }
        const std::uint32_t unit = std::uint32_t{1} << spare;
        const bool odd = (digit(first) & unit) != 0;
        const bool up = (digit(split) & half) != 0 && (below != 0 || odd);

        std::uint32_t carry = up ? unit : 0;
        for (int k = 0; k < digits; ++k) {
            const std::uint32_t word = (k == 0 ? ~(unit - 1) : ~std::uint32_t{0}) & digit(first + k);
            const std::uint32_t sum = word + carry;
            carry = sum < word ? 1 : 0;
            to[k * apart] = k == digits - 1 ? (sum & ~highest_bit) | sign : sum;  // 2^32 leaves the bits of 2^31
        }
        const std::int64_t exponent = std::int64_t{code} + carry + (regular ? by.of(i) : 0);
        const bool overflows = regular && exponent > multidigit_most_exponent;
        const bool vanishes = regular && exponent < multidigit_least_exponent;
        if (vanishes) {
            for (int k = 0; k < digits; ++k) {
                to[k * apart] = 0;
            }
        }
        const auto result = overflows  ? residua::detail::multidigit_infinity_code
                            : vanishes ? residua::detail::multidigit_zero_code
                                       : static_cast<std::int32_t>(exponent);
        to[digits * apart] = static_cast<std::uint32_t>(result) ^ highest_bit;
    }
};

/// The bits of a number x from the highest one on, or, after negate(), those of -x in two's complement: the bits of x
/// are inverted above the lowest one that is set.
class multidigit_bits {
public:
    RESIDUA_HD multidigit_bits(const std::uint32_t* word, int digits) : word_(word), digits_(digits)
    {
        int last = digits - 1;
        while (digit(last) == 0) {
            --last;
        }
        const std::uint32_t d = digit(last);
        lowest_ = 32 * last + residua::detail::leading_zeros(d & (~d + 1));
    }

    /// The place of the lowest bit that is set; the highest bit of the number has place 0.
    RESIDUA_HD int lowest() const { return lowest_; }
    RESIDUA_HD void negate() { inverted_ = !inverted_; }

    /// The 64 bits from this place on.
    RESIDUA_HD std::uint64_t from(int place) const
    {
        const int k = place / 32;
        const int shift = place % 32;
        std::uint64_t bits = static_cast<std::uint64_t>(digit(k)) << 32 | digit(k + 1);
        if (shift > 0) {
            bits = bits << shift | digit(k + 2) >> (32 - shift);
        }
        if (inverted_ && lowest_ > place) {
            const int count = lowest_ - place;
            bits ^= count >= 64 ? ~std::uint64_t{0} : ~(~std::uint64_t{0} >> count);
        }
        return bits;
    }

private:
    /// Digit k, counted from the highest one.
    RESIDUA_HD std::uint32_t digit(int k) const
    {
        const std::uint32_t d =
            k < digits_ ? word_[(digits_ - 1 - k) * residua::detail::words_apart] : std::uint32_t{0};
        return k == 0 ? d | residua::detail::highest_bit : d;
    }

    const std::uint32_t* word_;
    int digits_;
    int lowest_;
    bool inverted_ = false;
};

/// The terms of y_i <- 2^e_i x_i, each the rest rounded to binary64. One text serves any precision and any expansion.
struct multidigit_to_terms {
    multidigit_power by;
    multidigit_operand x;
    double* y = nullptr;
    index_t plane = 0;  ///< the distance from term to term
    int terms = 1;

    RESIDUA_HD void operator()(index_t i) const
    {
        const int digits = x.start.digits;
        const std::uint32_t* const word = x.start.number(i * x.stride);
        const residua::detail::stored_multidigit<std::uint32_t, 1> head{
            {word[(digits - 1) * residua::detail::words_apart]}, word[digits * residua::detail::words_apart]};
        if (!head.is_regular()) {
            const auto special = head.number();
            const std::uint64_t quiet_nan = exponent_mask | std::uint64_t{1} << (fraction_bits - 1);
            store(i, 0,
                  is_zero(special)  ? 0.0
                  : is_nan(special) ? from_bits(quiet_nan)
                                    : from_bits(exponent_mask | (special.negative ? sign_mask : 0)));
            clear(i, 1);
            return;
        }
        bool negative = (head.d[0] & residua::detail::highest_bit) != 0;
        const std::int64_t exponent = head.number().exponent + by.of(i);
        multidigit_bits bits(word, digits);
        int place = 0;  // the place of the first bit that no term has yet
        for (int k = 0; k < terms; ++k) {
            while (place <= bits.lowest() && bits.from(place) == 0) {
                place += 64;
            }
            if (place > bits.lowest()) {
                return clear(i, k);
            }
            place += residua::detail::leading_zeros(bits.from(place));
            const std::int64_t e = exponent - place;
            const std::int64_t missing = e < min_exponent + 1 ? min_exponent + 1 - e : 0;  // of a subnormal number
            if (missing > 53) {
                return clear(i, k);
            }
            const int count = 53 - static_cast<int>(missing);
            const std::uint64_t window = bits.from(place);
            const double magnitude = rounded_to_binary64(window, bits.lowest() > place + 63, e);
            const std::uint64_t half = std::uint64_t{1} << (63 - count);
            const bool is_odd = count > 0 && (window & (half << 1)) != 0;
            const bool up = (window & half) != 0 && (bits.lowest() > place + count || is_odd);
            store(i, k, negative ? -magnitude : magnitude);
            if (magnitude - magnitude != 0.0) {
                return clear(i, k + 1);
            }
            place += count;
            if (up) {
                bits.negate();
                negative = !negative;
            }
        }
    }

private:
    RESIDUA_HD void store(index_t i, int k, double term) const { y[k * plane + i] = term; }
    RESIDUA_HD void clear(index_t i, int first) const
    {
        for (int k = first; k < terms; ++k) {
            store(i, k, 0.0);
        }
    }
};

/// y_i <- 2^e_i times the sum of the terms of x_i, each sum rounded to nearest even with p bits, from the first term on.
struct multidigit_from_terms {
    int p = 0;
    multidigit_power by;
    const double* x = nullptr;
    index_t plane = 0;  ///< from term to term
    int terms = 1;
    multidigit_result y;

    template <class Digit, int N>
    RESIDUA_HD void operator()(index_t i) const
    {
        auto sum = to_multidigit<Digit, N>(x[i]);
        for (int k = 1; k < terms; ++k) {
            const double term = x[k * plane + i];
            if (term != 0.0) {
                sum = add(sum, to_multidigit<Digit, N>(term), p);
            }
        }
        y.store(i, ldexp(sum, by.of(i)));
    }
};

}  // namespace residua::blas::detail
