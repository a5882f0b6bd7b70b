#include <residua/io/decimal.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

#include <residua/io/text.hpp>

namespace residua::io {

namespace {

constexpr index_t largest = std::numeric_limits<index_t>::max();
constexpr index_t smallest = std::numeric_limits<index_t>::min();

bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

bool is_exponent_letter(char c)
{
    const char lower = static_cast<char>(c | 0x20);
    return lower == 'e' || lower == 'd';
}

bool is_sign(char c) { return c == '+' || c == '-'; }

/// How many of the eight bytes at p are digits before the first that is not.
///
/// A byte b is a digit if b ^ 0x30 <= 9; the top bit of each byte of the mask tells that it is not.
int leading_digits_of_eight(const char* p)
{
    constexpr std::uint64_t ones = 0x0101010101010101;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, p, sizeof bytes);
    const std::uint64_t t = bytes ^ (0x30 * ones);
    const std::uint64_t not_digits = (((t & (0x7f * ones)) + 0x76 * ones) | t) & (0x80 * ones);
    return (std::endian::native == std::endian::little ? std::countr_zero(not_digits) : std::countl_zero(not_digits)) /
           8;
}

const char* skip_digits(const char* p, const char* last)
{
    while (last - p >= 8) {
        const int digits = leading_digits_of_eight(p);
        p += digits;
        if (digits < 8) {
            return p;
        }
    }
    while (p != last && is_digit(*p)) {
        ++p;
    }
    return p;
}

/// Whether digits with an optional sign are a 64-bit integer.
bool fits_64_bits(const char* first, const char* last)
{
    index_t ignored = 0;
    return std::from_chars(*first == '+' ? first + 1 : first, last, ignored).ec == std::errc();
}

index_t saturating_add(index_t a, index_t b)
{
    if (b > 0 && a > largest - b) {
        return largest;
    }
    if (b < 0 && a < smallest - b) {
        return smallest;
    }
    return a + b;
}

/// 5^k for k = 0..27, all that 64 bits hold.
constexpr auto powers_of_five = [] {
    std::array<std::uint64_t, 28> power{};
    power[0] = 1;
    for (std::size_t k = 1; k < power.size(); ++k) {
        power[k] = 5 * power[k - 1];
    }
    return power;
}();

constexpr index_t word_digits = 19;  // any decimal of 19 digits is below 2^64

/// The integer formed by the last 19 digits, or by all if there are fewer.
std::uint64_t last_digits(std::string_view digits)
{
    std::uint64_t value = 0;
    std::uint64_t unit = 1;
    index_t taken = 0;
    for (std::size_t k = digits.size(); k > 0 && taken < word_digits; --k) {
        if (digits[k - 1] != '.') {
            value += unit * static_cast<std::uint64_t>(digits[k - 1] - '0');
            unit *= 10;
            ++taken;
        }
    }
    return value;
}

/// Whether the finite x, written out in full, has exactly these digits and this exponent.
bool same_expansion(double x, const decimal_parts& parts)
{
    constexpr int most_digits = 767;  // of any binary64
    std::array<char, most_digits + 16> buffer;
    const auto [end, ec] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(x),
                                         std::chars_format::scientific, most_digits - 1);
    const std::string_view written(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    const decimal_parts exact = take_apart(written);
    if (ec != std::errc() || exact.significant_digits != parts.significant_digits || exact.exponent != parts.exponent) {
        return false;
    }
    const auto next_digit = [](std::string_view& digits) {
        const std::size_t at = digits.front() == '.' ? 1 : 0;
        const char digit = digits[at];
        digits.remove_prefix(at + 1);
        return digit;
    };
    std::string_view a = exact.digits;
    std::string_view b = parts.digits;
    for (index_t k = 0; k < parts.significant_digits; ++k) {
        if (next_digit(a) != next_digit(b)) {
            return false;
        }
    }
    return true;
}

std::uint64_t power_of_five(index_t k) { return powers_of_five[static_cast<std::size_t>(k)]; }

/// Whether the odd part of D 10^q fits into 53 bits, for D < 2^64 that is not a multiple of 10.
bool word_is_exact(std::uint64_t d, index_t q)
{
    if (q < 0) {  // 5^-q must divide D, which is then odd; 5^28 > 2^64
        return q > -28 && d % power_of_five(-q) == 0 && (d / power_of_five(-q)) >> 53 == 0;
    }
    constexpr std::uint64_t limit = (std::uint64_t{1} << 53) - 1;  // 5^23 is beyond it
    return q < 23 && d >> std::countr_zero(d) <= limit / power_of_five(q);
}

/// Whether x, the rounded value of D 10^q, is D 10^q; D is not a multiple of 10.
///
/// If q < 0 then 5^-q must divide D, and the last 19 digits of D tell whether 5^min(-q, 19) does.
/// This settles nearly every decimal of a real file before the costly comparison.
bool is_exact(double x, const decimal_parts& parts)
{
    const index_t q = parts.exponent;
    if (!std::isfinite(x) || x == 0.0 || (q < 0 && parts.digits.back() != '5')) {
        return false;
    }
    const std::uint64_t last = last_digits(parts.digits);
    if (parts.significant_digits <= word_digits) {
        return word_is_exact(last, q);
    }
    if (q < 0 && last % power_of_five(std::min(-q, word_digits)) != 0) {
        return false;
    }
    return same_expansion(x, parts);
}

}  // namespace

decimal_scan scan_decimal(std::string_view text)
{
    using outcome = decimal_scan::outcome;

    const char* p = text.data();
    const char* const last = p + text.size();
    p += p != last && is_sign(*p);
    const char* const whole = p;
    p = skip_digits(p, last);
    bool has_digits = p != whole;
    if (p != last && *p == '.') {
        const char* const fraction = p + 1;
        p = skip_digits(fraction, last);
        has_digits = has_digits || p != fraction;
    }
    if (!has_digits) {
        return {p, outcome::not_a_decimal};
    }
    if (p != last && is_exponent_letter(*p)) {
        const char* const exponent = p + 1;
        p = exponent;
        p += p != last && is_sign(*p);
        const char* const digits = p;
        p = skip_digits(p, last);
        if (p == digits) {
            return {p, outcome::not_a_decimal};
        }
        if (p - digits > 18 && !fits_64_bits(exponent, p)) {
            return {p, outcome::exponent_too_large};
        }
    }
    return {p, outcome::decimal};
}

bool is_decimal(std::string_view word)
{
    const decimal_scan scan = scan_decimal(word);
    return scan.result == decimal_scan::outcome::decimal && scan.end == word.data() + word.size();
}

decimal_parts take_apart(std::string_view decimal)
{
    decimal_parts parts;
    const char* const last = decimal.data() + decimal.size();
    parts.negative = decimal.front() == '-';
    const char* const first = decimal.data() + (is_sign(decimal.front()) ? 1 : 0);

    // The mantissa is [first, mantissa_end), the point at its end if there is none.
    const char* point = skip_digits(first, last);
    const bool has_point = point != last && *point == '.';
    const char* const mantissa_end = has_point ? skip_digits(point + 1, last) : point;
    index_t exponent = 0;
    if (mantissa_end != last) {
        const char* const digits = mantissa_end + 1;
        std::from_chars(*digits == '+' ? digits + 1 : digits, last, exponent);
    }

    // Strip zeros from both ends, passing the point where need be.
    const char* front = first;
    while (front != mantissa_end && (*front == '0' || *front == '.')) {
        ++front;
    }
    if (front == mantissa_end) {
        return parts;
    }
    const char* back = mantissa_end;
    while (back[-1] == '0' || back[-1] == '.') {
        --back;
    }
    const bool point_inside = front < point && point < back;
    parts.digits = {front, static_cast<std::size_t>(back - front)};
    parts.significant_digits = back - front - (point_inside ? 1 : 0);
    parts.exponent = saturating_add(exponent, point < back ? -(back - point - 1) : point - back);
    return parts;
}

binary64_result round_to_binary64(const decimal_parts& parts, std::string_view decimal)
{
    const char* const first = decimal.data() + (decimal.front() == '+' ? 1 : 0);
    const char* const last = decimal.data() + decimal.size();
    double x = 0.0;
    std::from_chars_result read = std::from_chars(first, last, x);
    if (read.ptr != last && is_exponent_letter(*read.ptr)) {  // D, which from_chars does not know
        std::string with_e(first, last);
        with_e[static_cast<std::size_t>(read.ptr - first)] = 'e';
        read = std::from_chars(with_e.data(), with_e.data() + with_e.size(), x);
    }
    if (parts.is_zero()) {
        return {parts.negative ? -0.0 : 0.0, binary64_status::exact};
    }
    if (read.ec == std::errc::result_out_of_range) {                                      // x is left as it was
        const bool large = saturating_add(parts.exponent, parts.significant_digits) > 0;  // D 10^q >= 0.1 10^this
        const double magnitude = large ? std::numeric_limits<double>::infinity() : 0.0;
        return {parts.negative ? -magnitude : magnitude,
                large ? binary64_status::overflow : binary64_status::underflow};
    }
    if (is_exact(x, parts)) {
        return {x, binary64_status::exact};
    }
    const bool tiny = std::fabs(x) < std::numeric_limits<double>::min();
    return {x, tiny ? binary64_status::underflow : binary64_status::inexact};
}

double parse_binary64(std::string_view decimal)
{
    // The common case needs no look at the parts.
    const char* const first = decimal.data() + (decimal.front() == '+' ? 1 : 0);
    const char* const last = decimal.data() + decimal.size();
    double x = 0.0;
    const std::from_chars_result read = std::from_chars(first, last, x);
    if (read.ec == std::errc() && read.ptr == last) {
        return x;
    }
    const binary64_result result = round_to_binary64(take_apart(decimal), decimal);
    if (result.status == binary64_status::overflow) {
        throw error(quote(decimal) +
                    " is beyond binary64's largest number, about 1.8e308; it needs a format of "
                    "wider range");
    }
    return result.value;
}

double binary64_tally::operator()(std::string_view decimal)
{
    const decimal_parts parts = take_apart(decimal);
    const binary64_result result = round_to_binary64(parts, decimal);
    ++numbers;
    inexact += result.status != binary64_status::exact;
    underflows += result.status == binary64_status::underflow;
    overflows += result.status == binary64_status::overflow;
    most_digits = std::max(most_digits, parts.significant_digits);
    return result.value;
}

std::string to_decimal(double x)
{
    if (!std::isfinite(x)) {
        throw error(std::string(std::isnan(x) ? "not a number" : "an infinity") + " cannot be written as a decimal");
    }
    std::array<char, 32> buffer;
    const auto [end, ec] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x);
    static_cast<void>(ec);  // 24 characters are enough for any binary64
    return {buffer.data(), end};
}

}  // namespace residua::io
