#pragma once

#include <residua/arith/expansion/error_bounds.hpp>
#include <residua/blas/base/reduction_order.hpp>
#include <residua/io/error.hpp>

/// What the sums of blas are off by, at most, in units of u^N times the sum of the magnitudes of
/// their products; u = 2^-53, N terms. No overflow; for underflow see docs/error_bounds.md, section 7.
///
/// This is theorem 3 of docs/error_bounds.md with p = products_per_renormalization additions between two passes
/// of vec_sum instead of one. Let B be the sum of the magnitudes that an accumulator holds. A pass
/// leaves |w_k| <= W_{k-1} / 2 (2u)^k B for its share of B; until the next one, products add at most
/// sigma_k (2u)^k times theirs, and each of the p additions carries at most ceil_log2(k + 1) / 2 W_{k-1}
/// (2u)^k B from level k - 1. So the magnitudes at level k never exceed W_k (2u)^k B,
///
///     W_0 = 1,  W_k = max(sigma_k, W_{k-1} / 2) + p ceil_log2(k + 1) / 2 W_{k-1},
///
/// and an addition loses at most ceil_log2(N + 1) / 2 W_{N-1} (2u)^N B at level N - 1. Summed over all
/// additions each product counts as often as it takes part, `depth` times at most; the errors of
/// its own levels come on top.
namespace residua::blas {

template <int N>
constexpr double ordered_sum_error_bound(double depth)
{
    if constexpr (N == 1) {
        return 1.01 * (depth + 1.0);  // depth u < 0.01; the product is rounded too
    } else {
        residua::detail::product_level_bound level;
        double w = 1.0;
        for (int k = 1; k < N; ++k) {
            level = level.next(N < residua::detail::first_digit_terms ? N : 1);
            const double added = level.sigma > 0.5 * w ? level.sigma : 0.5 * w;
            const double carried = 0.5 * products_per_renormalization<N> * residua::detail::ceil_log2(k + 1);
            w = added + carried * w;
        }
        const double lost = 0.5 * residua::detail::ceil_log2(N + 1) * w;
        return (residua::detail::power(2.0, N) * lost * depth + level_product_error_bound<N>()) *
               residua::detail::slack;
    }
}

namespace detail {

constexpr double ceil_log2(index_t n)
{
    double k = 0.0;
    for (index_t power = 1; power < n; power *= 2) {
        k += 1.0;
    }
    return k;
}

}  // namespace detail

/// The additions and merges that a product of a long sum of n products takes part in, at most.
constexpr double long_sum_depth(index_t n)
{
    constexpr index_t in_lane = reduction_block / reduction_lanes;
    const index_t blocks = (n + reduction_block - 1) / reduction_block;
    return static_cast<double>(in_lane) + detail::ceil_log2(reduction_lanes) + detail::ceil_log2(blocks);
}

/// A long sum of n products: dot, asum, the square of norm2, a column of gemv_t.
template <int N>
constexpr double long_sum_error_bound(index_t n)
{
    return ordered_sum_error_bound<N>(long_sum_depth(n));
}

/// A row sum of gemv over n columns.
template <int N>
constexpr double dense_row_error_bound(index_t n)
{
    const index_t chunks = (n + gemv_chunk - 1) / gemv_chunk;
    return ordered_sum_error_bound<N>(static_cast<double>(gemv_chunk) + detail::ceil_log2(chunks));
}

/// A row sum of spmv, or of trsv, over k entries.
template <int N>
constexpr double sparse_row_error_bound(index_t k)
{
    return ordered_sum_error_bound<N>(static_cast<double>(k));
}

}  // namespace residua::blas
