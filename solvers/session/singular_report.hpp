#pragma once

#include <optional>
#include <string>
#include <vector>

#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/options/solve_options.hpp>
#include <residua/solvers/options/solve_report.hpp>
#include <residua/solvers/space/true_residual.hpp>

namespace residua {

/// The largest difference of a number of x and the one of y that belongs to it: y may have others before and behind them.
real largest_difference(const std::vector<real>& x, const std::vector<real>& y, std::size_t first_of_y = 0);

/// The digits that x has where its residual passes the stopping test, if the condition takes none.
int digits_of_tolerance(const solve_options& options);

/// What is known when a solve with a singular matrix ends.
struct singular_outcome {
    index_t rank = 0;
    std::string words;                      ///< why it is that
    std::optional<real> error;              ///< of x in the infinity norm, at most; empty: unknown
    error_kind kind = error_kind::unknown;  ///< of `error`
    int digits = 0;                         ///< that x is to have
};

/// Completes the report on x, the shortest of those that make ||b - A x||_2 least. Status, bits and part_outside are
/// known; a solve that converged has broken down where b is not in the range of A.
///
/// at  the residual of x
void complete_report(solve_result& result, const linear_system& system, const std::vector<real>& b,
                     const residual_evaluation& at, const singular_outcome& known);

}  // namespace residua
