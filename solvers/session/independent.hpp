#pragma once

#include <optional>

#include <residua/solvers/session/session.hpp>

namespace residua {

/// ||x - x'||_inf / ||x||_inf, x' the solution from a random start in more bits, to a residual a thousand times smaller,
/// times norm_estimate_safety. Of a singular system the two differ by a part of its null space. Empty if x' could not be
/// had.
///
/// cost   another solve
std::optional<real> distance_to_independent(session& s, const solve_column& c);

/// The distance of a least-squares solution to that of the augmented system [a I, A; A', 0] (r / a, x) = (b, 0), or of the
/// shortest solution of a wide one to that of [a I, A'; A, 0] (x, -y / a) = (0, b), with the error of these. Empty if A has
/// not full rank, as far as can be seen, or if the augmented system is not solved.
///
/// from   [Bjo96, Sec. 2.5]
std::optional<real> distance_to_least_squares(session& s, const solve_column& c);

}  // namespace residua
