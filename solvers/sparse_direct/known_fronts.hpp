#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <residua/blas/base/multidigit_array.hpp>
#include <residua/solvers/sparse_direct/analysis.hpp>

namespace residua {

/// What is known about a front after its elimination, but for its numbers. Its matrix is [P, [R; C]]. P has `columns`
/// columns: its own pivots, and those its children delayed. `row` and `column` name the pivots of rows and columns.
struct front_shape {
    index_t columns = 0;
    index_t pivots = 0;  ///< pivots that were found
    std::vector<std::int32_t> row, column;
    std::vector<char> is_pair;  ///< for L D L': pivots k and k + 1 are a 2 x 2 block of D

    index_t order() const { return static_cast<index_t>(row.size()); }
    index_t below() const { return order() - columns; }
};

/// The numbers of factors by fronts, one by one, for multifrontal in another format.
struct known_fronts {
    std::shared_ptr<const sparse_analysis> analysis;
    std::function<const front_shape&(index_t f)> shape;
    std::function<vector<host_executor, multidigit>(index_t f)> values;  ///< P by columns, then R
};

}  // namespace residua
