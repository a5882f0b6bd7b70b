#pragma once

#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/triangle.hpp>
#include <residua/blas/base/view.hpp>
#include <residua/blas/sparse/csr.hpp>

namespace residua::blas {

/// x <- inverse(A) b, A triangular and sparse, of binary64: factors that precondition
///
/// The diagonal must be stored, as the last entry of a row of a lower triangle and the first one
/// of a row of an upper triangle; a row's other entries must be in that triangle.
///
/// shapes   A (n x n), b (n), x (n); b and x may be the same vector, not partly overlapping
/// errors   as the dense trsv, with the entries of a row in place of n
/// cost     a multiply-add for each entry, n divisions
/// order    row by row, a row's entries from left to right
/// throws   dimension_error if sizes do not fit, or if a row is empty
template <number T>
void trsv(const host_executor& exec, triangle part, const csr<host_executor, double>& a,
          in_vector<host_executor, T> b, vector_view<host_executor, T> x);

}  // namespace residua::blas
