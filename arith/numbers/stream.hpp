#pragma once

#include <istream>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/real/real.hpp>

namespace residua {

namespace detail {

/// The characters that a number at this place of the stream has, without the blanks before it.
std::string read_number(std::istream& in);

/// x <- parse(the next number), or an infinity or NaN by its name; on failure failbit is set and x keeps its value.
template <class T, class F>
std::istream& read_into(std::istream& in, T& x, const F& parse)
{
    const std::string text = read_number(in);
    const std::string_view name = std::string_view(text).substr(!text.empty() && (text[0] == '-' || text[0] == '+'));
    if (name == "inf" || name == "nan") {
        const double special =
            name == "nan" ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
        x = T(text[0] == '-' ? -special : special);
        return in;
    }
    try {
        x = parse(text);
    } catch (const error&) {
        in.setstate(std::ios::failbit);
    }
    return in;
}

}  // namespace detail

/// to_string(x): as many digits as x takes to be read back; the width counts, the stream's precision does not.
template <int N>
std::ostream& operator<<(std::ostream& out, const expansion<double, N>& x)
{
    return out << to_string(x);
}

/// The next decimal, "inf" or "nan", rounded as from_string(). On failure failbit is set and x keeps its value.
template <int N>
std::istream& operator>>(std::istream& in, expansion<double, N>& x)
{
    return detail::read_into(in, x, [](const std::string& text) { return from_string<expansion<double, N>>(text); });
}

/// The same for a real, at the precision that x has.
std::istream& operator>>(std::istream& in, real& x);

}  // namespace residua
