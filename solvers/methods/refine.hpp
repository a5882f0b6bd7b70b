#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <residua/solvers/methods/krylov.hpp>
#include <residua/solvers/methods/method_problem.hpp>
#include <residua/solvers/options/methods.hpp>
#include <residua/solvers/space/vector_space.hpp>

namespace residua {

/// The vectors that refine works on, to be reused from call to call: three for each right-hand side.
template <vector_space S>
struct refine_workspace {
    std::vector<typename S::vector> r, d, best;

    refine_workspace(const S& space, index_t n, std::size_t right_hand_sides = 1)
        : r(make_vectors(space, n, static_cast<index_t>(right_hand_sides))),
          d(make_vectors(space, n, static_cast<index_t>(right_hand_sides))),
          best(make_vectors(space, n, static_cast<index_t>(right_hand_sides)))
    {}
};

namespace detail {

/// What is to be done with a column whose residual is known.
enum class refine_step { correct, keep, take_back };

/// How far a column is, and what is decided about it.
template <class Scalar>
struct refine_progress {
    Scalar scale;       ///< ||b||, or 1 where b is zero
    double last = 0.0;  ///< ||r|| / scale of the iterate before
    int up = 0;         ///< what brings the residual to norm 1 is 2^up
    iteration_report report;

    /// Decides after a residual of this norm; all but refine_step::correct is the end. `asked` ends all columns.
    refine_step decide(const Scalar& norm, const stop_rule& rule, const std::optional<solve_status>& asked)
    {
        ++report.matvecs;
        const double residual = residual_ratio(norm, scale);
        if (rule.on_iteration) {
            rule.on_iteration(report.iterations, residual);
        }
        if (!is_finite(norm)) {
            return take_back(solve_status::breakdown, breakdowns::not_finite);
        }
        if (report.iterations > 0 && !(residual < last)) {
            return take_back(solve_status::stagnated, "a correction did not reduce the residual");
        }
        report.recursive_residual = residual;
        if (residual <= rule.relative_residual) {
            return end(solve_status::converged);
        }
        if (report.iterations > 0 && residual > 0.5 * last) {
            return end(solve_status::stagnated, "a correction did not halve the residual");
        }
        if (asked) {
            return end(*asked);
        }
        if (report.iterations >= rule.max_iterations) {
            return end(solve_status::not_converged);
        }
        last = residual;
        const long e = binary_exponent(norm);
        up = static_cast<int>(e < -1000 ? 1000 : (e > 1000 ? -1000 : -e));
        return refine_step::correct;
    }

    /// Archives all but the scale, which depends on b alone.
    void archive(state_archive& io)
    {
        io.value(last);
        io.value(up);
        report.archive(io);
    }

private:
    refine_step end(solve_status status, std::string message = {})
    {
        report.status = status;
        report.message = std::move(message);
        return refine_step::keep;
    }
    refine_step take_back(solve_status status, std::string message)
    {
        end(status, std::move(message));
        if (report.iterations == 0) {
            return refine_step::keep;
        }
        report.recursive_residual = last;
        return refine_step::take_back;
    }
};

/// throws  unsupported_error if a state names a column that is not there
inline void require_columns(const std::vector<std::size_t>& active, std::size_t columns)
{
    if (std::any_of(active.begin(), active.end(), [&](std::size_t j) { return j >= columns; })) {
        throw unsupported_error("a state of refine names a column that is not there");
    }
}

}  // namespace detail

/// Iterative refinement for A X = B, several right-hand sides at once: x <- x + M (b - A x) for each, with M a solve by
/// factors of A in a lower precision, x and the residual in the space's format, to which the exact residual is rounded
/// where A gives that: then the rounding of x alone limits how good it becomes.
///
/// A residual is scaled to norm 1 before M is applied, so that M may work in binary64. Each column has its own scaling
/// and stopping rule, and leaves the work when it is done.
///
/// shapes   A (n x n), M (n x n), b (n) and x (n) of each column; work for as many columns or more
/// stops    a column when ||b - A x|| <= rule.relative_residual ||b||; all columns at work when a rule's poll asks for it
/// cost     per iteration and column at work: 1 A, 1 M, 1 norm, 3 axpy-like; 3 vectors of work. A and M take the columns
///          together where they can
/// order    a column gets the bits and the report that it gets alone
/// reports  for each column: stagnated if a correction does not halve the residual: kappa(A) u_M is near 1, or
///          the format cannot represent x better; x is then the iterate with the smallest
///          residual, so a correction that made things worse is taken back
/// throws   never for lack of convergence
/// from     [CH18], with an exact residual, rounded to u; with u_r = u where A can only be applied
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
std::vector<iteration_report> refine(const S& space, const A& a, const M& m,
                                     const std::vector<method_column<typename S::vector>>& system,
                                     refine_workspace<S>& work)
{
    using scalar = typename S::scalar;
    std::vector<detail::refine_progress<scalar>> at;
    std::vector<std::size_t> active;
    for (std::size_t j = 0; j < system.size(); ++j) {
        at.push_back({.scale = residual_scale(space, system[j].b), .report = {}});
        active.push_back(j);
    }
    run_keeper* const keeper = system.empty() ? nullptr : system.front().rule.keeper;
    const auto state = [&](state_archive& io) {
        for (std::size_t j = 0; j < system.size(); ++j) {
            at[j].archive(io);
            archive_all(io, space, system[j].x, work.best[j]);
        }
        io.list(active);
        detail::require_columns(active, system.size());
    };
    if (keeper != nullptr) {
        keeper->find(state);
    }
    while (!active.empty()) {
        std::optional<solve_status> asked;  // of all at once: a state has no column that ended because it was asked to
        for (const std::size_t j : active) {
            asked = asked || !system[j].rule.poll ? asked : system[j].rule.poll();
        }
        if (keeper != nullptr && (asked || keeper->is_due())) {
            keeper->keep(state);
        }
        const_columns<S> x, b, scaled;
        columns<S> r, d;
        for (const std::size_t j : active) {
            if (system[j].begins_at_zero && at[j].report.iterations == 0) {
                space.copy(system[j].b, work.r[j]);
                continue;
            }
            x.push_back(&system[j].x);
            b.push_back(&system[j].b);
            d.push_back(&work.d[j]);
            r.push_back(&work.r[j]);
        }
        make_residuals(space, a, x, b, d, r);  // r = b - A x
        d.clear();
        std::vector<std::size_t> going;
        for (const std::size_t j : active) {
            switch (at[j].decide(space.norm2(work.r[j]), system[j].rule, asked)) {
                case detail::refine_step::correct:
                    space.copy(system[j].x, work.best[j]);
                    space.scal(space.make_scalar(std::ldexp(1.0, at[j].up)), work.r[j]);
                    scaled.push_back(&work.r[j]);
                    d.push_back(&work.d[j]);
                    going.push_back(j);
                    break;
                case detail::refine_step::take_back:
                    space.copy(work.best[j], system[j].x);
                    break;
                case detail::refine_step::keep:
                    break;
            }
        }
        apply_together(space, m, scaled, d);  // d = 2^up M r
        for (const std::size_t j : going) {
            space.axpy(space.make_scalar(std::ldexp(1.0, -at[j].up)), work.d[j], system[j].x);  // x = x + M r
            ++at[j].report.iterations;
        }
        active = std::move(going);
    }
    std::vector<iteration_report> reports;
    reports.reserve(at.size());
    for (auto& column : at) {
        reports.push_back(std::move(column.report));
    }
    return reports;
}

/// refine() for one right-hand side.
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
iteration_report refine(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                        const stop_rule& rule, refine_workspace<S>& work)
{
    return refine(space, a, m, std::vector<method_column<typename S::vector>>{{b, x, rule}}, work).front();
}

/// The row of refine in the registry.
struct refine_method {
    static constexpr method_traits traits{
        .method = method::refine,
        .name = "refine",
        .systems = "condition below 1e15 or so, below 1e31 with factors in 106 bits",
        .step_cost = "1 product, 1 solve with the factors; several right-hand sides share them",
        .by_factors = true,
        .together = true,
        .in_rns_on_gpu = true,
        .preconditioned = true,
        .vector_operations = 3.0,
        .preferred = preconditioner::cholesky,
        .memory = [](index_t, index_t) { return method_memory{.vectors = 3.0}; },
    };

    static auto make_workspace(const auto& space, const auto& of) { return refine_workspace(space, of.rows); }

    template <vector_space S>
    static std::vector<iteration_report> run_method(const S& space, const method_problem<S>& of,
                                                    const std::vector<method_column<typename S::vector>>& columns,
                                                    refine_workspace<S>& work)
    {
        if (work.r.size() < columns.size()) {
            work = refine_workspace<S>(space, of.rows, columns.size());
        }
        return refine(space, of.a, of.m, columns, work);
    }
};

}  // namespace residua
