#pragma once

#include <vector>

#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/options/solve_report.hpp>

namespace residua {

/// Solves A x = b, or by lsqr min ||b - A x||_2.
///
/// The method works in the chosen format on a scaled residual; x is the sum of its corrections,
/// carried in MPFR. After each correction r = b - A x is computed anew with a proved error far
/// below the tolerance, and only that residual decides: `converged` means
/// ||b - A x||_2 <= max(rtol ||b||_2, atol). The x with the smallest such residual is returned. Of lsqr it also means
/// ||A'r||_2 <= rtol ||A||_F ||r||_2 with r = b - A x, evaluated likewise: such an x is a least-squares solution, and the
/// report says so.
///
/// It is a solver for one right-hand side, but that for digits that are asked for CG may come before factors, where these are
/// predicted to take much longer.
///
/// shapes   A (n x n), for lsqr (m x n), b (m), x (n)
/// throws   dimension_error if A is not square and lsqr not the method, nor automatic, or if sizes differ;
///          unsupported_error for a request
///          that no method serves, or an entry that is not finite; resource_error, before work starts, if memory
///          would not suffice for what was asked for, or a GPU is asked for that is not there. Where other methods, fewer
///          bits of factors or of `direct` that nobody asked for, or an x without an estimate remain, that is a step and a
///          message; resource_error also for a checkpoint that cannot be made; input_error for one that is there already, or
///          that the solve cannot go on from; what a preconditioner of the caller's throws
/// from     residual replacement [VY00], extra-precise refinement [Dem06], tests of lsqr [PS82, Sec. 6]
solve_result solve(const linear_system& system, const solve_options& options = {});

/// The status of the column that went worst, from best to worst: converged, not_converged, time_limit, stagnated,
/// breakdown, interrupted. Converged if there is none.
solve_status worst_status(const std::vector<solve_result>& results);

/// Bytes that solve() would take for this system beyond the system itself and the right-hand sides, of which there are
/// `right_hand_sides`. Sparse matrices are analysed for their factors.
double predicted_bytes(const linear_system& system, const solve_options& options, index_t right_hand_sides = 1);

/// predicted_bytes() in each of these precisions; the matrix is analysed once.
std::vector<double> predicted_bytes(const linear_system& system, const solve_options& options,
                                    const std::vector<long>& precisions, index_t right_hand_sides = 1);

}  // namespace residua
