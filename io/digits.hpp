#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace residua::io {

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

/// 10^k for k = 0..19, all that 64 bits hold.
inline constexpr auto powers_of_ten = []() {
    std::array<std::uint64_t, 20> power{};
    power[0] = 1;
    for (std::size_t k = 1; k < power.size(); ++k) {
        power[k] = 10 * power[k - 1];
    }
    return power;
}();

/// Eight bytes of a text, the first one lowest.
inline std::uint64_t eight_bytes(const char* p)
{
    std::uint64_t bytes = 0;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&bytes, p, sizeof bytes);
    } else {
        for (int k = 7; k >= 0; --k) {
            bytes = (bytes << 8) | static_cast<unsigned char>(p[k]);
        }
    }
    return bytes;
}

/// How many of eight bytes are digits before the first that is not.
///
/// A byte b is a digit if b ^ 0x30 <= 9; the top bit of each byte of the mask tells that it is not.
inline int leading_digits(std::uint64_t bytes)
{
    constexpr std::uint64_t ones = 0x0101010101010101;
    const std::uint64_t t = bytes ^ (0x30 * ones);
    const std::uint64_t not_digits = (((t & (0x7f * ones)) + 0x76 * ones) | t) & (0x80 * ones);
    return std::countr_zero(not_digits) / 8;
}

/// The integer that eight digits form, of which the first may be zero bytes: pairs of them become numbers below 100, then
/// fours, then one of eight.
inline std::uint64_t number_of_eight(std::uint64_t digits)
{
    digits = (digits & 0x0f0f0f0f0f0f0f0f) * (10 * 256 + 1) >> 8;
    digits = (digits & 0x00ff00ff00ff00ff) * (std::uint64_t{100} * 65536 + 1) >> 16;
    return (digits & 0x0000ffff0000ffff) * ((std::uint64_t{10000} << 32) + 1) >> 32;
}

/// The end of a text that need not be checked: a byte that ends every number stands before it, and eight follow that.
struct padded_end {
    friend bool operator!=(const char*, padded_end) { return true; }
    friend std::ptrdiff_t operator-(padded_end, const char*) { return 8; }
};

/// The place behind the digits from p on, in a text that ends at `last`.
inline const char* skip_digits(const char* p, const char* last)
{
    while (last - p >= 8) {
        const int digits = leading_digits(eight_bytes(p));
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

/// Skips digits and appends them to those of `number`, modulo 2^64. This is for few digits, whose number is mostly the
/// same, so that the processor predicts where they end.
template <class End>
const char* append_few_digits(const char* p, End last, std::uint64_t& number)
{
    while (p != last && is_digit(*p)) {
        number = 10 * number + static_cast<std::uint64_t>(*p - '0');
        ++p;
    }
    return p;
}

/// append_few_digits() for many digits: their number costs no branch.
template <class End>
const char* append_digits(const char* p, End last, std::uint64_t& number)
{
    while (last - p >= 8) {
        const std::uint64_t bytes = eight_bytes(p);
        const int digits = leading_digits(bytes);
        if (digits < 8) {
            number = number * powers_of_ten[static_cast<std::size_t>(digits)] +
                     number_of_eight(bytes << (8 * (7 - digits)) << 8);
            return p + digits;
        }
        number = number * powers_of_ten[8] + number_of_eight(bytes);
        p += 8;
    }
    return append_few_digits(p, last, number);
}

}  // namespace residua::io
