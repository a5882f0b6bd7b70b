#pragma once

#include <vector>

#include <residua/solvers/session/session.hpp>

namespace residua {

/// The work of one call of solver::solve(): its results, without what is known about the call as a whole.
///
/// setup_seconds   becomes the seconds until the parts of the solver are made
/// throws          as solver::solve()
std::vector<solve_result> solve_columns_of(solver_parts& kept, const std::vector<given_rhs>& right_hand_sides,
                                           part_watch& watch, double& setup_seconds);

}  // namespace residua
