#pragma once

#include <residua/arith/expansion/error_bounds.hpp>

/// The proved error bounds of docs/error_bounds.md, section 10, in units of u^n, u = 2^-53, for results
/// of n terms in a tile of W lanes; and the published ones they improve on. No overflow, no underflow.
namespace residua::lanes {

/// Relative to |x + y|, under any cancellation. Theorem 8.
constexpr double safe_sum_error_bound() { return residua::detail::slack; }

/// The published 2^(-53 n + 3 n - 1).
///
/// from  [CJMP16]
constexpr double published_sum_error_bound(int n) { return 0.5 * residua::detail::power(8.0, n); }

/// Relative to |x + y|, if is_valid_sum accepts the result. Theorem 9.
constexpr double fast_sum_error_bound(int n)
{
    double largest = 2.0;
    for (int k = 1; k < n; ++k) {
        largest = 2.0 + 0.5 * k * largest;
    }
    return n * largest * residua::detail::power(2.0, n) * residua::detail::slack;
}

/// Relative to |x + y|, for sum, which returns the result of fast_sum or of safe_sum.
constexpr double sum_error_bound(int n) { return fast_sum_error_bound(n); }

/// raw_product in W lanes, relative to |x_0 y_0|, in units of u^W. Theorem 10.
constexpr double raw_product_error_bound(int width)
{
    return (16.0 * width + 4.0) * residua::detail::power(2.0, width) * residua::detail::slack;
}

/// product, relative to |x_0 y_0|. Theorem 10.
constexpr double product_error_bound(int width, int n)
{
    const double rounding = n < width ? 1.0 : 0.0;
    const double scale = residua::detail::power(0x1p-53, width - n);
    return (raw_product_error_bound(width) * scale + rounding) * (1.0 + 0x1p-40);
}

/// The published |x_0 y_0| 2^(-52 n) (n - 1) (1 + 2^51 (1 + 2^-53) + (n^3 - n) ((n - 1)!)^2).
///
/// from  [CJMP16]
constexpr double published_product_error_bound(int n)
{
    double squared_factorial = 1.0;
    for (int k = 2; k < n; ++k) {
        squared_factorial *= static_cast<double>(k) * k;
    }
    const double cube = static_cast<double>(n) * n * n - n;
    return residua::detail::power(2.0, n) * (n - 1) * (1.0 + 0x1p51 * (1.0 + 0x1p-53) + cube * squared_factorial);
}

}  // namespace residua::lanes
