#pragma once

#include <residua/solvers/session/session.hpp>

namespace residua {

/// inverse(A) by the factors of `direct` that corrected the column; null if they do not suffice for the condition.
const inverse_operator* inverse_by_direct(session& s, const solve_column& c);

/// inverse(A) by the method that solved the column's system: each product is a system with A or A' that it solves to a
/// residual of a tenth, in the lowest precision in which it reaches that. Null if it does not solve them. The condition is
/// estimated on the way, and kept.
///
/// cost   made: at most 24 such systems
const inverse_operator* inverse_by_solves(session& s, const solve_column& c);

}  // namespace residua
