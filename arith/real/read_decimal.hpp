#pragma once

#include <cstdint>
#include <string_view>

#include <residua/arith/real/real.hpp>

namespace residua {

/// real(decimal, bits), and whether that rounded the decimal.
struct read_decimal {
    real value;
    bool rounded = false;  ///< the value is not the decimal itself

    /// throws  as real(decimal, bits)
    read_decimal(std::string_view decimal, long bits);
};

/// x <- RN(+-coefficient 10^exponent), the digits of the coefficient in decimal or as an integer, at the precision of x.
///
/// cost     one product or quotient with a power of ten that is kept, for up to 19 digits and |exponent| <= 400
/// reports  nothing in MPFR's flags, which stay as they were
/// returns  as MPFR: whether and how that rounded
/// throws   error if the value is outside MPFR's range
int set_decimal(real& x, bool negative, std::uint64_t coefficient, std::int32_t exponent);
int set_decimal(real& x, bool negative, std::string_view digits, std::int64_t exponent);

}  // namespace residua
