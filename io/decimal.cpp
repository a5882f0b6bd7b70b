#include <residua/io/decimal.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <system_error>

#include <residua/io/binary64.hpp>
#include <residua/io/decimal_scan.hpp>
#include <residua/io/digits.hpp>
#include <residua/io/text.hpp>

namespace residua::io {

namespace {

constexpr index_t largest = std::numeric_limits<index_t>::max();
constexpr index_t smallest = std::numeric_limits<index_t>::min();

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

constexpr int longest_expansion = 767;  // digits of any binary64

/// Whether the text of a binary64 number has the digits and the exponent of a decimal, outer zeros aside.
bool has_value(std::string_view written, const decimal_parts& parts)
{
    const decimal_parts exact = take_apart(written);
    if (exact.significant_digits != parts.significant_digits || exact.exponent != parts.exponent) {
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

/// Whether the finite x, rounded to `digits` digits, is the decimal.
bool prints_as(double x, const decimal_parts& parts, int digits)
{
    std::array<char, longest_expansion + 16> buffer;
    const auto [end, ec] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(x),
                                         std::chars_format::scientific, digits - 1);
    return ec == std::errc() && has_value({buffer.data(), static_cast<std::size_t>(end - buffer.data())}, parts);
}

/// Whether x, the rounded value of D 10^q, is D 10^q; D is not a multiple of 10.
///
/// If q < 0 then 5^-q must divide D, and the last 19 digits of D tell whether 5^min(-q, 19) does.
/// This settles nearly every decimal of a real file before the costly comparison.
bool is_exact(double x, const decimal_parts& parts)
{
    if (!std::isfinite(x) || x == 0.0 || (parts.exponent < 0 && parts.digits.back() != '5')) {
        return false;
    }
    std::uint64_t power = 1;
    for (index_t q = std::max(parts.exponent, -word_digits); q < 0; ++q) {
        power *= 5;
    }
    return last_digits(parts.digits) % power == 0 && prints_as(x, parts, longest_expansion);
}

/// By the library of C++, which takes any decimal but one with a D.
std::from_chars_result read_by_library(std::string_view decimal, double& x)
{
    const char* const first = decimal.data() + (decimal.front() == '+' ? 1 : 0);
    const char* const last = decimal.data() + decimal.size();
    const std::from_chars_result read = std::from_chars(first, last, x);
    if (read.ptr == last || !is_exponent_letter(*read.ptr)) {
        return read;
    }
    std::string with_e(first, last);
    with_e[static_cast<std::size_t>(read.ptr - first)] = 'e';
    return std::from_chars(with_e.data(), with_e.data() + with_e.size(), x);
}

/// round_to_binary64 of a decimal that nearest_binary64 does not know.
binary64_result round_any(const decimal_word& decimal)
{
    const decimal_parts parts = take_apart(decimal);
    double x = 0.0;
    if (parts.is_zero()) {
        return {parts.negative ? -0.0 : 0.0, binary64_status::exact};
    }
    if (read_by_library(decimal, x).ec == std::errc::result_out_of_range) {               // x is left as it was
        const bool large = saturating_add(parts.exponent, parts.significant_digits) > 0;  // D 10^q >= 0.1 10^this
        const double magnitude = large ? std::numeric_limits<double>::infinity() : 0.0;
        return {parts.negative ? -magnitude : magnitude,
                large ? binary64_status::overflow : binary64_status::underflow};
    }
    const scanned_value& value = decimal.value();
    const bool tiny = std::fabs(x) < std::numeric_limits<double>::min();
    const bool exact = value.is_short && !tiny ? fits_53_bits(value.coefficient, value.exponent) : is_exact(x, parts);
    return {x, exact ? binary64_status::exact : tiny ? binary64_status::underflow : binary64_status::inexact};
}

/// How many digits a decimal that is not 0 is written with, from the first that is not 0.
index_t written_digits(std::string_view decimal, const decimal_parts& parts)
{
    const char* const first = parts.digits.data();
    const char* const last = std::find_if(first, decimal.data() + decimal.size(), is_exponent_letter);
    return std::count_if(first, last, is_digit);
}

/// Whether a decimal is what its nearest binary64 prints as, as binary64_tally has it.
bool is_printed(std::string_view decimal, const binary64_result& nearest)
{
    constexpr index_t enough_digits = 17;  // for any binary64
    if (nearest.is_printed || nearest.status == binary64_status::exact) {
        return true;
    }
    if (nearest.value == 0.0 || nearest.status == binary64_status::overflow) {
        return false;
    }
    const decimal_parts parts = take_apart(decimal);
    const index_t digits = written_digits(decimal, parts);
    if (digits < enough_digits && nearest.status == binary64_status::underflow) {
        return false;
    }
    const auto most = static_cast<index_t>(longest_expansion);
    return prints_as(nearest.value, parts, static_cast<int>(std::min(digits, most))) ||
           (digits <= enough_digits && has_value(to_decimal(nearest.value), parts));
}

/// The digits of a number that is not 0, without the zeros at its end.
index_t significant_digits(std::uint64_t number)
{
    while (number % 10 == 0) {
        number /= 10;
    }
    return std::upper_bound(powers_of_ten.begin(), powers_of_ten.end(), number) - powers_of_ten.begin();
}

}  // namespace

decimal_scan scan_decimal(std::string_view text) { return scan_decimal_until(text.data(), text.data() + text.size()); }

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

binary64_result round_to_binary64(const decimal_word& decimal)
{
    const scanned_value& value = decimal.value();
    if (const std::optional<nearest_number> x =
            value.is_short ? nearest_binary64(value.coefficient, value.exponent) : std::nullopt) {
        const bool exact = fits_53_bits(value.coefficient, value.exponent);
        return {value.negative ? -x->value : x->value, exact ? binary64_status::exact : binary64_status::inexact,
                exact || x->is_printed};
    }
    return round_any(decimal);
}

double parse_binary64(const decimal_word& decimal)
{
    const scanned_value& value = decimal.value();
    if (const std::optional<nearest_number> x =
            value.is_short ? nearest_binary64(value.coefficient, value.exponent) : std::nullopt) {
        return value.negative ? -x->value : x->value;
    }
    double x = 0.0;  // the common case needs no look at the parts
    if (read_by_library(decimal, x).ec == std::errc()) {
        return x;
    }
    const binary64_result result = round_any(decimal);
    if (result.status == binary64_status::overflow) {
        throw error(quote(decimal) +
                    " is beyond binary64's largest number, about 1.8e308; it needs a format of "
                    "wider range");
    }
    return result.value;
}

double binary64_tally::operator()(const decimal_word& decimal)
{
    const binary64_result result = round_to_binary64(decimal);
    ++numbers;
    inexact += result.status != binary64_status::exact;
    underflows += result.status == binary64_status::underflow;
    overflows += result.status == binary64_status::overflow;
    if (result.status == binary64_status::underflow || result.status == binary64_status::overflow) {
        const decimal_parts parts = take_apart(decimal);
        const index_t size = saturating_add(parts.exponent, parts.significant_digits);
        largest_exponent = std::max(largest_exponent, size < 0 ? -std::max(size, -largest) : size);
    }
    all_are_printed = all_are_printed && is_printed(decimal, result);
    const scanned_value& value = decimal.value();
    double coefficient = static_cast<double>(value.coefficient);
    if (!value.is_short) {
        const decimal_parts parts = take_apart(decimal);
        most_digits = std::max(most_digits, parts.significant_digits);
        coefficient = parts.is_zero() ? 0.0 : std::pow(10.0, written_digits(decimal, parts) - 1);
    } else if (most_digits < word_digits && value.coefficient >= powers_of_ten[static_cast<std::size_t>(most_digits)]) {
        most_digits = std::max(most_digits, significant_digits(value.coefficient));
    }
    if (result.status != binary64_status::exact) {
        least_coefficient_ = std::min(least_coefficient_, coefficient);
    }
    return result.value;
}

void binary64_tally::add(const binary64_tally& other)
{
    numbers += other.numbers;
    inexact += other.inexact;
    underflows += other.underflows;
    overflows += other.overflows;
    largest_exponent = std::max(largest_exponent, other.largest_exponent);
    most_digits = std::max(most_digits, other.most_digits);
    all_are_printed = all_are_printed && other.all_are_printed;
    least_coefficient_ = std::min(least_coefficient_, other.least_coefficient_);
}

double binary64_tally::rounding() const
{
    if (inexact == 0) {
        return 0.0;
    }
    if (!all_are_printed) {
        return underflows + overflows > 0 ? 1.0 : 0x1p-53;
    }
    return std::min(0x1p-53, 0.5 / least_coefficient_);  // half a unit of the last digit
}

std::string why_not_decimal(std::string_view word)
{
    std::string lower;
    for (const char c : word.substr(0, 10)) {
        lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    if (lower.starts_with('+') || lower.starts_with('-')) {
        lower.erase(0, 1);
    }
    if (lower.starts_with("nan") || lower == "inf" || lower == "infinity") {
        return quote(word) + " is not a finite number";
    }
    if (std::count(word.begin(), word.end(), ',') == 1) {
        return quote(word) + " is not a number; is the comma a decimal point?";
    }
    return quote(word) + " is not a number";
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
