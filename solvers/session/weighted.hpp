#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/options/solve_report.hpp>
#include <residua/solvers/session/clock.hpp>
#include <residua/solvers/session/made_for_digits.hpp>

namespace residua {

class solver;

/// Makes sum_i w_i (b - A x)_i^2 + T^2 ||x||_2^2 least, with solve_options::weights and damp, by the square system
///
///     [inverse(W)  A ] [W r]   [b]
///     [   A'     -T^2] [ x ] = [0],    r = b - A x, in the rows with w_i > 0,
///
/// which has the entries of A as they are given: no root of a weight is taken, and rounding errors of 1 / w_i do not
/// change the rank. The digits of x are those that its solution has, less what x is smaller than W r. Where A in these
/// rows has dependent columns and T is 0, x is the shortest.
///
/// Without weights and damping that is least squares directly, where A is sparse.
///
/// With the method lsqr, x is computed by it for [W^(1/2) A; T I] x = [W^(1/2) b; 0]. Where digits are asked for, its error is
/// the distance to the x of the square system, with the error of that one.
class weighted_solver {
public:
    /// options and clock must outlive the object.
    ///
    /// throws  dimension_error if there is not a weight for each row; unsupported_error if a weight or T is negative or
    ///         not finite, or for an initial guess, a checkpoint, a given null space or a given preconditioner
    weighted_solver(const linear_system& system, const solve_options& options, const solve_clock& clock);
    ~weighted_solver();

    /// Whether factors of the augmented system would be made unasked, as those of a square one.
    bool has_factors_in_reach() const;

    /// reading_error  of b, as linear_system::rhs_reading_errors has it
    /// throws         as solver; io::stopped_error
    solve_result solve(const std::vector<real>& b, const real& reading_error);

private:
    /// A solution, and its error in the infinity norm; empty: unknown.
    struct estimated {
        solve_result result;
        std::optional<real> error;
    };

    /// x to so many digits by the square system. The report has the rank of that.
    estimated solve_square(const std::vector<real>& b, int wanted);
    /// x by lsqr, compared with solve_square() where digits are asked for.
    estimated solve_by_lsqr(const std::vector<real>& b);
    /// Whether x = 0 is best, exactly.
    bool is_zero_best(const std::vector<real>& b) const;
    /// W v, with products in `bits` bits
    std::vector<real> times_weights(std::vector<real> v, long bits) const;
    /// ||A'W r - T^2 x|| / (||[W^(1/2) A; T I]||_F ||W^(1/2) b||), r = b - A x, with products in `bits` bits
    real normal_residual(std::vector<real> r, const std::vector<real>& b, const std::vector<real>& x, long bits) const;
    /// Completes the report on x, whose error in the infinity norm is at most `error`; empty: unknown.
    void complete(solve_result& result, const std::vector<real>& b, const real& reading_error,
                  const std::optional<real>& error) const;

    const linear_system& system_;
    const solve_options& options_;
    const solve_clock& clock_;
    linear_system transposed_;
    std::vector<std::int32_t> rows_;  ///< with weights that are not zero
    std::shared_ptr<const linear_system> augmented_;
    std::vector<real> roots_;                             ///< of the weights in rows_, for lsqr
    std::shared_ptr<const linear_system> weighted_rows_;  ///< [W^(1/2) A; T I], for lsqr
    made_for_digits<solver> by_;                          ///< of the augmented system
};

/// Whether least squares of a sparse A with more rows than columns are solved by the augmented system: those that `direct` is asked for, and those of
/// `automatic` that are judged by digits alone, whose error LSQR would estimate by that system anyway. For `automatic`
/// has_factors_in_reach() decides.
bool may_be_augmented(const linear_system& system, const solve_options& options);

}  // namespace residua
