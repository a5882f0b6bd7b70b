#include "number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace residua {

std::string plain_text(const real& x, int significant_digits)
{
    if (is_zero(x)) {
        return "0";
    }
    if (!is_finite(x)) {
        return to_string(x);
    }

    const std::string scientific = to_string(abs(x), significant_digits);  // d.ddde+dd
    const std::size_t mark = scientific.find('e');
    std::string digits = scientific.substr(0, mark);
    std::erase(digits, '.');
    digits.erase(digits.find_last_not_of('0') + 1);
    const char* const first = scientific.data() + mark + (scientific[mark + 1] == '+' ? 2 : 1);
    long power = 0;  // of the first digit
    std::from_chars(first, scientific.data() + scientific.size(), power);

    const long count = static_cast<long>(digits.size());
    std::string text;
    if (power < -4 || power > std::max(count + 5, 9L)) {
        text = digits.substr(0, 1) + (count > 1 ? "." + digits.substr(1) : "") +
               fmt::format("e{}{:02}", power < 0 ? '-' : '+', std::abs(power));
    } else if (power < 0) {
        text = "0." + std::string(static_cast<std::size_t>(-power - 1), '0') + digits;
    } else if (power + 1 >= count) {
        text = digits + std::string(static_cast<std::size_t>(power + 1 - count), '0');
    } else {
        digits.insert(static_cast<std::size_t>(power + 1), 1, '.');
        text = digits;
    }
    return (sign(x) < 0 ? "-" : "") + text;
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
