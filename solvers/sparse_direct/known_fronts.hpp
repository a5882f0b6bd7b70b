#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <residua/blas/base/multidigit_array.hpp>
#include <residua/solvers/sparse_direct/analysis.hpp>

namespace residua {

/// What is known of a front after its elimination, but for its numbers. Its matrix is [P, [R; C]] with `columns` columns in P:
/// its own pivots, and those that its children delayed. `row` and `column` are the pivots that its rows and columns stand for.
struct front_shape {
    index_t columns = 0;
    index_t pivots = 0;  ///< that were found
    std::vector<std::int32_t> row, column;
    std::vector<char> is_pair;  ///< of L D L': pivots k and k + 1 are a 2 x 2 block of D

    index_t order() const { return static_cast<index_t>(row.size()); }
    index_t below() const { return order() - columns; }
};

/// Factors by fronts number by number, for multifrontal in another format.
struct known_fronts {
    std::shared_ptr<const sparse_analysis> analysis;
    std::function<const front_shape&(index_t f)> shape;
    std::function<vector<host_executor, multidigit>(index_t f)> values;  ///< P by columns, then R
};

}  // namespace residua
