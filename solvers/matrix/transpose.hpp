#pragma once

#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/matrix/sparse_matrix.hpp>

namespace residua {

/// A' by rows, columns ascending in each; the entries are moved, not rounded.
///
/// cost  two passes over the entries, and their places once more beside them
sparse_matrix transpose(const sparse_matrix& a);
/// The same without a right-hand side, with what is known about the reading of A.
linear_system transpose(const linear_system& a);

}  // namespace residua
