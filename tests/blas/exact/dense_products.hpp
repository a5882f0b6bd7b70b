#pragma once

#include <limits>
#include <type_traits>

#include "tests/blas/exact/exact_oracle.hpp"

/// What the tests of gemm_exact and of residual_exact share.
namespace residua::support {

inline constexpr host_executor exec;
inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A has m rows and k columns, the other factor n columns.
struct exact_shape {
    index_t m, k, n;
};
inline constexpr exact_shape exact_shapes[] = {{1, 1, 1}, {5, 3, 2}, {2, 33, 9}, {11, 8, 13}};

using dense_exact_formats = testing::Types<double, expansion<double, 2>, expansion<double, 3>, expansion<double, 8>>;

template <class T>
matrix_view<host_executor, T> part_of(const matrix_view<host_executor, T>& a, index_t row, index_t col, index_t m,
                                      index_t n)
{
    if constexpr (run_time_format<std::remove_const_t<T>>) {
        return a.block(row, col, m, n);
    } else {
        return {a.data + row + col * a.ld, m, n, a.ld, a.plane_stride};
    }
}

}  // namespace residua::support
