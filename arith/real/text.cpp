#include <algorithm>
#include <array>
#include <charconv>
#include <ostream>
#include <string>

#include <residua/arith/real/decimal_digits.hpp>
#include <residua/arith/real/real.hpp>

namespace residua {
namespace {

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

int round_trip_digits(long bits) { return static_cast<int>(mpfr_get_str_ndigits(10, bits)); }

std::string to_string(const real& x, int significant_digits) { return print(x, significant_digits, true); }

std::string to_string(const real& x) { return print(x, round_trip_digits(x.precision()), false); }

std::ostream& operator<<(std::ostream& out, const real& x) { return out << to_string(x); }

std::string to_string(double x)
{
    if (x != x) {
        return "nan";  // whatever its sign, as for a real
    }
    std::array<char, 32> buffer;
    const auto [end, status] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), x, std::chars_format::scientific);
    return {buffer.data(), end};
}

std::string to_string(double x, int significant_digits) { return to_string(real(x), significant_digits); }

}  // namespace residua
