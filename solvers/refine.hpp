#pragma once

#include <cmath>
#include <string>

#include <residua/solvers/base/space.hpp>
#include <residua/solvers/base/stop.hpp>

namespace residua {

/// The vectors that refine works on, to be reused from call to call.
template <vector_space S>
struct refine_workspace {
    typename S::vector r, d, scaled, best;

    refine_workspace(const S& space, index_t n)
        : r(space.make_vector(n)), d(space.make_vector(n)), scaled(space.make_vector(n)), best(space.make_vector(n))
    {}
};

/// Iterative refinement for A x = b: x <- x + M (b - A x), with M a solve by factors of A in a
/// lower precision, x and the residual in the space's format, to which the exact residual is rounded where A gives
/// that: then the rounding of x alone limits how good it becomes.
///
/// The residual is scaled to norm 1 before M is applied, so that M may work in binary64.
///
/// shapes   A (n x n), M (n x n), b (n), x (n); x is the initial guess on entry
/// stops    when ||b - A x|| <= rule.relative_residual ||b||
/// cost     per iteration: 1 A, 1 M, 1 norm, 3 axpy-like; 4 vectors of work
/// reports  stagnated if a correction does not halve the residual: kappa(A) u_M is near 1, or
///          the format cannot represent x better; x is then the iterate with the smallest
///          residual, so a correction that made things worse is taken back
/// throws   never for lack of convergence
/// from     [CH18], with an exact residual, rounded to u; with u_r = u where A can only be applied
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
iteration_report refine(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                        const stop_rule& rule, refine_workspace<S>& work)
{
    using scalar = typename S::scalar;
    auto& [r, d, scaled, best] = work;
    const scalar one = space.make_scalar(1.0);
    const scalar zero = space.make_scalar(0.0);
    const scalar norm_b = space.norm2(b);
    const scalar scale = zero < norm_b ? norm_b : one;

    iteration_report report;
    double last = 0.0;
    const auto take_back = [&](solve_status status, std::string message) {
        if (report.iterations > 0) {
            space.copy(best, x);
            report.recursive_residual = last;
        }
        report.status = status;
        report.message = std::move(message);
        return report;
    };
    for (;; ++report.iterations) {
        make_residual(space, a, x, b, d, r);  // r = b - A x
        ++report.matvecs;
        const scalar norm = space.norm2(r);
        const double residual = residual_ratio(norm, scale);
        if (rule.on_iteration) {
            rule.on_iteration(report.iterations, residual);
        }
        if (!is_finite(norm)) {
            return take_back(solve_status::breakdown, "a NaN or an infinity appeared in the residual");
        }
        if (report.iterations > 0 && !(residual < last)) {
            return take_back(solve_status::stagnated, "a correction did not reduce the residual");
        }
        report.recursive_residual = residual;
        if (residual <= rule.relative_residual) {
            report.status = solve_status::converged;
            return report;
        }
        if (report.iterations > 0 && residual > 0.5 * last) {
            report.status = solve_status::stagnated;
            report.message = "a correction did not halve the residual";
            return report;
        }
        if (rule.poll) {
            if (const auto status = rule.poll()) {
                report.status = *status;
                return report;
            }
        }
        if (report.iterations >= rule.max_iterations) {
            report.status = solve_status::not_converged;
            return report;
        }
        last = residual;
        space.copy(x, best);

        const long e = binary_exponent(norm);
        const int up = static_cast<int>(e < -1000 ? 1000 : (e > 1000 ? -1000 : -e));
        space.copy(r, scaled);
        space.scal(space.make_scalar(std::ldexp(1.0, up)), scaled);
        m.apply(space, scaled, d);                                  // d = 2^up M r
        space.axpy(space.make_scalar(std::ldexp(1.0, -up)), d, x);  // x = x + M r
    }
}

}  // namespace residua
