#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <residua/solvers/matrix/sparse_matrix.hpp>

namespace residua {

/// Where a symmetric matrix may have entries off its diagonal, both triangles: the graph of its unknowns.
struct symmetric_pattern {
    index_t n = 0;
    std::vector<index_t> begin;          ///< where the neighbours of each unknown begin, n + 1 numbers
    std::vector<std::int32_t> neighbor;  ///< ascending for each unknown
};

/// The pattern of B + B', where row j of B is row row_of_column[j] of A; empty: B = A.
///
/// shapes   A (n x n), row_of_column (n) or empty: a permutation
/// cost     the entries of A
symmetric_pattern pattern_of(const sparse_matrix& a, std::span<const std::int32_t> row_of_column = {});

/// Ways to find an order of elimination: the first two for little fill in complete factors, the third, of small bandwidth,
/// for little error in incomplete ones.
enum class ordering { minimum_degree, nested_dissection, reverse_cuthill_mckee };

/// The unknown that is eliminated k-th, for each k.
///
/// cost     minimum degree: about the entries of the pattern times the mean degree; nested dissection: several times the
///          entries, more than minimum degree for small patterns, with a third to a tenth of the multiply-adds of factors
///          of large grids; reverse Cuthill-McKee: the entries, three or four times, sorted by degrees
/// order    one call at a time finds nested dissections; the order depends on the pattern alone, unless another thread calls
///          rand() or random() of the C library meanwhile
/// throws   unsupported_error: nested dissection of a pattern with more than 2^31 - 1 entries
/// from     [ADD96] by Eigen, [KK98] by METIS, [CM69] from an unknown far from the others [GL79]
std::vector<std::int32_t> find_order(const symmetric_pattern& pattern, ordering how);

/// What find_separator() says of the unknowns of the separator.
inline constexpr std::int32_t in_separator = 2;

/// A small set of unknowns without which the others fall into two sides of about equal size: the side of each unknown,
/// 0 or 1, or in_separator.
///
/// cost     several times the entries
/// order    as find_order()
/// throws   as find_order() for nested dissection
/// from     [KK98] by METIS
std::vector<std::int32_t> find_separator(const symmetric_pattern& pattern);

}  // namespace residua
