#pragma once

#include <algorithm>
#include <limits>

#include <residua/arith/real/real.hpp>
#include <residua/arith/rns/number.hpp>

#include "tests/support/biased_random.hpp"

namespace residua::support {

inline bool same_words(const rns_number& a, const rns_number& b)
{
    if (!is_finite(a) || residua::is_zero(a.value())) {
        return is_finite(a) == is_finite(b) && residua::is_zero(a.value()) == residua::is_zero(b.value());
    }
    const auto& x = a.value();
    const auto& y = b.value();
    return x.exponent == y.exponent && x.negative == y.negative && x.range.low == y.range.low &&
           x.range.high == y.range.high && x.range.exponent == y.range.exponent &&
           std::equal(x.digit, x.digit + a.format().count(), y.digit);
}

/// Full significands, ties of binary64 and what is next to them, its subnormal numbers and its overflow, zero, and what is not
/// finite.
inline rns_number hostile_rns(rns_format format, biased_random& random)
{
    const long bits = format.precision_bits();
    real x(random.any(), 2 * bits + 200);
    if (random.one_in(3)) {  // half of an ulp more
        const int e = is_zero(x) ? 0 : static_cast<int>(exponent(x)) - 54;
        x += ldexp(real(random.sign(), x.precision()), e < -1075 ? -1075 : e);
    }
    if (random.one_in(2) && !is_zero(x)) {  // and a little
        x += ldexp(real(random.full(0, 0), x.precision()),
                   exponent(x) - random.integer(54, static_cast<int>(bits) + 60));
    }
    if (random.one_in(30)) {
        return rns_number(format, random.one_in(2) ? 0.0 : std::numeric_limits<double>::infinity());
    }
    return rns_number(format, x);
}

}  // namespace residua::support
