#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include <residua/solvers/assess/condition.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/options/condition_estimate.hpp>
#include <residua/solvers/precond/factorization.hpp>

namespace residua {

/// How many bits solves with factors of the scaled matrix are expected to lose: log2 of its condition.
double lost_bits(const condition_estimate& estimate);

/// The growth of entries (factorization::growth) that limits of the condition have room for: partial pivoting of a matrix
/// of some 500 rows has about as much.
inline constexpr double usual_growth = 32.0;

/// The factor by which an estimated condition is multiplied before it is judged, 1 up to usual_growth. Rounded factors of a singular S
/// are factors of a matrix S + E, whose condition is about norm(S) / norm(E). The larger E is, the better conditioned S looks.
inline double weight_of_growth(double growth)
{
    return growth <= usual_growth ? 1.0 : growth > usual_growth ? growth / usual_growth : HUGE_VAL;
}

/// v <- inverse(S) v, or inverse(S') v, for each v; S is the scaled matrix.
using scaled_solve = std::function<void(std::vector<scaled_doubles>& v, bool transposed)>;

/// Products with inverse(A) and inverse(A'), for norm estimates.
struct inverse_operator {
    apply_in_place solve, solve_transposed;
    scaled_solve solve_scaled;
    std::optional<condition_estimate> condition;  ///< empty: it was not estimated on the way
    std::vector<int> row_exponent;                ///< exponents of R in the scaled matrix S = R A C
    /// The errors of entries in a row of inverse(S), relative to the largest of them: cond(S) units of the factors, times
    /// weight_of_growth().
    double unsure = 0.0;
    bool suffices = true;  ///< factors suffice for the condition; otherwise inverse and condition are another matrix's
};

/// Raises each bound f_i >= 0 of a residual, in units of R, by `unsure` times the largest of them. Then products with
/// |inverse(A)| bound the error although factors lose small entries of inverse(S).
///
/// The rows of the inverse of S + E are right to ||E|| cond(S) in norm, but their smaller entries are not.
void raise_to_unsure(scaled_doubles& f, const inverse_operator& inverse);

/// The condition of A, estimated by products with its inverse; empty if factors overflow.
///
/// cost   at most 12 solves, 24 where rows and columns are scaled
std::optional<condition_estimate> estimate_condition(const linear_system& system, const scaled_matrix& matrix,
                                                     const inverse_operator& inverse);

/// The inverse of A, made of a function that solves scaled systems. It has no condition, and `unsure` is 0. The matrix
/// must outlive the result.
inverse_operator make_inverse(const scaled_matrix& matrix, const scaled_solve& solve);

/// The inverse by binary64 LU factors of the scaled matrix. It is good while the condition is well below 1e16.
/// The matrix must outlive the result, which holds the factors.
inverse_operator inverse_by_factors(const scaled_matrix& matrix, const factorization& factors,
                                    const std::optional<condition_estimate>& condition = {});

/// Factors in `bits` bits suffice for a condition, times weight_of_growth(), below 2^(bits - bits_beyond_condition).
inline constexpr long bits_beyond_condition = 20;

/// The inverse by factors of the matrix in `bits` bits. The condition is estimated on the way, and says whether they
/// suffice; empty if there are no factors, or they overflow. The matrix must outlive the result, which holds the factors.
std::optional<inverse_operator> inverse_by_long_factors(const linear_system& system, const scaled_matrix& matrix,
                                                        const factorization& factors, long bits);

/// A lower bound of the condition of A in the 1-norm, by factors in `bits` bits that do not suffice for it: they are those
/// of S + E, norm(E) at most about n 2^-bits weight norm(S), weight that of the growth, and by `estimate` a singular matrix is at most
/// norm(S + E) / estimate.scaled away from S + E.
///
/// from  distance to singularity [Higham02, Thm 6.5]
real condition_lower_bound(const linear_system& system, const scaled_matrix& matrix, const condition_estimate& estimate,
                           long bits, double weight = 1.0);

}  // namespace residua
