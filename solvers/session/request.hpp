#pragma once

#include <vector>

#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/options/solve_options.hpp>
#include <residua/solvers/session/given_rhs.hpp>

namespace residua {

/// Looks at each option for itself.
///
/// throws  unsupported_error for a value that it does not take
void require_values(const solve_options& options);

/// Looks at a matrix and at options before work starts.
///
/// throws  dimension_error for a shape that the method does not take; unsupported_error for a request that no method
///         serves, or an entry that is not finite; resource_error if a GPU is asked for that is not there
void require_request(const linear_system& system, const solve_options& options);

/// Looks at right-hand sides and at the initial guess of a matrix (rows x cols).
///
/// throws  dimension_error if sizes differ; unsupported_error for an entry that is not finite
void require_columns(index_t rows, index_t cols, const std::vector<given_rhs>& right_hand_sides,
                     const solve_options& options);

}  // namespace residua
