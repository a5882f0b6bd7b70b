#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/options/stop.hpp>

/// The loop of corrections: r = b - A x, d ~ inverse(A) r by a runner, x + d where that is better, until r passes its test.
namespace residua {

/// Whether a residual may be near the one of least squares, which is no longer than b. From a guess on one that is much longer
/// can be orthogonal to the columns of A as far as ||A|| tells, where rows differ in size.
inline bool may_be_least(const real& norm, const real& error, const real& rhs_norm)
{
    return is_zero(rhs_norm) || norm - error <= rhs_norm + ldexp(rhs_norm, -10);
}

/// What a correction has led to.
struct correction_step {
    bool finite = false;                   ///< x + d is finite
    bool halved = false;                   ///< what falls has fallen to half of what it was, or further
    std::optional<solve_status> end = {};  ///< how the loop ends here; empty: it goes on
};

/// One x that corrections improve: how it ends, the source of its residuals, and its rule. run_corrections() calls the
/// functions, one at a time.
struct corrected {
    /// How the corrections of x end. Before that the runner sets it to how it ended a correction: `interrupted` and
    /// `time_limit` end the loop, and so does `not_converged`, a limit of iterations that was reached.
    solve_status& status;

    std::function<bool()> passes;  ///< whether the residual of x passes its test; asked before and after a correction
    std::function<bool()> may_iterate;  ///< whether the limit of iterations leaves room for another correction
    /// Sharpens the residual of an x that does not pass, before it is corrected.
    std::function<void()> sharpen = [] {};
    /// Why the solve has to end now: the one question to the caller and the clock for each correction.
    std::function<std::optional<solve_status>()> stop_requested = [] { return std::nullopt; };

    std::function<real()> merit;  ///< what falls as x improves, of x: the norm of its residual, say
    /// Evaluates the residual of x + d. Returns what falls, of x + d; empty: x + d is not finite.
    std::function<std::optional<real>()> evaluate_sum;
    /// How the loop ends, with x as it is, where evaluate_sum() throws io::stopped_error; if empty, that leaves the loop.
    std::function<solve_status()> why_stopped = {};
    std::function<void()> accept = [] {};  ///< x becomes x + d, which is better
    /// Called when x + d is judged, with `end` still empty: for histories and whoever watches.
    std::function<void(const correction_step&)> tell = [](const correction_step&) {};
    /// Decides whether the loop ends behind a correction whose x does not pass. `end` is the usual decision: to end as the
    /// runner did; as stagnated where the runner has used up iterations of its own, and more are left; as stagnated, or as
    /// the breakdown of the runner, where a correction did not halve what falls.
    std::function<std::optional<solve_status>(const correction_step&)> judge = [](const correction_step& step) {
        return step.end;
    };

    bool at_work = true;  ///< the loop has not ended for this x
};

/// Computes the corrections of these elements of the list, and sets the status of each.
using correction_runner = std::function<void(std::span<const std::size_t>)>;

/// Corrects each x until it passes its test or ends for another reason, which its status says: `converged`, `stagnated` and
/// `breakdown` as above, `not_converged` if no iterations are left, or what stop_requested() said.
///
/// together  how many x the runner gets at a time; the loop then judges each of them, in their order
/// throws    what the functions throw; of an x that is still at work the last correction may be lost
void run_corrections(std::vector<corrected>& all, std::size_t together, const correction_runner& run);

/// run_corrections() for one x.
void run_corrections(corrected x, const std::function<void()>& run);

}  // namespace residua
