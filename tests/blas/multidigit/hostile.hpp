#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <residua/arith/multidigit/number.hpp>

#include "tests/support/biased_random.hpp"

namespace residua::support {

inline bool same_words(const multidigit_number& a, const multidigit_number& b)
{
    const auto& x = a.value();
    const auto& y = b.value();
    return x.exponent == y.exponent && x.negative == y.negative && std::equal(x.d, x.d + x.digits, y.d);
}

/// Full digits, few, runs of ones and zeros, the middle between two numbers of `split` bits and what is next to it; the ends
/// of the range, zero, infinities and NaN.
inline multidigit_number hostile_multidigit(multidigit_format format, long split, biased_random& random)
{
    auto value = multidigit_number(format, 1.0).value();
    const long bits = format.bits();
    const auto set = [&](long place, bool one) {  // counted from the highest bit
        if (place < bits) {
            const std::uint64_t bit = std::uint64_t{1} << (63 - place % 64);
            std::uint64_t& d = value.d[value.digits - 1 - place / 64];
            d = one ? d | bit : d & ~bit;
        }
    };
    const int kind = random.integer(0, 7);
    for (long k = 1; k < bits; ++k) {
        set(k, kind == 0 ? true : kind == 1 ? false : random.one_in(2));
    }
    if (kind >= 2 && kind <= 4 && split < bits) {  // a tie, or next to one
        set(split, true);
        for (long k = split + 1; k < bits; ++k) {
            set(k, false);
        }
        if (kind == 3) {
            set(bits - 1, true);
        } else if (kind == 4) {  // just below it
            set(split, false);
            for (long k = split + 1; k < bits; ++k) {
                set(k, true);
            }
        }
        for (long k = split - random.integer(1, 70); k < split; ++k) {  // ones that a carry goes through
            if (k > 0) {
                set(k, !random.one_in(40));
            }
        }
    }
    if (kind == 5 && split < bits) {  // ones as far as they stay
        for (long k = 1; k <= split; ++k) {
            set(k, true);
        }
    }
    value.negative = random.one_in(2);
    value.exponent = random.integer(-300, 300);
    if (random.one_in(10)) {
        value.exponent = random.one_in(2) ? multidigit_most_exponent - random.integer(0, 1)
                                          : multidigit_least_exponent + random.integer(0, 1);
    }
    if (random.one_in(15)) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        return {format, random.one_in(2) ? 0.0 : random.one_in(2) ? random.sign() * infinity : infinity - infinity};
    }
    return {format, value};
}

}  // namespace residua::support
