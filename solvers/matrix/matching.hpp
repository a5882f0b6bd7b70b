#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <residua/solvers/matrix/sparse_matrix.hpp>

namespace residua {

/// Rows matched with columns, and powers of two that scale the matrix for them.
struct row_matching {
    std::vector<std::int32_t> row_of_column;  ///< the row matched with column j; -1: none
    std::vector<int> row_exponent;            ///< r of the scaled entries a_ij 2^(r_i + c_j)
    std::vector<int> column_exponent;         ///< c of the scaled entries
    index_t size = 0;                         ///< matched columns: n unless A is structurally singular
};

/// The matching of most columns, each with a row of its own in which it has an entry that is not zero, and of the
/// largest product of the absolute values of these entries. If A is structurally singular, n - size rows and as many
/// columns stay unmatched, and the product is the largest one of matchings of the others.
///
/// The duals of the matching scale A: |a_ij| 2^(r_i + c_j) is below 2 for all entries, and above 1/2 for matched ones
/// and for the largest one of each row and column that is not zero. If all entries are powers of two, up to their
/// signs, the former are at most 1 and the latter are 1. Rows and columns of zeros have exponent 0. Exponents may be
/// larger than those of binary64: |r_i| and |c_j| reach up to 4200 (n + 2).
///
/// shapes   entries of A are finite
/// errors   logarithms are rounded to multiples of u = 2^-40, and from n = 128 on of 2^-(47 - b) where n has b bits.
///          So the product is at least 2^-(1.001 n u) times the largest; the bounds above are strict all the same
/// cost     at most n shortest paths by Dijkstra's algorithm, O(n entries log n) in all. Random matrices and grids need
///          one for a sixth of the columns, and they look at 10 to 100 times the entries of A
/// order    the matrix alone decides between matchings of one product
/// throws   unsupported_error if an exponent is 2^30 or more in size
/// from     [DK99, DK01]
row_matching match_rows(const sparse_matrix& a);

/// The largest rank of the matrices with nonzero entries in the same places: the rank of A is no more.
///
/// shapes  A (n x n)
/// cost    match_rows()
index_t structural_rank(const sparse_matrix& a);

/// Stands for the exponent of an entry that is zero.
inline constexpr index_t no_entry = std::numeric_limits<index_t>::min();

/// match_rows() for entries of any size, of which only exponents are given: 2^(e-1) <= |a_ij| < 2^e counts as 2^e. So
/// scaled entries are below 1, and matched ones and the largest of each row and column are at least 1/2.
///
/// shapes   A (n x n) by rows, row_begin (n + 1), an exponent for each entry, below 2^31 in size
row_matching match_rows(std::span<const index_t> row_begin, std::span<const std::int32_t> column,
                        std::span<const index_t> exponent);

}  // namespace residua
