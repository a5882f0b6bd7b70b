#pragma once

#include <string>

#include <residua/solvers/matrix/sparse_matrix.hpp>

namespace residua {

/// What the entries of a matrix show about it. All comparisons are exact.
struct matrix_structure {
    bool square = false;
    bool symmetric = false;
    bool skew_symmetric = false;
    bool complex_symmetric = false;  ///< a real form, whose complex matrix equals its transpose, not conjugated
    bool nonzero_diagonal = false;   ///< every diagonal entry is stored and not zero
    bool positive_diagonal = false;
    bool diagonally_dominant = false;  ///< by rows, weakly
    index_t lower_bandwidth = 0;
    index_t upper_bandwidth = 0;
    index_t zero_rows = 0;  ///< rows without a nonzero entry
    index_t zero_cols = 0;
    index_t first_zero_row = 0;  ///< where there is one
    index_t first_zero_col = 0;

    bool has_zero_lines() const { return zero_rows > 0 || zero_cols > 0; }
};

/// Which rows and columns are zero, counted from 1: "row 5 and column 7 (the first of 3) have no nonzero entry"; empty: none.
std::string zero_words(const matrix_structure& structure);

/// cost  one pass over the entries, and their transpose
matrix_structure inspect(const sparse_matrix& system);

/// What rows first_row, first_row + 1, ... of a matrix show alone: all but its symmetry and its zero columns.
matrix_structure inspect_rows(const sparse_matrix& rows, index_t first_row, index_t rows_of_all);

}  // namespace residua
