#pragma once

#include <cstdint>
#include <vector>

#include <residua/solvers/matrix/sparse_matrix.hpp>

namespace residua {

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

}  // namespace residua
