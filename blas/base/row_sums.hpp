#pragma once

#include <residua/blas/base/accumulate.hpp>
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

    void clear()
    {
        for (int k = 0; k < words; ++k) {
            for (index_t r = 0; r < Rows; ++r) {
                w[k][r] = 0.0;
            }
        }
    }
};

}  // namespace residua::blas::detail
