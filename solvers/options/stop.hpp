#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <residua/io/error.hpp>
#include <residua/solvers/options/spectrum.hpp>

namespace residua {

class run_keeper;
class state_archive;

/// How a solver ended. Only `converged` is a success.
enum class solve_status {
    converged,      ///< the stopping test holds
    not_converged,  ///< the iteration limit was reached
    stagnated,      ///< no progress: the precision or the preconditioner is the limit
    breakdown,      ///< the method cannot go on: singular, not positive definite, a NaN
    interrupted,    ///< the caller asked to stop
    time_limit      ///< the caller's time is used up
};

/// The name of a status as reports write it, e.g. "not_converged".
std::string_view to_string(solve_status status) noexcept;

/// When an iterative method stops, and who watches it.
struct stop_rule {
    /// stop when ||r_k||_2 <= relative_residual * ||b||_2, r_k being the method's own (recursive) residual
    double relative_residual = 1e-10;
    /// for lsqr: stop also when ||A'r_k|| / ||r_k|| has fallen to this share of what it was at first
    double normal_reduction = 0.0;
    index_t max_iterations = 1000;
    /// called once an iteration with its number and ||r_k|| / ||b||; may be empty
    std::function<void(index_t iteration, double relative_residual)> on_iteration = {};
    /// asked once an iteration; a status ends the run with it; may be empty
    std::function<std::optional<solve_status>()> poll = {};
    bool keeps_bits = false;  ///< for cg: all iterations in the bits that it begins with
    /// where a run leaves its state from time to time, and finds the one that it goes on from; null: nowhere
    run_keeper* keeper = nullptr;
};

/// From which iterate on a method goes on in other bits.
struct precision_change {
    index_t iteration = 0;
    long precision_bits = 0;
};

/// Why methods break down, in the words of their reports: what more than one of them says.
namespace breakdowns {
inline constexpr const char* not_finite = "a NaN or an infinity appeared in the residual";
inline constexpr const char* step_overflowed = "a step overflowed: the matrix is too close to zero for the format";
inline constexpr const char* cg_step_overflowed =
    "r'Mr / p'Ap overflowed: the matrix is too close to zero for the format";
inline constexpr const char* matrix_not_definite = "p'Ap is not positive: the matrix is not positive definite";
inline constexpr const char* preconditioner_not_definite =
    "r'Mr is not positive: the preconditioner is not positive definite";
inline constexpr const char* preconditioner_not_finite = "the preconditioner M gave a NaN or an infinity";
}  // namespace breakdowns

/// What a method did. Not converging is a report, not an error.
struct iteration_report {
    solve_status status = solve_status::not_converged;
    index_t iterations = 0;
    index_t matvecs = 0;
    index_t restarts = 0;
    /// ||r|| / ||b|| of the returned x by the method's recursion: not evidence, see solve()
    double recursive_residual = 1.0;
    bool least_squares = false;                       ///< for lsqr: converged by the test of A'r, not by that of r
    std::string message;                              ///< why, when the status is not `converged`
    bool preconditioner_failed = false;               ///< M gave a NaN or an infinity: no bits help
    seen_spectrum spectrum;                           ///< for cg and minres
    std::vector<precision_change> precision_changes;  ///< for cg: where its bits fell

    void archive(state_archive& io);
};

}  // namespace residua
