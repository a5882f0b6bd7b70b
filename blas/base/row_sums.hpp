#pragma once

#include <algorithm>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/simd.hpp>
#include <residua/blas/base/unroll.hpp>

namespace residua::blas::detail {

/// Accumulators of Rows rows, word by word, for SIMD over rows.
template <class T, index_t Rows>
struct row_sums {
    using acc = accumulator_of<T>;
    static constexpr index_t rows = Rows;
    static constexpr int words = acc::words;

    alignas(64) double w[words][Rows];

    RESIDUA_HD acc load(index_t r) const
    {
        acc a;
        residua::detail::unroll<words>([&](int k) __attribute__((always_inline)) { a.w[k] = w[k][r]; });
        return a;
    }

    RESIDUA_HD void store(index_t r, const acc& a)
    {
        residua::detail::unroll<words>([&](int k) __attribute__((always_inline)) { w[k][r] = a.w[k]; });
    }

    /// Stores `yes` or `no`, without a branch.
    RESIDUA_HD void store(index_t r, bool choice, const acc& yes, const acc& no)
    {
        residua::detail::unroll<words>([&](int k)
                                           __attribute__((always_inline)) { w[k][r] = choice ? yes.w[k] : no.w[k]; });
    }

    /// Makes the first `count` rows zero.
    void clear(index_t count = Rows)
    {
        for (int k = 0; k < words; ++k) {
            std::fill_n(w[k], count, 0.0);
        }
    }
};

/// left <- left + right, the first `count` rows
template <class T, index_t Rows>
inline __attribute__((always_inline)) void merge_rows(row_sums<T, Rows>& left, const row_sums<T, Rows>& right,
                                                      index_t count)
{
    for_lanes(
        count, [&](index_t r) __attribute__((always_inline)) {
            auto sum = left.load(r);
            sum.merge(right.load(r));
            left.store(r, sum);
        });
}

/// The number of places that sum_chunks needs for 2^32 columns.
inline constexpr int most_chunk_levels = 27;

/// Sums over the columns of a matrix in the order of reduction_order.hpp. add(place, first, last) makes the sum of a
/// chunk of columns at one of most_chunk_levels places; merge(place) adds the sum at place + 1. The whole sum is at
/// place 0 in the end. Returns whether there are columns.
template <class Add, class Merge>
inline __attribute__((always_inline)) bool sum_chunks(index_t cols, const Add& add, const Merge& merge)
{
    int depth = 0;
    const index_t chunks = (cols + gemv_chunk - 1) / gemv_chunk;
    for (index_t chunk = 0; chunk < chunks; ++chunk) {
        const index_t j = chunk * gemv_chunk;
        add(depth, j, std::min(j + gemv_chunk, cols));
        ++depth;
        const bool last = chunk + 1 == chunks;
        for (index_t c = chunk; depth > 1 && (last || c % 2 == 1); c /= 2) {
            merge(depth - 2);
            --depth;
        }
    }
    return depth > 0;
}

}  // namespace residua::blas::detail
