#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <residua/solvers/methods/stop.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// Iterations without a new smallest residual after which a Krylov method counts as stagnated.
/// Without a good preconditioner CG's residual has plateaus of the order of n, and that of
/// BiCGSTAB of several n before it falls (impcol_a, n = 207: 1234 iterations at 212 bits).
inline index_t stagnation_window(index_t n) { return std::clamp<index_t>(10 * n, 2000, 50000); }

/// Keeps the iterate with the smallest residual, at the cost of one copy whenever the residual
/// turns from falling to rising, and none while it falls.
template <vector_space S>
class best_iterate {
public:
    best_iterate(const S& space, index_t n) : x_(space.make_vector(n)) {}

    void start(index_t n)
    {
        residual_ = last_residual_ = std::numeric_limits<double>::infinity();
        iteration_ = 0;
        saved_ = false;
        window_ = stagnation_window(n);
    }

    /// Takes note of the residual of iterate k. `before` is iterate k - 1, kept if it was the best and k is worse.
    void observe(const S& space, index_t k, double residual, const typename S::vector& before)
    {
        if (residual < residual_) {
            residual_ = residual;
            iteration_ = k;
            saved_ = false;
        } else if (k == iteration_ + 1) {
            space.copy(before, x_);
            saved_ = true;
        }
        last_residual_ = residual;
    }

    bool stagnated(index_t k) const { return k - iteration_ > window_; }

    /// Ends a run: x becomes the best iterate, the report gets status, residual and message.
    iteration_report finish(const S& space, typename S::vector& x, iteration_report report, solve_status status,
                            std::string message = {}) const
    {
        const bool restore = saved_ && status != solve_status::converged;
        if (restore) {
            space.copy(x_, x);
        }
        report.status = status;
        report.recursive_residual = restore ? residual_ : last_residual_;
        report.message = std::move(message);
        return report;
    }

private:
    typename S::vector x_;
    double residual_ = 0.0;
    double last_residual_ = 0.0;
    index_t iteration_ = 0;
    index_t window_ = 0;
    bool saved_ = false;
};

/// The tests that every iteration of a Krylov method begins with. Tested before the work of the
/// iteration, so that an exact guess or b = 0 is iteration zero and not a breakdown.
template <vector_space S>
std::optional<solve_status> check(const stop_rule& rule, index_t k, double residual, const best_iterate<S>& best)
{
    if (rule.on_iteration) {
        rule.on_iteration(k, residual);
    }
    if (residual <= rule.relative_residual) {
        return solve_status::converged;
    }
    if (rule.poll) {
        if (const std::optional<solve_status> status = rule.poll()) {
            return status;
        }
    }
    if (k >= rule.max_iterations) {
        return solve_status::not_converged;
    }
    if (best.stagnated(k)) {
        return solve_status::stagnated;
    }
    return std::nullopt;
}

}  // namespace residua
