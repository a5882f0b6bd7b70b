#pragma once

#include <cstdint>
#include <optional>

namespace residua::io {

struct nearest_number {
    double value;
    bool
        is_printed;  ///< known: `value`, rounded to as many digits as the coefficient has, is the decimal that was read
};

/// The nearest binary64 to coefficient 10^exponent, ties to even, where one multiplication tells it.
///
/// That is a multiplication or division by a power of ten that binary64 holds [Clinger90, Sec. 4], or a product with the
/// first 128 bits of a power of five [Lemire21]: of these an upper bound of its error shows that no number between the
/// product and what it stands for is a tie. What the product is beside its 53 bits also tells how many units of the
/// coefficient lie between the decimal and the result.
///
/// returns  empty for ties and what lies within 2^-73 of them, for subnormal numbers, and for what overflows
std::optional<nearest_number> nearest_binary64(std::uint64_t coefficient, std::int32_t exponent);

/// Whether coefficient 10^exponent has a significand of 53 bits.
bool fits_53_bits(std::uint64_t coefficient, std::int32_t exponent);

}  // namespace residua::io
