#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/options/solve_report.hpp>
#include <residua/solvers/session/clock.hpp>
#include <residua/solvers/session/null_space.hpp>
#include <residua/solvers/session/rank_part.hpp>

namespace residua {

/// Whether the options name a method that is deflated where A is found to be a singular Laplacian.
bool may_be_deflated(const solve_options& options);

/// Solves systems with a square matrix A whose null space N the caller gives (solve_options::null_space), or which is a
/// Laplacian, by an iterative method that takes A for nonsingular. Of a symmetric A it solves A x = b - N N'b, since N
/// is what is outside of its range. x gets rid of its part in N, so that it is the shortest solution.
///
/// Where digits are asked for, each x is compared with one from a random start in more bits, to a residual that is 2^10
/// times smaller. Both are without parts in N: where N is not all of the null space, they differ, and no digit is
/// claimed.
class deflated_solver {
public:
    /// options and clock must outlive the object.
    ///
    /// laplacian  the rank of A, if it is a Laplacian; empty: the caller gives N
    /// throws     dimension_error if the numbers of N do not fit the unknowns, or A is not square; unsupported_error if A N
    ///            is not zero to rounding, N has dependent columns, or the method needs factors, which A has not
    deflated_solver(const linear_system& system, const solve_options& options, const solve_clock& clock,
                    const std::optional<known_rank>& laplacian = {});

    /// column         of right-hand sides, from 0, for the initial guess and the history
    /// reading_error  of b, as linear_system::rhs_reading_errors has it
    /// throws         as solver; io::stopped_error
    solve_result solve(const std::vector<real>& b, const real& reading_error, index_t column) const;

private:
    /// Takes the vectors that are given, if A takes them to zero.
    void take_given();
    /// x with A x = b by the first of the tries that ends well, without its part in N.
    solve_result run(const std::vector<real>& b, solve_options with) const;
    /// Solves until the comparison backs the digits; the error of x in the infinity norm is left in `error`, empty if
    /// unknown.
    solve_result run_for_digits(const std::vector<real>& b, solve_options with, std::optional<real>& error) const;

    std::shared_ptr<const linear_system> system_;  ///< without a right-hand side
    const solve_options& options_;
    const solve_clock& clock_;
    bool symmetric_ = false;
    std::vector<std::pair<method, preconditioner>> tries_;
    null_space space_;
    std::string words_;  ///< why A is singular
    real unseen_ = 0.0;  ///< max_i |A N|_i / (|A| |N|)_i; 0: A N is zero
    long bits_ = 0;      ///< of sums of projections
};

}  // namespace residua
