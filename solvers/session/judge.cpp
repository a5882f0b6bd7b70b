// What x is worth, and the report of a column at its end.
#include <algorithm>
#include <cmath>
#include <utility>

#include <residua/solvers/assess/forward_error.hpp>
#include <residua/solvers/session/independent.hpp>
#include <residua/solvers/session/least_squares.hpp>
#include <residua/solvers/session/session.hpp>
#include <residua/solvers/session/solves.hpp>

namespace residua {
namespace {

bool wants_estimate(const session& s) { return s.options().estimate_condition || s.options().digits > 0; }

/// Rounds x to the working precision, or to twice that, if it still passes then and can hold the digits asked for.
void choose_solution_bits(session& s, solve_column& c)
{
    c.report.solution_bits = c.x.is_zero() ? c.report.precision_bits : c.x.bits();
    if (c.report.status != solve_status::converged) {
        return;
    }
    for (const long bits : {c.report.precision_bits, 2 * c.report.precision_bits}) {
        if (c.x.bits() <= bits || s.options().digits > decimal_digits(bits)) {
            continue;
        }
        long_vector rounded = c.x.rounded(bits);
        residual_evaluation at_rounded;
        try {
            at_rounded =
                s.prepared.clock().interruptible([&] { return evaluate(s, c, rounded, ldexp(c.tolerance, -20)); });
        } catch (const io::stopped_error&) {
            return;
        }
        if (passes(s, c, at_rounded)) {
            c.x = std::move(rounded);
            c.at_x = std::move(at_rounded);
            c.report.solution_bits = bits;
            record(s, c, c.report.iterations, c.report.recursive_residual, true);  // the residual of this x
            return;
        }
    }
}

/// Finds what applies inverse(A): the factors of `direct` at work, other factors that suffice for the condition, or the
/// method itself. Null: there is nothing, and the report says whether A looks singular.
const inverse_operator* find_inverse(session& s, solve_column& c)
{
    if (c.used.method == method::direct && c.had_engine && !s.prepared.made().binary64().trusted()) {
        if (const inverse_operator* by_direct = inverse_by_direct(s, c)) {
            return by_direct;
        }
    }
    if (const inverse_operator* by_factors = s.prepared.make_inverse(c.report.precision_bits)) {
        return by_factors;
    }
    c.report.looks_singular = s.prepared.inverse_found() == inverse_state::looks_singular;
    // this costs up to 24 further solves, which are worth it only if digits were asked for
    const bool solved = c.report.status == solve_status::converged && c.had_engine && s.options().digits > 0;
    return s.prepared.inverse_found() == inverse_state::too_large && solved ? inverse_by_solves(s, c) : nullptr;
}

/// The error relative to the solution x*, from the error relative to x: ||x*|| is ||x|| minus the error or more. From
/// 1/2 on no digit of x is right, and the error relative to x is reported as it is.
real relative_to_solution(const real& relative_to_x)
{
    return ldexp(relative_to_x, 1) < real(1.0) ? relative_to_x / (real(1.0) - relative_to_x) : relative_to_x;
}

void take_error(solve_column& c, const std::optional<real>& relative_to_x, error_kind kind)
{
    if (!relative_to_x || !is_finite(*relative_to_x)) {
        return;
    }
    const real error = relative_to_solution(*relative_to_x);
    c.report.forward_error = error;
    c.report.forward_kind = kind;
    int digits = decimal_digits(c.report.solution_bits);
    if (!is_zero(error)) {
        digits = std::min(digits, decimals_below(error));
    }
    c.report.digits = std::max(digits, 0);
}

/// Reports the condition by the best factors, which may be the factors of `direct` at work.
void report_condition(const session& s, const inverse_operator* inverse, solve_report& report)
{
    if (report.looks_singular) {
        return;
    }
    auto known = s.prepared.condition_for_report();
    const bool is_better = !known || known->source == condition_source::lower_bound;
    if (is_better && inverse != nullptr && inverse->condition) {
        known = {inverse->condition->condition, condition_source::factors};
    }
    if (known) {
        report.condition = known->value;
        report.condition_source = known->source;
    }
}

/// Finds the forward error by the best means that there are.
///
/// throws  resource_error if memory does not suffice
void find_forward_error(session& s, solve_column& c)
{
    solve_report& report = c.report;
    if (s.prepared.is_least_squares()) {
        if (is_zero(report.rhs_norm)) {  // no other solution is shorter
            return take_error(c, real(0.0), error_kind::estimated);
        }
        if (is_by_qr(s, c.used) && c.had_engine && !c.x.is_zero()) {
            return take_error(c, error_by_qr(s, c), error_kind::estimated);
        }
        return take_error(c, distance_to_least_squares(s, c), error_kind::compared);
    }
    if (s.prepared.is_singular()) {
        return;
    }
    const inverse_operator* inverse = find_inverse(s, c);
    report_condition(s, inverse, report);
    if (inverse != nullptr && is_zero(report.rhs_norm)) {  // the only solution
        return take_error(c, real(0.0), error_kind::estimated);
    }
    if (c.x.is_zero()) {
        return;
    }
    if (inverse != nullptr) {
        return take_error(c, estimate_relative_error(s.system(), c.rhs.leading(), c.x.leading(), c.at_x, *inverse),
                          error_kind::estimated);
    }
    if (s.prepared.inverse_found() == inverse_state::too_large && s.options().digits > 0 &&
        report.status == solve_status::converged) {
        take_error(c, distance_to_independent(s, c), error_kind::compared);
    }
}

real componentwise_error(const session& s, const solve_column& c)
{
    const numbers_elsewhere* const r = c.at_x.r.elsewhere();
    if (r != nullptr && c.rhs.elsewhere() != nullptr && c.x.elsewhere() != nullptr) {
        return componentwise_backward_error(
            c.at_x, s.system().elsewhere->largest_ratio(*r, *c.rhs.elsewhere(), *c.x.elsewhere()));
    }
    return componentwise_backward_error(c.at_x, residual_sizes(s.prepared.whole(), c.rhs.leading(), c.x.leading()));
}

void report_spectrum(const session& s, solve_column& c)
{
    solve_report& report = c.report;
    if (!report.condition && (!s.options().estimate_condition || report.looks_singular)) {
        return;
    }
    if (report.condition && !s.profiles()) {
        return;  // nobody asks for it
    }
    report.spectrum = c.spectrum.ends();
    report.spectrum_of_a = report.preconditioner == preconditioner::none && !s.prepared.matrix().is_scaled();
    if (report.spectrum && !report.condition) {
        report.condition = real(report.spectrum->largest) / real(report.spectrum->smallest);
        report.condition_source = condition_source::method;
    }
}

/// Reports how many digits of x both readings of the numbers share: their distance times the condition bounds the rest.
void compare_readings(const session& s, solve_report& report)
{
    const double distance = s.system().other_reading;
    if (distance > 0.0 && report.condition && report.condition_source != condition_source::method) {
        report.reading_digits = std::max(decimals_below(*report.condition * real(distance)), 0);
    }
}

}  // namespace

void judge(session& s, solve_column& c)
{
    s.parts.in(&part_seconds::updates, [&] { choose_solution_bits(s, c); });
    s.parts.in(&part_seconds::estimates, [&] { estimate_forward_error(s, c); });
}

void estimate_forward_error(session& s, solve_column& c)
{
    solve_report& report = c.report;
    report.forward_error.reset();
    report.forward_kind = error_kind::unknown;
    report.digits = 0;
    report.condition.reset();
    report.condition_source = condition_source::unknown;
    report.looks_singular = false;
    c.lost_estimate.clear();
    c.estimate_stopped = false;
    if (!wants_estimate(s)) {
        return;
    }
    try {
        s.prepared.clock().interruptible(
            [&] { with_memory_for("the estimate of the error", [&] { find_forward_error(s, c); }); });
    } catch (const io::stopped_error&) {
        c.estimate_stopped = true;
    } catch (const cuda_error&) {
        throw;
    } catch (const resource_error& lack) {
        c.lost_estimate = lack.what();
    }
}

void judge_zero(session& s, solve_column& c)
{
    estimate_forward_error(s, c);
    if (c.report.forward_kind == error_kind::unknown) {
        c.report.status = solve_status::not_converged;
        c.report.verdict.detail = "x = 0 solves the system, but whether alone is not known: A " +
                                  std::string(c.report.looks_singular ? "looks" : "may be") + " singular";
        c.report.message = explain(c.report);
    }
}

void finish(session& s, solve_column& c)
{
    sharpen_residual(s, c);
    if (c.at_x.normal) {
        sharpen_normal(s, c);
    }
    solve_report& report = c.report;
    report.method = c.used.method;
    report.preconditioner = c.applied.value_or(c.used.preconditioner);
    report.factor_bits = c.used.factor_bits;
    report.format = arithmetic_of(s.options().format, report.precision_bits, report.method).format;
    const bool resolved = c.at_x.error <= ldexp(c.at_x.norm2, -20);  // otherwise only a bound is known
    report.relative_residual = (resolved ? c.at_x.norm2 : c.at_x.norm2 + c.at_x.error) / report.rhs_norm;
    const real denominator = to_real(s.prepared.norm_inf()) * c.x.norm_inf() + c.b.norm_inf();
    report.backward_error = is_zero(denominator) ? real(0.0) : c.at_x.norm_inf / denominator;
    if (c.at_x.normal) {
        report.normal_residual = normal_bound(s, c.at_x);
        report.least_squares = report.status == solve_status::converged && c.at_x.norm2 + c.at_x.error > c.tolerance;
    }
    report.componentwise_backward_error = componentwise_error(s, c);
    report_spectrum(s, c);
    compare_readings(s, report);
    report.verdict = find_verdict(s, c);
    report.verdict.lacked_memory = !s.lack.empty() || s.prepared.is_incomplete() || !c.lost_estimate.empty();
    report.message = explain(report);
}

}  // namespace residua
