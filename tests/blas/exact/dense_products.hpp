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

}  // namespace residua::support
