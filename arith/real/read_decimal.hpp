#pragma once

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

}  // namespace residua
