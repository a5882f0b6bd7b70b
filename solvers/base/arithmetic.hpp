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
