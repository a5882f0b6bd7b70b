#pragma once

#include <cmath>

#include <residua/solvers/base/number_format.hpp>

namespace residua {

/// A format, and a precision that it has.
struct arithmetic {
    number_format format;
    long bits;

    bool operator==(const arithmetic&) const = default;
};

/// The bits of the longest expansion that vectors have.
inline constexpr long most_expansion_bits = 424;

/// The arithmetic in which a format serves `bits` bits: itself, or multi-digit floats for expansions that would be longer than
/// most_expansion_bits. Multi-digit floats round correctly to as many bits, and are faster (docs/architecture.md).
inline arithmetic served_by(number_format format, long bits)
{
    const bool is_too_long = format == number_format::expansion && bits > most_expansion_bits;
    return {is_too_long ? number_format::multidigit : format, bits};
}

/// Bytes of a number of a format in a vector.
double number_bytes(const arithmetic& in);

/// Bytes of a number of a format alone on the host.
double scalar_bytes(const arithmetic& in);

/// The format of GMRES-IR's products, and of its solves with long factors, where it works in this one: twice the bits.
arithmetic products_of(const arithmetic& in);

/// The number of decimal digits that a number of `bits` bits holds.
inline int decimal_digits(long bits)
{
    return static_cast<int>(std::floor(static_cast<double>(bits) * std::log10(2.0)));
}

}  // namespace residua
