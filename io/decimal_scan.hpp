#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include <residua/io/decimal.hpp>
#include <residua/io/digits.hpp>
#include <residua/io/error.hpp>

namespace residua::io {

inline constexpr index_t word_digits = 19;  ///< any decimal of 19 digits is below 2^64

inline bool is_exponent_letter(char c)
{
    const char lower = static_cast<char>(c | 0x20);
    return lower == 'e' || lower == 'd';
}

inline bool is_sign(char c) { return c == '+' || c == '-'; }

/// Whether digits with an optional sign are a 64-bit integer.
inline bool fits_64_bits(const char* first, const char* last)
{
    index_t ignored = 0;
    return std::from_chars(*first == '+' ? first + 1 : first, last, ignored).ec == std::errc();
}

/// scan_decimal of a text from `p` to `last`, which may be a padded_end.
template <class End>
decimal_scan scan_decimal_until(const char* p, End last)
{
    using outcome = decimal_scan::outcome;
    constexpr std::int32_t most_short = 1000000;

    scanned_value value;
    value.negative = p != last && *p == '-';
    p += p != last && is_sign(*p);
    const char* const whole = p;
    p = append_few_digits(p, last, value.coefficient);
    std::ptrdiff_t digits = p - whole;
    std::ptrdiff_t after_point = 0;
    if (p != last && *p == '.') {
        const char* const fraction = p + 1;
        p = append_digits(fraction, last, value.coefficient);
        after_point = p - fraction;
        digits += after_point;
    }
    if (digits == 0) {
        return {p, outcome::not_a_decimal};
    }
    const char* const mantissa_end = p;
    index_t exponent = 0;
    if (p != last && is_exponent_letter(*p)) {
        const char* const begin = p + 1;
        p = begin;
        const bool negative = p != last && *p == '-';
        p += p != last && is_sign(*p);
        const char* const first = p;
        std::uint64_t size = 0;
        p = append_few_digits(p, last, size);
        if (p == first) {
            return {p, outcome::not_a_decimal};
        }
        if (p - first > 18 && !fits_64_bits(begin, p)) {
            return {p, outcome::exponent_too_large};
        }
        exponent = size >= most_short ? most_short : static_cast<index_t>(size);
        exponent = negative ? -exponent : exponent;
    }
    if (digits > word_digits) {  // zeros at the beginning do not count
        const char* front = whole;
        while (front != mantissa_end && (*front == '0' || *front == '.')) {
            digits -= *front == '0';
            ++front;
        }
    }
    value.is_short =
        digits <= word_digits && -most_short < exponent && exponent < most_short && after_point < most_short;
    value.exponent = static_cast<std::int32_t>(value.is_short ? exponent - after_point : 0);
    return {p, outcome::decimal, value};
}

}  // namespace residua::io
