// The loop of corrections: r = b - A x, d from the method, x + d where that is better.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <residua/solvers/session/session.hpp>

namespace residua {
namespace {
constexpr double least_ratio = 1e-280;
constexpr double inner_share = 0.99;  ///< share of the tolerance to aim at: the recursive residual is not the true one

/// x / y as a double: tolerances far beyond binary64's range are reached in several corrections.
double clamped_ratio(const real& x, const real& y) { return std::clamp(to_double(x / y), least_ratio, 1e280); }

residual_evaluation evaluate_untimed(const session& s, solve_column& c, const long_vector& at_work,
                                     const real& wanted_error)
{
    residual_matrix* const a = s.prepared.matrix_for_residuals();
    if (a != nullptr && !at_work.in_mpfr() && !c.rhs.in_mpfr()) {
        return evaluate_exactly(*a, c.rhs, at_work);
    }
    const std::vector<real> x = at_work.numbers();
    residual_evaluation at = evaluate_residual(s.system(), c.b, x, wanted_error, c.reading_error);
    if (!s.prepared.is_least_squares()) {
        return at;
    }
    // the second test is relative to ||r||, which may be far below ||b||
    const auto wanted = [&] { return ldexp(c.report.rtol * at.norm2, -20); };
    if (wanted() < at.error && c.tolerance < at.norm2 && !is_zero(wanted())) {
        at = evaluate_residual(s.system(), c.b, x, wanted(), c.reading_error);
    }
    const real& norm = s.prepared.norm_frobenius();
    at.normal = evaluate_normal(s.prepared.transpose_of_a(), norm, at, norm * wanted());
    return at;
}

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

/// Whether the column needs another correction; if it does not, its status says why.
bool wants_correction(session& s, solve_column& c, long bits)
{
    if (passes(s, c, c.at_x)) {
        c.report.status = solve_status::converged;
        return false;
    }
    // the residual was evaluated with fewer bits than the correction will have, or fell further than expected
    if (const real error = ldexp(max(c.tolerance, ldexp(c.at_x.norm2, -bits)), -20); error < c.at_x.error) {
        c.at_x = evaluate(s, c, c.x, error);
    }
    if (const auto stop = s.stop_requested()) {
        c.report.status = *stop;
        return false;
    }
    c.report.status = solve_status::not_converged;
    return c.report.iterations < s.max_iterations;
}

/// Whether a correction that lowered its precision on its way met its target, but the true residual is above that.
bool missed(const correction& of, const real& before, const residual_evaluation& after)
{
    return !of.report.precision_changes.empty() && of.report.status == solve_status::converged &&
           before * real(of.rule.relative_residual / inner_share) < after.norm2;
}

/// x becomes x + d if that is better. Returns whether a further correction may help.
bool take(session& s, solve_column& c, correction& of, long bits)
{
    const real before = c.at_x.norm2;
    const real merit_before = merit(s, c, c.at_x);
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
    c.report.recursive_residual = before / c.report.rhs_norm * real(inner.recursive_residual);
    c.note = inner.message;
    if (inner.spectrum.size() > c.spectrum.size()) {
        c.spectrum = inner.spectrum;
    }

    long_vector next;
    const bool finite = s.parts.in(&part_seconds::updates, [&] {
        next = c.x.plus(of.d, std::max(carried_bits(bits), c.x.bits()));
        return next.is_finite();
    });
    ++c.report.matvecs;
    ++c.report.corrections;
    bool halved = false;
    if (finite) {
        const real wanted = ldexp(max(c.tolerance, ldexp(before, -2 * bits)), -20);
        const bool ends = inner.status == solve_status::interrupted || inner.status == solve_status::time_limit;
        residual_evaluation at_next;
        if (ends) {  // an unfinished d may improve x, too
            at_next = evaluate(s, c, next, wanted);
        } else {
            try {
                at_next = s.prepared.clock().interruptible([&] { return evaluate(s, c, next, wanted); });
            } catch (const io::stopped_error&) {
                c.report.status = s.prepared.clock().why_stopped();
                return false;
            }
        }
        const real merit_next = merit(s, c, at_next);
        halved = merit_next < merit_before && merit_next * real(2.0) <= merit_before;
        if (merit_next < merit_before) {
            c.x = std::move(next);
            c.at_x = std::move(at_next);
        }
        if (!passes(s, c, c.at_x) && missed(of, before, c.at_x)) {
            c.keeps_bits = true;
            leave(c, changes.back().precision_bits, inner.iterations,
                  "in fewer bits the true residual missed the tolerance");
        }
    }
    if (c.report.iterations > 0) {
        record(s, c, c.report.iterations, c.report.recursive_residual, true);
    }
    if (passes(s, c, c.at_x)) {
        c.report.status = solve_status::converged;
        return false;
    }
    switch (inner.status) {
        case solve_status::interrupted:
        case solve_status::time_limit:
        case solve_status::not_converged:
            c.report.status = inner.status;
            if (inner.status == solve_status::not_converged && c.report.iterations < s.max_iterations) {
                c.report.status = solve_status::stagnated;  // the candidate has used up its iterations
            }
            return false;
        default:
            break;
    }
    if (!halved && inner.status == solve_status::converged && s.prepared.matrix().is_scaled() && !c.scales_mislead) {
        // rows of A may be far larger than rows of the scaled matrix: the next correction goes as far as the format can
        c.scales_mislead = true;
        return true;
    }
    if (!halved) {
        c.report.status = inner.status == solve_status::breakdown ? solve_status::breakdown : solve_status::stagnated;
    }
    return halved;
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
    const index_t n = s.system().cols;
    const std::vector<real>& guess = s.options().initial_guess;
    c.rhs = s.prepared.matrix_for_residuals() != nullptr ? long_vector::exactly(c.b) : long_vector(c.b);
    const bool in_mpfr = c.rhs.in_mpfr();
    if (guess.empty()) {
        c.x = in_mpfr ? long_vector(std::vector<real>(static_cast<std::size_t>(n), real(0.0))) : long_vector::zeros(n);
    } else {
        std::vector<real> x(guess.begin() + n * c.index, guess.begin() + n * (c.index + 1));
        c.x = in_mpfr ? long_vector(std::move(x)) : long_vector::exactly(x);
    }
}

/// Fetches x and its residual from a device that failed. A column that cannot be fetched begins again.
void bring_home(session& s, const column_list& columns)
{
    const host_executor host;
    for (solve_column* c : columns) {
        try {
            c->rhs.on(host);
            c->x.on(host);
            c->at_x.r.on(host);
        } catch (const cuda_error&) {
            start(s, *c);
            c->at_x = evaluate(s, *c, c->x, ldexp(c->tolerance, -20));
        }
    }
}

/// Corrects each of the columns once, in groups. Returns the columns that may profit from another correction.
column_list correct_once(session& s, corrector& by, const column_list& columns)
{
    column_list again;
    for (std::size_t first = 0; first < columns.size(); first += most_corrections) {
        const std::size_t end = std::min<std::size_t>(first + most_corrections, columns.size());
        std::vector<correction> corrections;
        for (std::size_t k = first; k < end; ++k) {
            const double target = inner_target(*columns[k], by.bits);
            corrections.push_back({.r = columns[k]->at_x.r, .rule = inner_rule(s, *columns[k], target)});
        }
        s.parts.in(&part_seconds::vectors, [&] { by.engine->correct(corrections); });
        for (std::size_t k = first; k < end; ++k) {
            if (take(s, *columns[k], corrections[k - first], by.bits)) {
                again.push_back(columns[k]);
            }
        }
    }
    return again;
}

}  // namespace

real default_rtol(long bits)
{
    const double e = -default_tolerance_bits(bits);
    const double whole = std::floor(e);
    return ldexp(real(std::exp2(e - whole)), static_cast<long>(whole));
}

residual_evaluation evaluate(session& s, solve_column& c, const long_vector& x, const real& wanted_error)
{
    return s.parts.in(&part_seconds::true_residuals, [&] { return evaluate_untimed(s, c, x, wanted_error); });
}

void sharpen_residual(session& s, solve_column& c)
{
    // a zero that is not exact, or noise for the second time, shows no size to aim at: it asks for 2000 bits more
    for (int k = 0; k < 3 && ldexp(c.at_x.norm2, -20) < c.at_x.error && c.at_x.can_be_sharpened; ++k) {
        const bool unseen = is_zero(c.at_x.norm2) || (k > 0 && c.at_x.norm2 <= c.at_x.error);
        const real wanted = unseen ? ldexp(c.at_x.error, -2000) : ldexp(c.at_x.norm2, -24);
        c.at_x = evaluate(s, c, c.x, wanted);
    }
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
    column_list going = columns;
    while (true) {
        std::erase_if(going, [&](solve_column* c) { return !wants_correction(s, *c, bits); });
        if (going.empty()) {
            return;
        }
        try {
            going = correct_once(s, *by, going);
        } catch (const resource_error& lack) {  // a device fails while it computes
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
}

}  // namespace residua
