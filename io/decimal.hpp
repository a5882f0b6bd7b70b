#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <residua/io/error.hpp>

namespace residua::io {

/// What the scan of a decimal has found of its value: +-coefficient 10^exponent, if it is short.
struct scanned_value {
    std::uint64_t coefficient = 0;
    std::int32_t exponent = 0;
    bool negative = false;
    bool is_short = false;  ///< at most 19 digits from the first that is not 0, and an exponent below 10^6 in size
};

/// Where the scan of a decimal ended, and why.
struct decimal_scan {
    enum class outcome { decimal, not_a_decimal, exponent_too_large };

    const char* end;  ///< past the decimal, or the first byte that cannot be part of one
    outcome result;
    scanned_value value = {};
};

/// Scans [sign] digits [. digits] [e|E|d|D [sign] digits] from the beginning of a text, with a digit
/// before or after the point and an exponent that a 64-bit integer holds.
decimal_scan scan_decimal(std::string_view text);

/// A valid decimal where it stands, with what its scan has found.
class decimal_word {
public:
    decimal_word() = default;
    decimal_word(const char* begin, const decimal_scan& scan)
        : begin_(begin), size_(static_cast<std::size_t>(scan.end - begin)), value_(scan.value)
    {}
    /// Makes a word of a text that is a decimal and nothing else.
    template <class Text>
        requires std::convertible_to<const Text&, std::string_view> && (!std::same_as<Text, decimal_word>)
    decimal_word(const Text& text) : decimal_word(scanned(text))
    {}

    std::string_view text() const { return {begin_, size_}; }
    operator std::string_view() const { return text(); }
    const scanned_value& value() const { return value_; }

    /// The word with the other sign in value(); the text stays.
    decimal_word negated() const
    {
        decimal_word other = *this;
        other.value_.negative = !value_.negative;
        return other;
    }

    friend bool operator==(const decimal_word& a, std::string_view b) { return a.text() == b; }

private:
    static decimal_word scanned(std::string_view text) { return {text.data(), scan_decimal(text)}; }

    const char* begin_ = "0";
    std::size_t size_ = 1;
    scanned_value value_{.is_short = true};
};

/// Whether the whole word is a decimal as scan_decimal has it.
bool is_decimal(std::string_view word);

/// Why a word is not a decimal, in words that begin with it.
std::string why_not_decimal(std::string_view word);

/// A decimal taken apart: its absolute value is D 10^exponent, D the integer that its significant
/// digits form, from the first to the last that is not 0.
struct decimal_parts {
    std::string_view digits;         ///< of D; the point may stand among them; empty for zero
    index_t significant_digits = 0;  ///< of D; 0 for zero
    index_t exponent = 0;            ///< saturates at the ends of its range; 0 for zero
    bool negative = false;

    bool is_zero() const { return significant_digits == 0; }
    bool is_integer() const { return exponent >= 0; }
};

/// Takes a valid decimal apart; exact.
decimal_parts take_apart(std::string_view decimal);

/// What rounding to binary64 did to a decimal; IEEE 754's flags.
enum class binary64_status {
    exact,
    inexact,    ///< relative error at most 2^-53
    underflow,  ///< inexact and below 2^-1022: digits were lost, perhaps all
    overflow,   ///< the result is an infinity
};

struct binary64_result {
    double value;
    binary64_status status;
    bool is_printed = false;  ///< known: the decimal is the value, rounded to as many digits as it has
};

/// The nearest binary64 to a valid decimal, ties to even, and what was lost.
///
/// errors  none beyond the one rounding; the status is exact for decimals of any length
binary64_result round_to_binary64(const decimal_word& decimal);

/// The nearest binary64 to a valid decimal, ties to even; a parser for read_matrix_market.
///
/// throws  error if the result overflows; underflow gives a subnormal number or zero
double parse_binary64(const decimal_word& decimal);

/// A parser for read_matrix_market that rounds to binary64 and counts what this did.
/// Overflow gives an infinity here, and is counted.
class binary64_tally {
public:
    index_t numbers = 0;
    index_t inexact = 0;  ///< numbers that binary64 does not hold; includes the next two
    index_t underflows = 0;
    index_t overflows = 0;
    index_t largest_exponent = 0;  ///< of numbers that underflow or overflow: the size of the largest power of ten
    index_t most_digits = 0;       ///< significant digits of the longest number, outer zeros not counted
    /// Whether every number is its binary64 number as it is printed, with as many digits or with the fewest that tell
    /// it apart. One that is held exactly is; a subnormal one needs 17 digits, as a short decimal may mean its value.
    bool all_are_printed = true;

    double operator()(const decimal_word& decimal);

    /// Counts what another tally has counted of other numbers.
    void add(const binary64_tally& other);

    /// Whether a number has more than 17 significant digits, enough to tell any two binary64 numbers apart, or leaves
    /// binary64's range, and not all are binary64 numbers as they are printed: such a file means its decimals.
    bool exceeds_binary64() const { return !all_are_printed && is_long(); }

    /// The significant digits of the longest number, if all are binary64 numbers as they are printed and some have more
    /// than 17 digits; otherwise 0.
    index_t printed_digits() const { return all_are_printed && is_long() ? most_digits : 0; }

    /// A bound of |decimal - rounded| / |decimal| over all numbers; 0: all are exact.
    double rounding() const;

private:
    bool is_long() const { return most_digits > 17 || underflows > 0 || overflows > 0; }

    double least_coefficient_ = std::numeric_limits<double>::infinity();  ///< of inexact printed numbers
};

/// The shortest decimal that reads back as x.
///
/// throws  error if x is not finite
std::string to_decimal(double x);

}  // namespace residua::io
