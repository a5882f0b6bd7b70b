#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <residua/solvers/assess/condition.hpp>
#include <residua/solvers/build/engine.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/precond/long_factors.hpp>
#include <residua/solvers/system/linear_system.hpp>
#include <residua/solvers/system/scaled_matrix.hpp>

namespace residua {

/// How far rounding errors can grow in a solve with A.
struct condition_estimate {
    real condition;  ///< of A, in the 1-norm
    /// of the scaled matrix, whose factors they are: it says how far these can be trusted. The
    /// same as `condition` unless scale() had to scale rows and columns.
    double scaled = 0.0;
    /// what x may lose in its norm when the scaled matrix is solved: that of A with its rows scaled is no larger. Rows cost
    /// nothing, columns do. `condition` where nothing is scaled
    real of_x;
};

/// v <- inverse(S) v, or inverse(S') v, S the scaled matrix.
using scaled_solve = std::function<void(std::vector<real>& v, bool transposed)>;

/// Products with inverse(A) and inverse(A'), for norm estimates.
struct inverse_operator {
    apply_in_place solve, solve_transposed;
    scaled_solve solve_scaled;
    std::optional<condition_estimate> condition;  ///< where it was estimated on the way
    std::vector<int> row_exponent;                ///< of the scaled matrix S = R A C
    /// What the entries of a row of inverse(S) may be off by, as a part of the largest: cond(S) units of the factors.
    double unsure = 0.0;
};

/// Bounds f >= 0 of residuals, raised to what lets products with |inverse(A)| bound their error in spite of entries that
/// the factors lost: where others weigh more than 1 / unsure times as much in units of R, a small entry of a row meets them.
///
/// The rows of the inverse of S + E are right to ||E|| cond(S) in norm, but their smaller entries are not.
void raise_to_unsure(std::vector<real>& f, const inverse_operator& inverse);

/// The condition as the inverse has it; empty if its factors overflow.
///
/// cost   at most 12 solves, 24 where rows and columns are scaled
std::optional<condition_estimate> estimate_condition(const linear_system& system, const scaled_matrix& matrix,
                                                     const inverse_operator& inverse);

/// The operator that a solver of scaled systems makes for A; without a condition, and unsure in nothing. The matrix must
/// outlive the result.
inverse_operator make_inverse(const scaled_matrix& matrix, const scaled_solve& solve);

/// By LU factors in binary64 of the scaled matrix, of this condition; good while that is well below 1e16.
/// The factors and the matrix must outlive the result.
inverse_operator inverse_by_factors(const scaled_matrix& matrix, const triangular_factors& factors,
                                    const std::optional<condition_estimate>& condition = {});

/// By an engine that has dense factors of the matrix in so many bits; empty if these do not suffice for its condition,
/// which is estimated on the way. Engine and matrix must outlive the result.
std::optional<inverse_operator> inverse_by_engine(const linear_system& system, const scaled_matrix& matrix,
                                                  correction_engine& engine, long bits);

/// By dense factors in so many bits, likewise. Factors and matrix must outlive the result.
std::optional<inverse_operator> inverse_by_long_factors(const linear_system& system, const scaled_matrix& matrix,
                                                        const long_factors& factors, long bits);

/// The longest precision in which factors are sought for an estimate, unless a longer one is at work anyway.
inline constexpr long most_inverse_bits = 848;

}  // namespace residua
