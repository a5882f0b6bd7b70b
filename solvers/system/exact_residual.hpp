#pragma once

#include <residua/solvers/system/linear_system.hpp>
#include <residua/solvers/system/long_vector.hpp>
#include <residua/solvers/system/matrix_storage.hpp>
#include <residua/solvers/system/true_residual.hpp>

namespace residua {

/// Whether A is made of binary64 numbers that nothing has rounded.
bool has_exact_residuals(const linear_system& system);

/// r = b - A x by exact sums of multi-digit floats, where x is: every element the exact one, rounded once to the
/// bits in which the longer of x and b is held.
///
/// shapes   A (m x n), x (n), b (m); b and x are multi-digit floats. b moves to where x is, and is held in as many bits
/// errors   |err_i| <= 2^-p |r_i| with these p bits
/// cost     as residual_exact; none for x = 0
/// order    the same bits for any number of threads, on host and device
residual_evaluation evaluate_exactly(matrix_storage& a, long_vector& b, const long_vector& x);

}  // namespace residua
