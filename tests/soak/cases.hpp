#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <residua/solvers/solve.hpp>

namespace residua::soak {

/// A system and what is asked of it.
struct soak_case {
    std::string name;
    linear_system system;
    solve_options options;
    std::vector<std::vector<real>> right_hand_sides;  ///< the first is b
    bool transposed = false;
};

/// Systems of all kinds: every method, preconditioner and format, in several precisions, definite, indefinite, nonsymmetric,
/// singular, with more rows than columns, with decimal entries. Most are solved in milliseconds; several threads share the
/// operations of those that are large.
std::vector<soak_case> soak_cases();

}  // namespace residua::soak
