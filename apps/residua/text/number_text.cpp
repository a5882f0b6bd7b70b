#include "number_text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <residua/arith/real/decimal_digits.hpp>

namespace residua {

std::string plain_text(const real& x, int significant_digits)
{
    if (is_zero(x)) {
        return "0";
    }
    if (!is_finite(x)) {
        return to_string(x);
    }

    auto [digits, exponent] = rounded_digits(x, significant_digits);
    digits.erase(digits.find_last_not_of('0') + 1);
    const long power = exponent - 1;  // of the first digit
    const long count = static_cast<long>(digits.size());
    std::string text = sign(x) < 0 ? "-" : "";
    if (power < -4 || power > std::max(count + 5, 9L)) {
        text += digits[0];
        if (count > 1) {
            text.append(".").append(digits, 1);
        }
        text += fmt::format("e{}{:02}", power < 0 ? '-' : '+', std::abs(power));
    } else if (power < 0) {
        text.append("0.").append(static_cast<std::size_t>(-power - 1), '0').append(digits);
    } else if (power + 1 >= count) {
        text.append(digits).append(static_cast<std::size_t>(power + 1 - count), '0');
    } else {
        const auto before = static_cast<std::size_t>(power + 1);
        text.append(digits, 0, before).append(".").append(digits, before);
    }
    return text;
}

std::string exact_text(const real& x)
{
    if (is_zero(x) || !is_finite(x)) {
        return plain_text(x, 1);
    }
    // x is an integer times 2^-fraction, so it has at most `fraction` digits after the point.
    const long fraction = std::max(0L, x.precision() - exponent(x));
    const long before = std::max(0L, exponent(x)) * 31 / 100;
    return plain_text(x, static_cast<int>(fraction + before + 2));
}

std::string short_text(const real& x)
{
    if (is_zero(x)) {
        return "0";
    }
    return to_string(x, 3);
}

std::string short_bytes_text(double bytes)
{
    constexpr std::array<const char*, 7> units{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    for (; bytes >= 1000.0 && unit + 1 < units.size(); ++unit) {
        bytes /= 1024.0;
    }
    return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string bytes_text(double bytes)
{
    return bytes < 1000.0 ? short_bytes_text(bytes) : fmt::format("{} ({:.0f} bytes)", short_bytes_text(bytes), bytes);
}

}  // namespace residua
