#pragma once

#include <memory>
#include <string>
#include <vector>

#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/matrix/structure.hpp>
#include <residua/solvers/options/solve_report.hpp>
#include <residua/solvers/session/clock.hpp>
#include <residua/solvers/session/made_for_digits.hpp>
#include <residua/solvers/session/null_space.hpp>
#include <residua/solvers/session/rank_part.hpp>

namespace residua {

/// The digits of the first solves with the part of A that is not singular.
///
/// has_sets  vectors that are constant on sets of unknowns span the null space
int first_digits_of_part(const solve_options& options, bool has_sets);

/// Solves systems with a square matrix whose rank r is known to be less than its order n, by a part of r rows and columns
/// that is not singular, and vectors that span the null spaces of A and A'.
///
/// x is the shortest solution. Where b is not in the range of A there is none, and x is the shortest of those that make
/// ||b - A x||_2 least.
class singular_solver {
public:
    /// The clock says when a solve has to end; it and the system must outlive the object.
    singular_solver(const linear_system& system, const matrix_structure& structure, known_rank rank,
                    const solve_options& options, const solve_clock& clock);
    ~singular_solver();

    /// reading_error  of b, as linear_system::rhs_reading_errors has it
    /// throws         as solver; io::stopped_error
    solve_result solve(const std::vector<real>& b, const real& reading_error);

    /// Whether a null space may differ from that of a new object, because memory was lacking while it was made.
    bool is_incomplete() const { return is_incomplete_; }

private:
    /// What solves to a number of digits.
    struct level {
        std::shared_ptr<solver> part;  ///< of the part that is not singular; null: the rank is 0
        null_space right;              ///< of A
        null_space left;               ///< of A'
        std::string dependent;         ///< which rows are linearly dependent, in words
    };

    /// The solver of the part, and the null spaces so that their vectors are known to `digits` digits.
    ///
    /// throws  io::stopped_error
    level seek(int digits);

    const linear_system& system_;
    const matrix_structure& structure_;
    known_rank rank_;
    const solve_options& options_;
    const solve_clock& clock_;
    made_for_digits<level> levels_;
    bool is_incomplete_ = false;
};

}  // namespace residua
