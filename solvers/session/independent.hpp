#pragma once

#include <optional>

#include <residua/solvers/session/session.hpp>

namespace residua {

/// ||x - x'||_inf / ||x||_inf, times norm_estimate_safety. x' is the solution from a random start, in more bits, to a
/// residual a thousand times smaller. For a singular system x and x' differ by a vector of its null space. Empty if
/// x' was not found.
///
/// cost   another solve
std::optional<real> distance_to_independent(session& s, const solve_column& c);

/// The relative distance of a least-squares solution x to the x of [a I, A; A', 0] (r / a, x) = (b, 0), the augmented
/// system, or where rows of a wide A are linearly independent to the x of [a I, A'; A, 0] (x, -y / a) = (a g, b) with the
/// initial guess g. It includes the error of the latter x. Empty if the augmented system is not solved, if x is zero and
/// A'b is not, or if there are several solutions of a system with an initial guess otherwise.
///
/// Reports the rank of A if columns are seen to be dependent: x is the shortest of several.
///
/// from   [Bjo96, Sec. 2.5]
std::optional<real> distance_to_least_squares(session& s, solve_column& c);

}  // namespace residua
