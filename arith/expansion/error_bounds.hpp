#pragma once

#include <residua/arith/expansion/digit_layout.hpp>
#include <residua/arith/expansion/one_term_a_lane.hpp>

namespace residua {

/// The proved error bounds of docs/error_bounds.md as numbers, in units of u^N, u = 2^-53.
/// They hold for ulp-nonoverlapping operands without overflow and underflow.
namespace detail {

constexpr double power(double base, int n)
{
    double r = 1.0;
    for (int i = 0; i < n; ++i) {
        r *= base;
    }
    return r;
}

/// Products (1 + u)^m and the like that the derivations leave out.
inline constexpr double slack = 1.0 + 0x1p-40;

/// What the levels of a product are bounded by, section 4: |p_k| <= sigma (2u)^k |x_0 y_0|.
struct product_level_bound {
    double sigma = 1.0;
    int carried = 0;   // errors of the sums at level k - 1
    int products = 1;  // of order k
    int low = 0;       // errors of the products of order k - 1

    constexpr int count() const { return carried + products + low; }

    constexpr product_level_bound next(int factors) const
    {
        product_level_bound b;
        b.products = products < factors ? products + 1 : factors;
        b.low = products;
        b.carried = count() - 1;
        b.sigma = b.products + 0.5 * b.low + 0.5 * ceil_log2(count()) * sigma;
        return b;
    }
};

}  // namespace detail

// In lanes/error_bounds.hpp, which is included below.
namespace lanes {
constexpr double sum_error_bound(int n);
constexpr double product_error_bound(int width, int n);
}  // namespace lanes

/// The exact sum cut off after N > 2 terms, relative to itself. Theorem 1.
template <int N>
constexpr double squeezed_sum_error_bound()
{
    return detail::power(1.5, N) * detail::slack;
}

/// x + y, relative to |x + y|. Theorem 1; one_term_a_lane: theorem 9.
template <int N>
constexpr double sum_error_bound()
{
    if (one_term_a_lane<N>) {
        return lanes::sum_error_bound(N);
    }
    return N == 2 ? 3.0 + 13.0 * 0x1p-53 : squeezed_sum_error_bound<N>();
}

/// x + y with a double y, relative to |x + y|. As above.
template <int N>
constexpr double sum_with_double_error_bound()
{
    return N == 2 ? 2.0 * detail::slack : sum_error_bound<N>();
}

/// The levels of x y, relative to |x y|; y has `Ny` terms, N or 1. Theorems 2 and 4.
template <int N, int Ny>
constexpr double level_product_error_bound()
{
    if (N == Ny && N >= detail::first_digit_terms) {
        return 2.0 + (N <= 8 ? 1.01 : detail::power(1.52, N));
    }
    detail::product_level_bound b;
    for (int k = 1; k < N; ++k) {
        b = b.next(Ny);
    }
    const int depth = detail::ceil_log2(b.low) + b.products + detail::ceil_log2(b.carried + 1);
    const int dropped = Ny == 1 ? 0 : N - 1;
    return detail::power(2.0, N) * (0.5 * depth * b.sigma + dropped) * detail::slack;
}

/// The same for either kind of factor.
template <int N>
constexpr double level_product_error_bound()
{
    const double full = level_product_error_bound<N, N>();
    const double single = level_product_error_bound<N, 1>();
    return full > single ? full : single;
}

/// x y, relative to |x y|. Theorem 2; N = 2: DWTimesDW3, DWTimesFP3; one_term_a_lane: theorems 10 and 8.
template <int N, int Ny = N>
constexpr double product_error_bound()
{
    if (one_term_a_lane<N>) {
        return Ny == 1 ? detail::slack : lanes::product_error_bound(32, N) * detail::slack;
    }
    return N == 2 ? (Ny == 1 ? 2.0 : 4.0) : level_product_error_bound<N, Ny>();
}

/// An accumulator's result, relative to the sum of |x_i y_i| and |x_i|, if each of them has passed
/// through at most `depth` additions and merges. Theorem 3; one_term_a_lane: theorem 11.
template <int N>
constexpr double accumulation_error_bound(double depth)
{
    if (one_term_a_lane<N>) {
        return (sum_error_bound<N>() * depth + product_error_bound<N>()) * detail::slack;
    }
    detail::product_level_bound b;
    double omega = 1.0;
    for (int k = 1; k < N; ++k) {
        b = b.next(N < detail::first_digit_terms ? N : 1);
        const double largest = b.sigma > 0.5 * omega ? b.sigma : 0.5 * omega;
        omega = largest + 0.5 * detail::ceil_log2(k + 1) * omega;
    }
    const double addition = 0.5 * detail::ceil_log2(N + 1) * omega;
    return (detail::power(2.0, N) * addition * depth + level_product_error_bound<N>()) * detail::slack;
}

namespace detail {

/// By how many u the remainder shrinks in a step of the long division and of the root.
constexpr double remainder_factor(int n) { return n + 9.0; }

}  // namespace detail

/// x / y, relative to |x / y|. Theorem 5; N = 2: DWDivDW3; one_term_a_lane: theorem 12.
template <int N>
constexpr double quotient_error_bound()
{
    if (one_term_a_lane<N>) {
        return 2.03 + detail::power(5.2, N + 1) * 0x1p-53;
    }
    return N == 2 ? 9.8
                  : 2.0 * accumulation_error_bound<N>(N) + detail::power(detail::remainder_factor(N), N + 1) * 0x1p-53 +
                        sum_error_bound<N>();
}

/// sqrt(x), relative. Theorem 6; N = 2: SQRTDWtoDW; one_term_a_lane: theorem 13.
template <int N>
constexpr double root_error_bound()
{
    if (one_term_a_lane<N>) {
        return 0.52 + detail::power(6.5, N + 1) * 0x1p-53 + squeezed_sum_error_bound<N>();
    }
    return N == 2 ? 25.0 / 8.0
                  : accumulation_error_bound<N>(N) + 2.0 * detail::power(detail::remainder_factor(N), N + 1) * 0x1p-53 +
                        sum_error_bound<N>();
}

}  // namespace residua

#include <residua/arith/expansion/lanes/error_bounds.hpp>
