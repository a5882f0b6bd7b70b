#pragma once

#include <optional>
#include <string>
#include <vector>

#include <residua/solvers/options/methods.hpp>

namespace residua {

/// A method with its preconditioner.
struct candidate {
    residua::method method = residua::method::automatic;
    residua::preconditioner preconditioner = residua::preconditioner::automatic;
    long factor_bits = are_factors(preconditioner) ? 53 : 0;  ///< precision of factors of the whole matrix; 0: none
    index_t most_iterations = 0;  ///< before the next candidate's turn; 0: no limit of its own
    index_t restart = 0;          ///< the length of cycles of GMRES; 0: solve_options::restart

    bool operator==(const candidate&) const = default;
};

/// A candidate that was to be tried and is not, and why.
struct plan_step {
    candidate left;
    std::string reason;

    bool operator==(const plan_step&) const = default;
};

/// What to try, in this order, and why the first.
struct solve_plan {
    std::vector<candidate> candidates;
    std::string reason;
    bool seeks_factors = false;  ///< factors in more bits follow on those in fewer, which go where they do not suffice
    std::optional<plan_step> fall{};  ///< memory does not suffice for factors that the condition may need
    /// multigrid would come first, and the plug-in of the package residua-petsc is not there
    bool lacks_multigrid = false;

    bool operator==(const solve_plan&) const = default;
};

}  // namespace residua
