// Columns in the loop of corrections: their residuals, the corrections that engines compute, the decisions of a session.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <residua/solvers/methods/corrections.hpp>
#include <residua/solvers/session/least_squares.hpp>
#include <residua/solvers/session/session.hpp>

namespace residua {
namespace {
constexpr double least_ratio = 1e-280;
constexpr double inner_share = 0.99;  ///< share of the tolerance to aim at: the recursive residual is not the true one

/// x / y as a double: tolerances far beyond binary64's range are reached in several corrections.
double clamped_ratio(const real& x, const real& y) { return std::clamp(to_double(x / y), least_ratio, 1e280); }

/// The factor by which a correction is to reduce the residual of the matrix that the method sees.
double inner_target(const solve_column& c, long bits)
{
    const double wanted = inner_share * clamped_ratio(c.tolerance, c.at_x.norm2);
    return c.scales_mislead ? std::min(wanted, clamped_ratio(default_rtol(bits), real(1.0))) : wanted;
}

/// How many iterations the next correction may take.
index_t iterations_left(const session& s, const solve_column& c)
{
    const index_t of_all = s.max_iterations - c.report.iterations;
    const index_t of_candidate =
        c.used.most_iterations == 0 ? of_all : c.used.most_iterations - (c.report.iterations - c.left_at);
    return std::max<index_t>(std::min(of_all, of_candidate), 0);
}

stop_rule inner_rule(session& s, solve_column& c, double target)
{
    stop_rule rule;
    rule.relative_residual = target;
    if (c.at_x.normal) {
        rule.normal_reduction = inner_share * clamped_ratio(c.report.rtol, normal_ratio(s, c.at_x));
    }
    rule.max_iterations = iterations_left(s, c);
    rule.keeps_bits = s.has_fixed_bits() || c.keeps_bits || target < least_ratio;  // clamped target: going beyond helps
    rule.on_iteration = [&s, &c, first = c.report.iterations, start = c.at_x.norm2 / c.report.rhs_norm](
                            index_t k, double relative) {
        if (k > 0) {
            record(s, c, first + k, start * real(relative), false);
        }
    };
    rule.poll = [&s] { return s.stop_requested(); };
    return rule;
}

/// A correction of a column, and what it leads to.
struct column_step {
    long_vector d{};
    iteration_report report{};
    double target = 0.0;
    real before{};  ///< ||r|| of x
    long_vector next{};
    residual_evaluation at_next{};
};

/// Evaluates the residual of x anew where it has fewer bits than a correction will have, or fell further than expected.
void sharpen_for_correction(session& s, solve_column& c, long bits)
{
    if (const real error = ldexp(max(c.tolerance, ldexp(c.at_x.norm2, -bits)), -20); error < c.at_x.error) {
        c.at_x = evaluate(s, c, c.x, error);
    }
}

/// Whether a correction that lowered its precision on its way met its target, but the true residual is above that.
bool missed(const column_step& of, const residual_evaluation& after)
{
    return !of.report.precision_changes.empty() && of.report.status == solve_status::converged &&
           of.before * real(of.target / inner_share) < after.norm2;
}

/// Adds what the method reports of a correction to the report of the column.
void count(const session& s, solve_column& c, const column_step& of, long bits)
{
    const iteration_report& inner = of.report;
    auto& changes = c.report.precision_changes;
    if (!changes.empty() && changes.back().precision_bits != bits) {  // each correction begins in full precision
        changes.push_back({c.report.iterations, bits});
    }
    for (const precision_change& change : inner.precision_changes) {
        changes.push_back({c.report.iterations + change.iteration, change.precision_bits});
    }
    c.report.iterations += inner.iterations;
    c.report.matvecs += inner.matvecs;
    c.report.restarts += inner.restarts;
    c.report.recursive_residual = of.before / c.report.rhs_norm * real(inner.recursive_residual);
    c.note = inner.message;
    // one that the plan has chosen is left for the next
    c.preconditioner_failed |= inner.preconditioner_failed && s.options().preconditioner == c.used.preconditioner;
    if (inner.spectrum.size() > c.spectrum.size()) {
        c.spectrum = inner.spectrum;
    }
}

/// A column that a method corrects in `bits` bits.
struct column_at_work {
    session& s;
    solve_column& c;
    const corrector& by;
    long bits;
    column_step* of = nullptr;  ///< its last correction, until that is judged
};

/// Evaluates the residual of x + d; empty: that is not finite.
std::optional<real> evaluate_sum(const column_at_work& at)
{
    session& s = at.s;
    solve_column& c = at.c;
    column_step& of = *at.of;
    of.before = c.at_x.norm2;
    count(s, c, of, at.by.bits);
    const bool finite = s.parts.in(&part_seconds::updates, [&] {
        of.next = c.x.plus(of.d, std::max(carried_bits(at.by.bits), c.x.bits()));
        return of.next.is_finite();
    });
    ++c.report.matvecs;
    ++c.report.corrections;
    if (!finite) {
        return std::nullopt;
    }
    const real wanted = ldexp(max(c.tolerance, ldexp(of.before, -2 * at.by.bits)), -20);
    const auto evaluated = [&] { return evaluate(s, c, of.next, wanted); };
    const bool ends = of.report.status == solve_status::interrupted || of.report.status == solve_status::time_limit;
    of.at_next = ends ? evaluated() : s.prepared.clock().interruptible(evaluated);  // an unfinished d may improve x
    const real of_next = merit(s, c, of.at_next);
    if (!c.at_x.normal || is_zero(c.at_x.norm2) || is_zero(c.at_x.normal->norm2)) {
        return of_next;
    }
    // the test of A'r is relative to r: where both fall, x + d is better by the smaller of the two factors at least
    const real factor = max(of.at_next.norm2 / c.at_x.norm2, of.at_next.normal->norm2 / c.at_x.normal->norm2);
    return factor < real(1.0) ? min(of_next, factor * merit(s, c, c.at_x)) : of_next;
}

/// Writes the history, and keeps the precision where a lower one was in vain.
void tell(const column_at_work& at, bool finite)
{
    solve_column& c = at.c;
    if (finite && !passes(at.s, c, c.at_x) && missed(*at.of, c.at_x)) {
        c.keeps_bits = true;
        leave(c, c.report.precision_changes.back().precision_bits, at.of->report.iterations,
              "in fewer bits the true residual missed the tolerance");
    }
    if (c.report.iterations > 0) {
        record(at.s, c, c.report.iterations, c.report.recursive_residual, true);
    }
    *at.of = {};
}

/// Rows of A may be far larger than rows of the scaled matrix. Then the next correction goes as far as the format can.
std::optional<solve_status> judge_scales(const column_at_work& at, const correction_step& step)
{
    const bool misled = !step.halved && at.c.report.status == solve_status::converged &&
                        at.s.prepared.matrix().is_scaled() && !at.c.scales_mislead;
    at.c.scales_mislead = at.c.scales_mislead || misled;
    return misled ? std::nullopt : step.end;
}

/// The column as the loop of corrections takes it.
corrected in_loop(column_at_work& at)
{
    return {.status = at.c.report.status,
            .passes = [&at] { return passes(at.s, at.c, at.c.at_x); },
            .may_iterate = [&at] { return at.c.report.iterations < at.s.max_iterations; },
            .sharpen = [&at] { sharpen_for_correction(at.s, at.c, at.bits); },
            .stop_requested = [&at] { return at.s.stop_requested(); },
            .merit = [&at] { return merit(at.s, at.c, at.c.at_x); },
            .evaluate_sum = [&at] { return evaluate_sum(at); },
            .why_stopped = [&at] { return at.s.prepared.clock().why_stopped(); },
            .accept =
                [&at] {
                    at.c.x = std::move(at.of->next);
                    at.c.at_x = std::move(at.of->at_next);
                },
            .tell = [&at](const correction_step& step) { tell(at, step.finite); },
            .judge = [&at](const correction_step& step) { return judge_scales(at, step); }};
}

/// Records that a candidate did not fit in memory, or that a device failed; x is kept as it is.
void refuse(session& s, const candidate& choice, long bits, const resource_error& lack, const column_list& columns)
{
    s.refused.push_back(choice);
    s.lack = lack.what();
    for (solve_column* c : columns) {
        c->note = "in " + std::to_string(bits) + " bits " + lack.what();
        c->refused = choice;
        c->report.status = solve_status::stagnated;
    }
}

/// Records in each column what corrects it from now on.
void assign(const corrector& by, const column_list& columns)
{
    for (solve_column* c : columns) {
        c->used = by.choice;
        c->applied = by.applied;
        c->refused.reset();
        c->note = by.failure;
        c->had_engine = by.engine != nullptr;
        c->report.precision_bits = by.bits;
        by.tell_place(c->report);
    }
}

/// Sets the right-hand side and the initial guess of a column, in the representation that the solve works on.
void start(const session& s, solve_column& c)
{
    residual_matrix* const a = s.prepared.matrix_for_residuals();
    c.rhs = a != nullptr ? c.b.exactly() : long_vector(c.b.numbers());
    c.x = c.rhs.elsewhere() != nullptr && !s.options().has_guess()
              ? long_vector(s.system().elsewhere->handed_out(nullptr), multidigit_least_bits)
              : given_guess(s.options(), s.system().cols, c.index, c.rhs.in_mpfr());
    if (a != nullptr) {
        a->move(c.rhs);
        a->move(c.x);
    }
}

/// Fetches x and its residual from a device that failed. A column that cannot be fetched begins again.
void bring_home(session& s, const column_list& columns)
{
    for (solve_column* c : columns) {
        try {
            for (long_vector* const each : {&c->rhs, &c->x, &c->at_x.r}) {
                if (each->elsewhere() == nullptr) {  // processes have it on their hosts
                    each->on(host_executor{});
                }
            }
        } catch (const cuda_error&) {
            start(s, *c);
            c->at_x = evaluate(s, *c, c->x, ldexp(c->tolerance, -20));
        }
    }
}

}  // namespace

real default_rtol(long bits)
{
    const double e = -default_tolerance_bits(bits);
    const double whole = std::floor(e);
    return ldexp(real(std::exp2(e - whole)), static_cast<long>(whole));
}

void record(session& s, solve_column& c, index_t iteration, const real& recursive, bool exact)
{
    if (exact) {
        sharpen_residual(s, c);
    }
    if (c.is_silent) {
        return;
    }
    history_entry entry;
    entry.column = c.index;
    entry.iteration = iteration;
    entry.recursive = recursive;
    if (exact) {
        entry.exact = c.at_x.norm2 / c.report.rhs_norm;
    }
    entry.seconds = s.prepared.clock().seconds();
    entry.precision_bits = c.report.precision_bits;
    c.report.history.push_back(entry);
    if (s.options().on_history) {
        s.options().on_history(c.report.history.back());
    }
}

void begin(session& s, solve_column& c)
{
    const solve_options& options = s.options();
    s.parts.in(&part_seconds::updates, [&] { start(s, c); });
    const long first_bits = s.prepared.first_bits();
    c.report.precision_bits = first_bits;
    if (!options.rtol) {
        c.report.rtol = default_rtol(first_bits);
    }
    if (options.digits > 0) {  // the residual that the digits need at this condition, a tenth of it for safety
        const real needed = pow(real(10.0, 128), -options.digits - 1) / max(s.prepared.loss(), real(1.0));
        c.report.rtol = min(c.report.rtol, needed);
        c.report.atol = min(c.report.atol, needed * c.report.rhs_norm);
    }
    c.tolerance = max(c.report.rtol * c.report.rhs_norm, c.report.atol);
    c.at_x = evaluate(s, c, c.x, ldexp(c.tolerance, -20));
    record(s, c, 0, c.at_x.norm2 / c.report.rhs_norm, true);
    if (const std::optional<plan_step>& fall = s.prepared.plan().fall) {
        c.refused = fall->left;
        leave(c, first_bits, 0, fall->reason);
        c.refused.reset();
    }
    c.report.recursive_residual = c.at_x.norm2 / c.report.rhs_norm;
}

void correct(session& s, const candidate& choice, long bits, const column_list& columns)
{
    const auto count = static_cast<index_t>(s.columns.size());
    corrector* by = nullptr;
    try {
        s.parts.in(&part_seconds::methods,
                   [&] { s.prepared.clock().interruptible([&] { by = &s.correctors.get(choice, bits, count); }); });
    } catch (const io::stopped_error&) {
        for (solve_column* c : columns) {
            c->note = "stopped while the method was made";
            c->report.status = s.prepared.clock().why_stopped();
        }
        return;
    } catch (const cuda_error& failure) {
        if (!s.has_corrections()) {
            throw;
        }
        return refuse(s, choice, bits, failure, columns);
    } catch (const resource_error& lack) {
        if (s.prepared.release_factors(choice)) {  // the factors of the estimate make room for the solve
            return correct(s, choice, bits, columns);
        }
        return refuse(s, choice, bits, lack, columns);
    }
    assign(*by, columns);
    if (by->engine == nullptr) {
        for (solve_column* c : columns) {
            c->report.status = s.stop_requested().value_or(solve_status::breakdown);
        }
        return;
    }
    for (solve_column* c : columns) {
        s.parts.in(&part_seconds::updates, [&] {
            if (!c->x.is_zero()) {  // otherwise the first correction becomes x, in its own precision
                c->x.carry(carried_bits(bits));
            }
        });
        if (!s.options().rtol && s.options().digits == 0) {
            c->report.rtol = default_rtol(bits);
            c->tolerance = max(c->report.rtol * c->report.rhs_norm, c->report.atol);
        }
    }
    const bool by_qr = is_by_qr(s, choice);
    std::vector<column_step> steps(std::min<std::size_t>(columns.size(), most_corrections));
    std::vector<column_at_work> at_work;
    for (solve_column* c : columns) {
        at_work.push_back({s, *c, *by, bits});
    }
    std::vector<corrected> all;
    std::transform(at_work.begin(), at_work.end(), std::back_inserter(all), in_loop);
    try {
        run_corrections(all, most_corrections, [&](std::span<const std::size_t> which) {
            std::vector<correction> corrections;
            std::vector<long_vector> sides;
            sides.reserve(which.size());
            for (const std::size_t j : which) {
                column_at_work& at = at_work[j];
                at.of = &steps[corrections.size()];
                at.of->target = inner_target(at.c, bits);
                long_vector& r = by_qr ? sides.emplace_back(side_of_normal(s, at.c, bits)) : at.c.at_x.r;
                corrections.push_back({.r = r, .rule = inner_rule(s, at.c, at.of->target)});
            }
            const auto timing = s.parts.during(&part_seconds::vectors);
            by->engine->correct(corrections);
            for (std::size_t k = 0; k < which.size(); ++k) {
                column_at_work& at = at_work[which[k]];
                at.of->d = std::move(corrections[k].d);
                if (by_qr && corrections[k].report.status == solve_status::converged) {
                    at.of->d = correction_by_normal(s, std::move(at.of->d), bits);
                }
                at.of->report = std::move(corrections[k].report);
                at.c.report.status = at.of->report.status;
            }
        });
    } catch (const resource_error& lack) {  // a device fails while it computes
        column_list going;
        for (std::size_t j = 0; j < columns.size(); ++j) {
            if (all[j].at_work) {
                going.push_back(columns[j]);
            }
        }
        bring_home(s, going);
        if (s.correctors.leave_gpu(by->place)) {
            return correct(s, choice, bits, going);
        }
        if (!s.has_corrections()) {
            throw;
        }
        return refuse(s, choice, bits, lack, going);
    }
}

}  // namespace residua
