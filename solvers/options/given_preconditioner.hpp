#pragma once

#include <functional>
#include <span>

namespace residua {

/// z <- M r in binary64, both of n numbers. What it throws ends the solve, and leaves it.
using preconditioner_function = std::function<void(std::span<const double> r, std::span<double> z)>;

/// A preconditioner M ~ inverse(A) of the caller's, for A as it is given. A method calls it once or twice an iteration, on
/// the thread that called the solve, with r of a size about 1. It need not be linear: cg and gmres are flexible with it. For
/// cg and minres it has to be symmetric positive definite, which nobody tests: where r'z is not positive, they break down.
struct given_preconditioner {
    preconditioner_function m = {};    ///< M r
    preconditioner_function m_t = {};  ///< M'r, for bicg and for systems with A'; a symmetric A needs it for bicg alone
};

}  // namespace residua
