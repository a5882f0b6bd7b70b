#pragma once

#include <optional>
#include <string>

#include <residua/solvers/precond/approximate_inverse.hpp>
#include <residua/solvers/precond/chebyshev.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/precond/registry.hpp>

namespace residua {

/// M as it was made: triangular factors to solve with, or a matrix to multiply with, which may stand in a polynomial.
struct made_preconditioner {
    std::optional<triangular_factors> factors;
    std::optional<sparse_rows> inverse;
    std::optional<chebyshev_interval> polynomial;  ///< of `inverse` times A, times `inverse`
    std::string failure;                           ///< why there is no M; empty if there is
};

/// M for A, by the row of a preconditioner.
///
/// shapes   A (n x n)
/// reports  failure as the function that makes it
/// throws   unsupported_error for LU and Cholesky factors and for `automatic`; resource_error if M does not fit in memory
made_preconditioner make_preconditioner(preconditioner p, const sparse_rows& a,
                                        const preconditioner_options& options = {});

}  // namespace residua
