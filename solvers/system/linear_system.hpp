#pragma once

#include <cstdint>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/io/coo.hpp>
#include <residua/io/error.hpp>

namespace residua {

/// A x = b as the user gave it: A in compressed rows, b in `real`.
///
/// If all entries of A are binary64 numbers, `exact` is empty and `values` is A. Otherwise
/// `exact` holds A to the precision it was read with and `values` its rounding to binary64.
struct linear_system {
    index_t rows = 0;
    index_t cols = 0;
    std::vector<index_t> row_begin;    ///< rows + 1 positions in the three arrays below
    std::vector<std::int32_t> column;  ///< ascending in each row
    std::vector<double> values;
    std::vector<real> exact;  ///< empty, or as long as `values`
    std::vector<real> b;
    /// Bound on |written - held| / |held| over all numbers of A and of b that were read from decimals; 0 if every one is
    /// held exactly. Of entries that were summed at one position: relative to the sum of their sizes. Numbers that were
    /// read as binary64, and a b that was computed from A, mean what is held.
    real reading_error = 0.0;

    index_t nonzeros() const { return static_cast<index_t>(column.size()); }
};

/// The system with matrix `a` (entries sorted by row, then column, no duplicates) and right-hand side `b`.
///
/// throws  dimension_error if b does not have as many entries as a has rows, if a has 2^31 columns or more, or if an
///         entry lies outside of a, out of order, or twice
linear_system make_system(const io::coo<double>& a, std::vector<real> b);
linear_system make_system(const io::coo<real>& a, std::vector<real> b);

/// Throws unless the matrix is as `linear_system` says: sizes, positions and order of columns.
///
/// throws  dimension_error
void require_valid(const linear_system& system);

/// A * (1, ..., 1), exactly: the right-hand side whose solution is all ones.
std::vector<real> row_sums(const linear_system& system);

}  // namespace residua
