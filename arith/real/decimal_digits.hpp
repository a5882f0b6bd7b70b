#pragma once

#include <cstdint>
#include <string>

#include <residua/arith/real/real.hpp>

namespace residua {

/// +-0.ddd 10^exponent with these digits, the first of which is not zero.
struct digit_string {
    std::string digits;
    std::int64_t exponent = 0;
};

/// |x|, finite and not zero, rounded to nearest even with `count` digits, count >= 1.
///
/// cost    a product with a power of five, or a division by one, and a conversion of an integer of `count` digits, where the
///         exponents are moderate; else that of mpfr_get_str. All integers are exact
digit_string rounded_digits(const real& x, int count);

}  // namespace residua
