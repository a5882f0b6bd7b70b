#pragma once

#include <residua/solvers/system/linear_system.hpp>

namespace residua {

/// What a look at the entries tells about a matrix. All comparisons are exact.
struct matrix_structure {
    bool square = false;
    bool symmetric = false;
    bool skew_symmetric = false;
    bool nonzero_diagonal = false;  ///< every diagonal entry is stored and not zero
    bool positive_diagonal = false;
    bool diagonally_dominant = false;  ///< by rows, weakly
    index_t lower_bandwidth = 0;
    index_t upper_bandwidth = 0;
    index_t zero_rows = 0;
    index_t zero_cols = 0;
};

/// cost  one pass over the entries, and their transpose
matrix_structure inspect(const linear_system& system);

}  // namespace residua
