#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <residua/solvers/matrix/sparse_matrix.hpp>

namespace residua {

/// Sets of the numbers 0, ..., n - 1, which are joined.
class joined_sets {
public:
    explicit joined_sets(index_t n) : parent_(static_cast<std::size_t>(n))
    {
        std::iota(parent_.begin(), parent_.end(), 0);
    }

    /// The least number of the set of i.
    std::int32_t first(std::int32_t i)
    {
        while (parent(i) != i) {
            i = std::exchange(parent(i), parent(parent(i)));
        }
        return i;
    }

    void join(std::int32_t i, std::int32_t j)
    {
        const auto [low, high] = std::minmax({first(i), first(j)});
        parent(high) = low;
    }

private:
    std::int32_t& parent(std::int32_t i) { return parent_[static_cast<std::size_t>(i)]; }

    std::vector<std::int32_t> parent_;
};

/// The connected components of the graph of a symmetric matrix.
struct matrix_components {
    std::vector<std::int32_t> of_unknown;  ///< the component of each unknown, numbered by their first unknowns
    std::vector<std::int32_t> first;       ///< the first unknown of each
    std::vector<std::int32_t> size;        ///< its unknowns

    index_t count() const { return static_cast<index_t>(first.size()); }
};

/// cost  one pass over the entries
matrix_components find_components(const sparse_matrix& a);

/// The components of a Laplacian whose rows all sum to zero: where the sum of x over such a component is given, and b sums
/// to zero, there is one x. Numbers are those of matrix_components, ascending.
///
/// A is a Laplacian here if it is symmetric, no entry off its diagonal is positive, and no row has a negative sum. The null
/// space of such a matrix is spanned by the vectors that are 1 on one of these components and 0 elsewhere.
///
/// returns  none if A is not such a matrix, too
/// cost     one pass over the entries; sums are exact
/// from     [Taussky49]
std::vector<std::int32_t> floating_components(const sparse_matrix& a, const matrix_components& components);

/// Sets of unknowns such that A takes the vector that is 1 on one of them and 0 elsewhere to zero, exactly.
struct zero_sums {
    matrix_components sets;              ///< of all unknowns
    std::vector<std::int32_t> vanishes;  ///< the sets with that property; ascending
};

/// Looks among the unknowns whose diagonal entry is not positive, as pressures of a flow are, and where that finds nothing
/// among all. Two unknowns of these are in one set if a row has both.
///
/// shapes   A (n x n), symmetric
/// cost     a few passes over the entries; sums are exact
zero_sums find_zero_sums(const sparse_matrix& a);

/// The sign of the sum of row i, exactly; empty if the row has a negative sum or a positive entry off its diagonal, so that A
/// is no such Laplacian.
///
/// diagonal  the column of its diagonal entry
std::optional<int> laplacian_sum(const sparse_matrix& a, index_t i, index_t diagonal);

}  // namespace residua
