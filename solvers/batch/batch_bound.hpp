#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <residua/arith/expansion/error_bounds.hpp>
#include <residua/solvers/batch/batch_part.hpp>

/// How far the solutions of a part may be off: docs/error_bounds.md, theorem 30.
namespace residua::detail {

/// u^N for the N terms of T.
template <number T>
inline constexpr double unit_of = power(0x1p-53, number_traits<T>::terms);

/// A sum of n products, the quotient and the product of T, each in units of u^N.
template <number T>
constexpr double sum_bound(double n)
{
    if constexpr (number_traits<T>::terms == 1) {
        return n + 1.0;
    } else {
        return accumulation_error_bound<number_traits<T>::terms>(n);
    }
}
template <number T>
constexpr double quotient_bound()
{
    if constexpr (number_traits<T>::terms == 1) {
        return 1.0;
    } else {
        return quotient_error_bound<number_traits<T>::terms>();
    }
}
template <number T>
constexpr double product_bound()
{
    if constexpr (number_traits<T>::terms == 1) {
        return 1.0;
    } else {
        return product_error_bound<number_traits<T>::terms>();
    }
}

/// What is known about one solution.
struct error_bound {
    double size = 0.0;                                       ///< a lower bound of ||x||_inf
    double error = std::numeric_limits<double>::infinity();  ///< bound of ||x - x*||_inf
    bool inverse_is_bounded = false;
};

/// The bound for system s of a part whose inverses were bounded in F, the format of the factors or binary64.
///
/// reports  an infinite error if the inverse is not bounded, or something is not finite
template <number T, number F>
error_bound bound_of(const part_result<T>& part, index_t s)
{
    constexpr double up = 1.0 + 0x1p-30;  // above all roundings of sums of positive binary64 numbers
    const index_t n = part.x.size();
    const double order = static_cast<double>(n);
    const bool corrected = part.d.count() > 0;
    constexpr int wide = 2 * number_traits<T>::terms;
    const double of_residual = accumulation_error_bound<wide>(order + 1.0) * power(0x1p-53, wide) * up;
    double inverse = 0.0, upper = 0.0, residual = 0.0, size = 0.0;
    bool finite = true;
    const auto first = [s](const auto& batch, index_t i) { return batch.view()[s].data()[i]; };
    for (index_t i = 0; i < n; ++i) {
        const double r = first(part.r, i), x = first(part.x, i), d = corrected ? first(part.d, i) : 0.0;
        const double sizes = first(part.sizes, i) + (corrected ? first(part.sizes_of_d, i) : 0.0);
        const double row = first(part.inverse, i);
        finite = finite && std::isfinite(r + x + d + sizes + row);
        inverse = std::max(inverse, row);
        upper += first(part.upper, i);
        residual = std::max(residual, std::fabs(r) + of_residual * sizes);
        size = std::max(size, std::fabs(x + d));
    }
    const double of_factors = (2.0 * order * sum_bound<T>(1.0) + quotient_bound<T>() + product_bound<T>()) * unit_of<T>;
    const double of_rows = 2.01 * (sum_bound<F>(order) + quotient_bound<F>()) * unit_of<F>;
    const double of_first_terms = number_traits<F>::terms < number_traits<T>::terms ? 2.01 * 0x1p-52 : 0.0;
    const double distance = (of_factors + of_rows + of_first_terms) * inverse * upper * up;
    error_bound found;
    found.inverse_is_bounded = finite && distance <= 0.5;
    if (found.inverse_is_bounded) {
        found.size = size * (1.0 - 0x1p-30);
        found.error = inverse * residual / (1.0 - distance) * up;
    }
    return found;
}

}  // namespace residua::detail
