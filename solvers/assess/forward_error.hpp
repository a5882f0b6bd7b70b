#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include <residua/solvers/assess/inverse.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/space/true_residual.hpp>

namespace residua {

/// Norm estimates are lower bounds, rarely off by more than this [Hig88].
inline constexpr double norm_estimate_safety = 3.0;

/// The largest k with error <= 10^-k, error > 0.
///
/// cost  a logarithm in binary64, and one in MPFR where that is close to an integer
int decimals_below(const real& error);

/// An estimate of ||x - x*||_inf / ||x||_inf, A x* = b, from the evaluated residual: norm_estimate_safety times
/// || |inverse(A)| (|r| + its error) ||_inf / ||x||_inf, and at least ||inverse(A) r||_inf / ||x||_inf. Empty: it is not
/// finite.
///
/// shapes   A (n x n), b and x (n), rounded to binary64's precision; x not zero
/// cost     at most 6 products with inverse(A) and 7 with its transpose, and one pass over A
/// from     [Higham02, Sec. 7.2; Hig88, Sec. 5]
std::optional<real> estimate_relative_error(const linear_system& system, const scaled_doubles& b,
                                            const scaled_doubles& x, const residual_evaluation& at,
                                            const inverse_operator& inverse);

}  // namespace residua
