#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

#include <residua/arith/real/decimal_digits.hpp>
#include <residua/arith/real/read_decimal.hpp>
#include <residua/arith/real/real.hpp>
#include <residua/io/decimal.hpp>
#include <residua/io/text.hpp>

namespace residua {
namespace {

[[noreturn]] void throw_outside(std::string_view text)
{
    throw error(io::quote(text) + " is outside the range of MPFR, 10^(+-323 million)");
}

/// The text itself if it is one whole decimal.
std::string_view require_decimal(std::string_view text)
{
    using outcome = io::decimal_scan::outcome;

    const io::decimal_scan scan = io::scan_decimal(text);
    if (scan.result == outcome::not_a_decimal || scan.end != text.data() + text.size()) {
        throw error(io::quote(text) + " is not a decimal number");
    }
    if (scan.result == outcome::exponent_too_large) {
        throw_outside(text);
    }
    return text;
}

constexpr int most_kept_power = 400;

/// 10^k for k = 0, ..., most_kept_power, exact.
const std::vector<real>& kept_powers()
{
    static const std::vector<real> powers = [] {
        std::vector<real> all;
        for (int k = 0; k <= most_kept_power; ++k) {
            all.emplace_back(0.0, 64 + 4L * k);
            mpfr_ui_pow_ui(all.back().mpfr(), 10, static_cast<unsigned long>(k), MPFR_RNDN);
        }
        return all;
    }();
    return powers;
}

/// d.ddde+xx, as printf has it.
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

/// At least one digit is left.
std::string without_trailing_zeros(std::string digits)
{
    digits.erase(std::max<std::size_t>(digits.find_last_not_of('0') + 1, 1));
    return digits;
}

std::string print(const real& x, int significant_digits, bool keep_zeros)
{
    if (significant_digits < 1) {
        throw error("cannot print " + std::to_string(significant_digits) + " significant digits");
    }
    if (is_nan(x)) {
        return "nan";
    }
    if (is_inf(x)) {
        return signbit(x) ? "-inf" : "inf";
    }

    digit_string of_x{std::string(static_cast<std::size_t>(significant_digits), '0'), 1};
    if (!is_zero(x)) {
        of_x = rounded_digits(x, significant_digits);
    }
    return scientific(signbit(x), keep_zeros ? of_x.digits : without_trailing_zeros(of_x.digits), of_x.exponent - 1);
}

}  // namespace

int set_decimal(real& x, bool negative, std::uint64_t coefficient, std::int32_t exponent)
{
    if (coefficient == 0) {
        mpfr_set_zero(x.mpfr(), negative ? -1 : 1);
        return 0;
    }
    const int size = std::abs(exponent);
    if (size > most_kept_power) {
        return set_decimal(x, negative, std::to_string(coefficient), exponent);
    }
    static_assert(sizeof(mp_limb_t) == sizeof coefficient);
    mp_limb_t limb = coefficient << std::countl_zero(coefficient);
    mpfr_t integer;  // on the limb, without memory of its own
    mpfr_custom_init_set(integer, negative ? -MPFR_REGULAR_KIND : MPFR_REGULAR_KIND, 64 - std::countl_zero(coefficient),
                         64, &limb);
    const mpfr_srcptr power = kept_powers()[static_cast<std::size_t>(size)].mpfr();
    const mpfr_flags_t flags = mpfr_flags_save();
    const int rounded =
        exponent < 0 ? mpfr_div(x.mpfr(), integer, power, MPFR_RNDN) : mpfr_mul(x.mpfr(), integer, power, MPFR_RNDN);
    mpfr_flags_restore(flags, MPFR_FLAGS_ALL);
    return rounded;
}

int set_decimal(real& x, bool negative, std::string_view digits, std::int64_t exponent)
{
    // Without a point the text does not depend on the locale.
    std::string plain = negative ? "-" : "";
    plain.append(digits).append("e").append(std::to_string(exponent));
    const mpfr_flags_t flags = mpfr_flags_save();
    mpfr_flags_clear(MPFR_FLAGS_UNDERFLOW | MPFR_FLAGS_OVERFLOW);
    const int rounded = mpfr_strtofr(x.mpfr(), plain.c_str(), nullptr, 10, MPFR_RNDN);
    const bool outside = mpfr_flags_test(MPFR_FLAGS_UNDERFLOW | MPFR_FLAGS_OVERFLOW) != 0;
    mpfr_flags_restore(flags, MPFR_FLAGS_ALL);
    if (outside) {
        throw_outside(plain);
    }
    return rounded;
}

read_decimal::read_decimal(std::string_view text, long bits) : value(0.0, bits)
{
    const io::decimal_word word(require_decimal(text));
    const io::scanned_value& scanned = word.value();
    if (scanned.is_short) {
        rounded = set_decimal(value, scanned.negative, scanned.coefficient, scanned.exponent) != 0;
        return;
    }
    const io::decimal_parts parts = io::take_apart(word);
    if (parts.is_zero()) {
        mpfr_set_zero(value.mpfr(), parts.negative ? -1 : 1);
        return;
    }
    std::string digits(parts.digits);
    std::erase(digits, '.');
    try {
        rounded = set_decimal(value, parts.negative, digits, parts.exponent) != 0;
    } catch (const error&) {
        throw_outside(text);
    }
}

real::real(std::string_view text, long bits) : real(read_decimal(text, bits).value) {}

int round_trip_digits(long bits) { return static_cast<int>(mpfr_get_str_ndigits(10, bits)); }

std::string to_string(const real& x, int significant_digits) { return print(x, significant_digits, true); }

std::string to_string(const real& x) { return print(x, round_trip_digits(x.precision()), false); }

std::ostream& operator<<(std::ostream& out, const real& x) { return out << to_string(x); }

std::string to_string(double x)
{
    std::array<char, 32> buffer;
    const auto [end, status] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), x, std::chars_format::scientific);
    return {buffer.data(), end};
}

std::string to_string(double x, int significant_digits) { return to_string(real(x), significant_digits); }

}  // namespace residua
