#pragma once

#include <functional>
#include <optional>

#include <residua/solvers/base/scaled_matrix.hpp>
#include <residua/solvers/condition.hpp>
#include <residua/solvers/linear_system.hpp>
#include <residua/solvers/precond/factors.hpp>

namespace residua {

/// Products with inverse(A) and inverse(A') on binary64 vectors, for norm estimates.
struct inverse_operator {
    apply_in_place solve, solve_transposed;
    double condition = 0.0;  ///< 1-norm condition estimate of A, where it was computed; else 0
};

/// By LU factors in binary64 of the scaled matrix; good while cond(A) is well below 1e16. The
/// factors and the matrix must outlive the result.
inverse_operator inverse_by_factors(const triangular_factors& factors, const scaled_matrix& matrix);

/// By dense factors in the shortest format that is precise enough for A's condition, which is
/// estimated on the way; empty if none is, or if A has more than largest_dense_inverse rows, or
/// if `interrupted` became true. The matrix must outlive the result.
///
/// cost   n^3/3 multiply-adds in each format that is tried
std::optional<inverse_operator> inverse_by_direct(const linear_system& system,
                                                  const scaled_matrix& matrix,
                                                  const std::function<bool()>& interrupted);

inline constexpr index_t largest_dense_inverse = 800;

}  // namespace residua
