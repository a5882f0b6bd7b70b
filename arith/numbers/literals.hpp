#pragma once

#include <algorithm>
#include <string>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/numbers/multidigit.hpp>
#include <residua/arith/real/real.hpp>

namespace residua::detail {

/// The literal without the marks between its digits.
inline std::string digits_of_literal(const char* text)
{
    std::string digits(text);
    std::erase(digits, '\'');
    return digits;
}

}  // namespace residua::detail

/// Decimals in the source, rounded correctly to the format and not first to binary64: 0.1_x4 is expansion<double, 4>,
/// 0.1_m256 is a multi-digit float of 256 bits, and 0.1_r256 is a real of 256 bits.
///
/// throws  error as from_string(), for hexadecimals too
namespace residua::literals {

inline expansion<double, 2> operator""_x2(const char* text)
{
    return expansion<double, 2>(residua::detail::digits_of_literal(text));
}
inline expansion<double, 3> operator""_x3(const char* text)
{
    return expansion<double, 3>(residua::detail::digits_of_literal(text));
}
inline expansion<double, 4> operator""_x4(const char* text)
{
    return expansion<double, 4>(residua::detail::digits_of_literal(text));
}
inline expansion<double, 8> operator""_x8(const char* text)
{
    return expansion<double, 8>(residua::detail::digits_of_literal(text));
}
inline multidigit_fixed<256> operator""_m256(const char* text)
{
    return multidigit_fixed<256>(residua::detail::digits_of_literal(text));
}
inline multidigit_fixed<1024> operator""_m1024(const char* text)
{
    return multidigit_fixed<1024>(residua::detail::digits_of_literal(text));
}
inline multidigit_fixed<4096> operator""_m4096(const char* text)
{
    return multidigit_fixed<4096>(residua::detail::digits_of_literal(text));
}
inline real operator""_r256(const char* text) { return {residua::detail::digits_of_literal(text), 256}; }
inline real operator""_r1024(const char* text) { return {residua::detail::digits_of_literal(text), 1024}; }
inline real operator""_r4096(const char* text) { return {residua::detail::digits_of_literal(text), 4096}; }

}  // namespace residua::literals
