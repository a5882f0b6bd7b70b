#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include <residua/arith/expansion/type.hpp>
#include <residua/blas/base/check.hpp>
#include <residua/blas/base/compiled_formats.hpp>
#include <residua/solvers/methods/corrections.hpp>
#include <residua/solvers/options/solve_options.hpp>
#include <residua/solvers/options/stop.hpp>
#include <residua/solvers/space/operators.hpp>

/// The rule and the report of the methods in typed.hpp, and the loop that runs them.
namespace residua {

/// What is known after an iteration.
struct iteration_view {
    index_t iteration = 0;   ///< from 0, the guess
    real relative_residual;  ///< ||r_k|| / ||b|| by the recursion; ||r_k|| itself if b is 0
    double seconds = 0.0;    ///< since the call
    long precision_bits = 0;
};

/// When a method with few arguments stops, and who watches it.
struct typed_rule {
    /// stop when ||b - A x|| <= relative_residual ||b||; any positive number, such as real("1e-400", 64)
    real relative_residual{1e-10};
    index_t max_iterations = 1000;
    index_t restart = default_restart;  ///< for gmres: the iterations after which it starts anew, or n if that is less
    /// called once an iteration; false ends the run as `interrupted`; may be empty
    std::function<bool(const iteration_view&)> observer = {};
};

struct typed_report : iteration_report {
    real relative_residual;  ///< ||b - A x|| / ||b|| of x, computed from x in the format of the space
    double seconds = 0.0;
};

namespace detail {

/// Whether `blas` has been compiled for this type of element.
template <class T>
inline constexpr bool is_compiled_format = std::same_as<T, double> || !number<T>;
template <int N>
inline constexpr bool is_compiled_format<expansion<double, N>> = blas::is_compiled(N);

/// norm / scale
template <class T>
real long_ratio(const T& norm, const T& scale)
{
    constexpr long bits = 64;
    if constexpr (std::same_as<T, double>) {
        return real(norm, bits) / scale;
    } else {
        return to_real(norm).with_precision(bits) / to_real(scale).with_precision(bits);
    }
}

/// The rounds of a typed run. A round is a run of the method for a correction of x, on the residual scaled to about 1, with a
/// tolerance that binary64 holds; a method alone counts residuals as such numbers. Where lsqr ends a round by its test of
/// A'r, the next one goes on with what is left of the reduction that was asked for.
///
/// shapes  A (m x n), b (m), x (n)
/// method  called as method(b, x, rule) for the guess x = 0; returns its report
template <vector_space S, class Method>
typed_report run_typed(const S& space, const auto& a, const typename S::vector& b, typename S::vector& x,
                       const typed_rule& rule, const Method& method)
{
    using residua::ldexp;  // this namespace has one of its own
    using real_number = real_scalar<S>;
    static_assert(is_compiled_format<typename S::element>,
                  "no operations are compiled for this number of terms: take an expansion of 2, 3, 4, 6 or 8 "
                  "terms, or multidigit_space, whose precision is chosen at run time");
    if (!(rule.relative_residual > 0.0) || !is_finite(rule.relative_residual)) {
        throw error("relative_residual has to be a positive number, not " + to_string(rule.relative_residual, 3));
    }

    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    // A correction does not hold more bits than the format has.
    const double least_tolerance = std::ldexp(1.0, -static_cast<int>(std::min(800L, precision_of(space))));
    const typename S::scalar one = space.make_scalar(1.0);
    const real_number scale = residual_scale(space, b);
    auto r = space.make_vector(space.size(b));
    auto q = space.make_vector(space.size(b));
    auto d = space.make_vector(space.size(x));
    real reduction = rule.relative_residual;  // the reduction of A'r that is still to be made, for lsqr

    typed_report report;
    report.matvecs = 1;
    const auto measure = [&] {
        make_residual(space, a, x, b, q, r);
        const real_number norm = space.norm2(r);
        report.relative_residual = long_ratio(norm, scale);
        return norm;
    };
    real_number norm = measure();
    real before;
    double asked_of_normal = 1.0;
    int up = 0;
    bool first = true;  // then the method says what an x that passes is, and a residual that is zero or not a number
    const auto run = [&] {
        before = report.relative_residual;
        const bool scales = is_finite(norm) && real_part(space.make_scalar(0.0)) < norm;
        const long limit = number<real_number> ? 1000 : std::numeric_limits<int>::max();
        up = scales ? static_cast<int>(std::clamp(-binary_exponent(norm), -limit, limit)) : 0;
        space.scal(ldexp(one, up), r);
        space.fill(space.make_scalar(0.0), d);

        bool goes_on = true;
        stop_rule round;
        const real wanted = scales ? rule.relative_residual / before : real(1.0);
        round.relative_residual = std::max(least_tolerance, to_double(wanted < 1 ? wanted : real(1.0)));
        round.normal_reduction = std::max(least_tolerance, to_double(reduction < 1 ? reduction : real(1.0)));
        round.max_iterations = rule.max_iterations - report.iterations;
        if (rule.observer) {
            round.on_iteration = [&](index_t k, double residual) {
                if (first || k > 0) {
                    const real at = scales ? before * residual : before;
                    goes_on = rule.observer({report.iterations + k, at, seconds(), precision_of(space)});
                }
            };
            round.poll = [&] { return goes_on ? std::nullopt : std::optional(solve_status::interrupted); };
        }
        asked_of_normal = round.normal_reduction;
        iteration_report part = method(r, d, round);
        part.iterations += report.iterations;
        part.matvecs += report.matvecs + 1;
        part.restarts += report.restarts;
        static_cast<iteration_report&>(report) = std::move(part);
        first = false;
    };
    const auto add = [&] {
        space.axpy(ldexp(one, -up), d, x);
        norm = measure();
        report.recursive_residual = to_double(report.relative_residual);
        return std::optional(report.relative_residual);
    };
    const auto passes = [&] { return !first && report.relative_residual <= rule.relative_residual; };
    // Rounds end as the method does, but where it has converged in its own view.
    const auto judge = [&](const correction_step&) -> std::optional<solve_status> {
        if (report.status != solve_status::converged) {
            return report.status;
        }
        if (!report.least_squares) {
            if (report.relative_residual < before / 2) {
                return std::nullopt;
            }
            report.message = "b - A x does not get smaller: the precision is the limit";
            return solve_status::stagnated;
        }
        if (!(reduction < least_tolerance)) {  // all that was left was asked for
            return solve_status::converged;
        }
        if (number<real_number> || rule.relative_residual < ldexp(real(1.0), -precision_of(space))) {
            report.message = "||A'r|| / ||r|| is " + to_string(real(asked_of_normal), 2) +
                             " of what it was, and the format is the limit";
            return solve_status::stagnated;  // another round has scalars below the range, or rounding errors
        }
        reduction /= asked_of_normal;
        return std::nullopt;
    };
    run_corrections({.status = report.status,
                     .passes = passes,
                     .may_iterate = [&] { return first || report.iterations < rule.max_iterations; },
                     .merit = [&] { return report.relative_residual; },
                     .evaluate_sum = add,
                     .judge = judge},
                    run);
    if (passes()) {
        report.least_squares = false;
        report.message.clear();
    }
    report.seconds = seconds();
    return report;
}

/// run_typed() for a square matrix and a preconditioner, by method(space, a, m, b, x, rule, work).
template <vector_space S, operator_or_function<S> A, operator_or_function<S> M, class Work, class Method>
typed_report run_typed(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                       const typed_rule& rule, Work work, const Method& method)
{
    require_equal("a method", "size of b and x", space.size(b), space.size(x));
    const operator_view<S, A> of(a);
    const operator_view<S, M> by(m);
    return run_typed(space, of, b, x, rule, [&](const auto& r, auto& d, const stop_rule& round) {
        return method(space, of, by, r, d, round, work);
    });
}

}  // namespace detail

}  // namespace residua
