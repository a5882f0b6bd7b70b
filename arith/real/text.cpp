#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <ostream>

#include <residua/arith/real/real.hpp>

namespace residua {
namespace {

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/// A decimal without its point: (-1)^negative digits 10^exponent, no leading zeros; zero has no digits.
struct decimal {
    bool negative = false;
    std::string digits;
    std::int64_t exponent = 0;
};

/// Far outside every exponent range, far inside 64 bits.
constexpr std::int64_t huge_exponent = std::int64_t{1} << 59;

std::optional<decimal> read_decimal(std::string_view text)
{
    decimal result;
    const char* p = text.data();
    const char* const end = p + text.size();

    if (p != end && (*p == '+' || *p == '-')) {
        result.negative = *p++ == '-';
    }

    bool any_digit = false;
    bool after_point = false;
    result.digits.reserve(text.size());
    for (; p != end && (is_digit(*p) || (*p == '.' && !after_point)); ++p) {
        if (*p == '.') {
            after_point = true;
            continue;
        }
        any_digit = true;
        if (*p != '0' || !result.digits.empty()) {
            result.digits.push_back(*p);
        }
        result.exponent -= after_point ? 1 : 0;
    }
    if (!any_digit) {
        return std::nullopt;
    }

    if (p != end && (*p == 'e' || *p == 'E' || *p == 'd' || *p == 'D')) {
        ++p;
        bool negative = false;
        if (p != end && (*p == '+' || *p == '-')) {
            negative = *p++ == '-';
        }
        if (p == end) {
            return std::nullopt;
        }
        std::int64_t written = 0;
        for (; p != end && is_digit(*p); ++p) {
            written = std::min(10 * written + (*p - '0'), huge_exponent);
        }
        result.exponent += negative ? -written : written;
    }
    if (p != end) {
        return std::nullopt;
    }
    return result;
}

decimal require_decimal(std::string_view text)
{
    std::optional<decimal> d = read_decimal(text);
    if (!d) {
        throw error("\"" + std::string(text) + "\" is not a decimal number");
    }
    return *std::move(d);
}

std::string scientific(bool negative, std::string_view digits, std::int64_t exponent)
{
    std::string out = negative ? "-" : "";
    out += digits.front();
    if (digits.size() > 1) {
        out += '.';
        out += digits.substr(1);
    }
    const std::string e = std::to_string(exponent < 0 ? -exponent : exponent);
    out += exponent < 0 ? "e-" : "e+";
    out += e.size() < 2 ? "0" + e : e;
    return out;
}

void require_digits(int significant_digits)
{
    if (significant_digits < 1) {
        throw error("cannot print " + std::to_string(significant_digits) + " significant digits");
    }
}

/// At least one digit is left.
std::string without_trailing_zeros(std::string digits)
{
    digits.erase(std::max<std::size_t>(digits.find_last_not_of('0') + 1, 1));
    return digits;
}

std::string print(const real& x, int significant_digits, bool keep_zeros)
{
    require_digits(significant_digits);
    if (is_nan(x)) {
        return "nan";
    }
    if (is_inf(x)) {
        return signbit(x) ? "-inf" : "inf";
    }

    std::string digits(static_cast<std::size_t>(significant_digits), '0');
    mpfr_exp_t exponent = 1;  // of the digits read as 0.ddd
    if (!is_zero(x)) {
        // sign, digits and a NUL; MPFR wants room for 7 characters
        std::string buffer(std::max<std::size_t>(digits.size() + 2, 7), '\0');
        mpfr_get_str(buffer.data(), &exponent, 10, digits.size(), x.mpfr(), MPFR_RNDN);
        digits = buffer.substr(signbit(x) ? 1 : 0, digits.size());
    }
    return scientific(signbit(x), keep_zeros ? digits : without_trailing_zeros(digits), exponent - 1);
}

}  // namespace

real::real(std::string_view text, long bits) : real(uninitialised{}, bits)
{
    const decimal d = require_decimal(text);
    if (d.digits.empty()) {
        mpfr_set_zero(value_, d.negative ? -1 : 1);
        return;
    }

    // Without a point the text does not depend on the locale.
    const std::string token = (d.negative ? "-" : "") + d.digits + "e" + std::to_string(d.exponent);
    const mpfr_flags_t flags = mpfr_flags_save();
    mpfr_flags_clear(MPFR_FLAGS_UNDERFLOW | MPFR_FLAGS_OVERFLOW);
    mpfr_strtofr(value_, token.c_str(), nullptr, 10, MPFR_RNDN);
    const bool outside = mpfr_flags_test(MPFR_FLAGS_UNDERFLOW | MPFR_FLAGS_OVERFLOW) != 0;
    mpfr_flags_restore(flags, MPFR_FLAGS_ALL);
    if (outside) {
        throw error("\"" + std::string(text) + "\" is outside the range of arbitrary-precision numbers");
    }
}

int round_trip_digits(long bits)
{
    return static_cast<int>(mpfr_get_str_ndigits(10, bits));
}

std::string to_string(const real& x, int significant_digits)
{
    return print(x, significant_digits, true);
}

std::string to_string(const real& x)
{
    return print(x, round_trip_digits(x.precision()), false);
}

std::ostream& operator<<(std::ostream& out, const real& x)
{
    return out << to_string(x);
}

std::string to_string(double x)
{
    std::array<char, 32> buffer;
    const auto [end, status] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), x, std::chars_format::scientific);
    return {buffer.data(), end};
}

std::string to_string(double x, int significant_digits)
{
    return to_string(real(x), significant_digits);
}

template <>
double from_string<double>(std::string_view text)
{
    const decimal d = require_decimal(text);
    if (d.digits.empty()) {
        return d.negative ? -0.0 : 0.0;
    }
    const std::string token = (d.negative ? "-" : "") + d.digits + "e" + std::to_string(d.exponent);
    double x = 0.0;
    const auto [end, status] = std::from_chars(token.data(), token.data() + token.size(), x);
    (void)end;
    if (status == std::errc::result_out_of_range) {
        // from_chars does not tell too large from too small
        if (d.exponent + static_cast<std::int64_t>(d.digits.size()) > 0) {
            throw error("\"" + std::string(text) + "\" is beyond the range of a double");
        }
        return d.negative ? -0.0 : 0.0;
    }
    return x;
}

}  // namespace residua
