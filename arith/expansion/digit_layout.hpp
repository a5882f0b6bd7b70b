#pragma once

namespace residua::detail {

constexpr int ceil_log2(int n)
{
    int k = 0;
    while ((1 << k) < n) {
        ++k;
    }
    return k;
}

/// Products of this many terms or more are computed by digits; for fewer terms, levels take fewer operations.
inline constexpr int first_digit_terms = 7;

/// Width in bits and number of the digits of a number.
struct digit_layout {
    int width;
    int count;
};

/// For n terms: enough digits for an error of their product below 2 u^n, as wide as they can be
/// without a sum of one order reaching 2^53 units.
constexpr digit_layout digits_for(int n)
{
    digit_layout d{50, n};
    for (;; --d.width) {
        d.count = n;
        while (d.width * d.count < 53 * n + 3 + ceil_log2(2 * d.count + n)) {
            ++d.count;
        }
        if (3 * d.count <= (1 << (54 - d.width))) {
            return d;
        }
    }
}

}  // namespace residua::detail
