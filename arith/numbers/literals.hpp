#pragma once

#include <algorithm>
#include <string>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/real/real.hpp>

/// Decimals in the source, rounded correctly to the format and not first to binary64: 0.1_x4 is expansion<double, 4>,
/// 0.1_r256 a real of 256 bits.
///
/// throws  error as from_string(), for hexadecimals too
namespace residua::literals {

namespace detail {

/// The literal without the marks between its digits.
inline std::string plain(const char* text)
{
    std::string digits(text);
    std::erase(digits, '\'');
    return digits;
}

}  // namespace detail

inline expansion<double, 2> operator""_x2(const char* text) { return expansion<double, 2>(detail::plain(text)); }
inline expansion<double, 3> operator""_x3(const char* text) { return expansion<double, 3>(detail::plain(text)); }
inline expansion<double, 4> operator""_x4(const char* text) { return expansion<double, 4>(detail::plain(text)); }
inline expansion<double, 8> operator""_x8(const char* text) { return expansion<double, 8>(detail::plain(text)); }
inline real operator""_r256(const char* text) { return {detail::plain(text), 256}; }
inline real operator""_r1024(const char* text) { return {detail::plain(text), 1024}; }
inline real operator""_r4096(const char* text) { return {detail::plain(text), 4096}; }

}  // namespace residua::literals
