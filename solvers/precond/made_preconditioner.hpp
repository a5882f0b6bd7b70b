#pragma once

#include <optional>
#include <string>

#include <residua/solvers/options/preconditioners.hpp>
#include <residua/solvers/precond/approximate_inverse.hpp>
#include <residua/solvers/precond/chebyshev.hpp>
#include <residua/solvers/precond/factors.hpp>

namespace residua {

/// A preconditioner M: triangular factors to solve with, a matrix to multiply with, alone or in a polynomial, or a function.
struct made_preconditioner {
    std::optional<triangular_factors> factors;
    std::optional<sparse_matrix> inverse;
    std::optional<chebyshev_interval> polynomial;  ///< if there: M is a polynomial of `inverse` A, times `inverse`
    preconditioner_function function, transposed;  ///< M and M' for the matrix that it was made for; may be empty
    std::string failure;                           ///< why there is no M; empty if there is
};

/// Makes M for A by the row of preconditioner p.
///
/// shapes   A (n x n)
/// reports  failure as the function that makes it
/// throws   unsupported_error for LU and Cholesky factors and `automatic`; resource_error if memory does not hold M
made_preconditioner make_preconditioner(preconditioner p, const sparse_matrix& a,
                                        const preconditioner_options& options = {});

}  // namespace residua
