#pragma once

#include <optional>

#include <residua/solvers/planning/costs.hpp>

namespace residua {

/// Decides whether CG comes first: if it is predicted to take less than half of the time of factors in binary64, and
/// these a second or more, for a sparse symmetric matrix with a positive diagonal, where digits are wanted: systems
/// that CG solves then give the error. To decide, it runs a few iterations in binary64, in a fiftieth of that time.
///
/// matrix  as scaled
std::optional<cg_first> find_cg_first(const system_facts& facts, const solve_options& options,
                                      const factor_reach& reach, const sparse_matrix& matrix);

/// By how many bits an iteration of CG with Jacobi reduces the residual, on average over the first ones in binary64,
/// from a residual without structure; 0: it breaks down.
///
/// shapes  A (n x n), symmetric with a nonzero diagonal
/// order   one thread
/// from    [HS52]
double bits_of_cg(const sparse_matrix& a, index_t iterations);

}  // namespace residua
