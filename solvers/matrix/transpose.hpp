#pragma once

#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/matrix/sparse_rows.hpp>

namespace residua {

/// A' by rows, columns ascending in each; the entries are moved, not rounded.
///
/// cost  two passes over the entries, and their places once more beside them
sparse_rows transpose(const sparse_rows& a);
/// The transpose of a matrix that need not be square, without a right-hand side.
linear_system transpose(const linear_system& a);
/// C A' R, the transpose of R A C.
scaled_matrix transpose(const scaled_matrix& a);

}  // namespace residua
