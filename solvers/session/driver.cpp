#include <residua/solvers/session/driver.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace residua {
namespace {

/// 2^-0.9p, the default relative tolerance; binary64's range may not hold it.
real default_rtol(long bits)
{
    const double e = -0.9 * static_cast<double>(bits);
    const double whole = std::floor(e);
    return ldexp(real(std::exp2(e - whole)), static_cast<long>(whole));
}

/// x / y as a double that neither over- nor underflows to zero: tolerances far beyond binary64's
/// range are reached in several corrections.
double clamped_ratio(const real& x, const real& y) { return std::clamp(to_double(x / y), 1e-280, 1e280); }

void round_all(std::vector<real>& v, long bits)
{
    for (real& x : v) {
        x = x.with_precision(bits);
    }
}

}  // namespace

double driver::seconds() const
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::optional<solve_status> driver::stop_requested() const
{
    if (options_.interrupted && options_.interrupted()) {
        return solve_status::interrupted;
    }
    if (options_.time_limit_seconds > 0.0 && seconds() > options_.time_limit_seconds) {
        return solve_status::time_limit;
    }
    return std::nullopt;
}

double* driver::part(double part_seconds::*which) { return profiles() ? &(parts_.*which) : nullptr; }

residual_evaluation driver::evaluate(const solve_column& c, const std::vector<real>& x, const real& wanted_error)
{
    return timed(part(&part_seconds::true_residuals), [&] { return evaluate_untimed(c, x, wanted_error); });
}

void driver::sharpen_residual(solve_column& c)
{
    // a residual that came out as zero, but not exactly, or once more as noise, asks for more bits blindly
    for (int k = 0; k < 3 && ldexp(c.at_x.norm2, -20) < c.at_x.error; ++k) {
        const bool unseen = is_zero(c.at_x.norm2) || (k > 0 && c.at_x.norm2 <= c.at_x.error);
        const real wanted = unseen ? ldexp(c.at_x.error, -2000) : ldexp(c.at_x.norm2, -24);
        c.at_x = evaluate(c, c.x, wanted);
    }
}

void driver::record(solve_column& c, index_t iteration, const real& recursive, bool exact)
{
    if (exact) {
        sharpen_residual(c);
    }
    history_entry entry;
    entry.column = c.index;
    entry.iteration = iteration;
    entry.recursive = recursive;
    if (exact) {
        entry.exact = c.at_x.norm2 / c.report.rhs_norm;
    }
    entry.seconds = seconds();
    entry.precision_bits = c.report.precision_bits;
    c.report.history.push_back(entry);
    if (options_.on_history) {
        options_.on_history(c.report.history.back());
    }
}

void driver::begin(solve_column& c)
{
    const auto n = static_cast<std::size_t>(system_.cols);
    if (options_.initial_guess.empty()) {
        c.x.assign(n, real(0.0));
    } else {
        const auto first = options_.initial_guess.begin() + static_cast<std::ptrdiff_t>(n) * c.index;
        c.x.assign(first, first + static_cast<std::ptrdiff_t>(n));
        long bits = 0;
        for (const real& x : c.x) {
            bits = std::max(bits, x.precision());
        }
        round_all(c.x, bits);  // exactly: all elements of x have one precision
    }
    c.report.precision_bits = first_bits_;
    if (!options_.rtol) {
        c.report.rtol = default_rtol(first_bits_);
    }
    if (options_.digits > 0) {  // what the digits need at this condition, a tenth for safety
        const real needed = pow(real(10.0, 128), -options_.digits - 1) / max(condition_of(factors_), real(1.0));
        c.report.rtol = min(c.report.rtol, needed);
        c.report.atol = min(c.report.atol, needed * c.report.rhs_norm);
    }
    c.tolerance = max(c.report.rtol * c.report.rhs_norm, c.report.atol);
    c.at_x = evaluate(c, c.x, ldexp(c.tolerance, -20));
    record(c, 0, c.at_x.norm2 / c.report.rhs_norm, true);
    c.report.recursive_residual = c.at_x.norm2 / c.report.rhs_norm;
}

double driver::inner_target(const solve_column& c, long bits) const
{
    // a little below the tolerance: the recursive residual is not the true one
    const double wanted = 0.99 * clamped_ratio(c.tolerance, c.at_x.norm2);
    return c.scales_mislead ? std::min(wanted, clamped_ratio(default_rtol(bits), real(1.0))) : wanted;
}

stop_rule driver::inner_rule(solve_column& c, double target)
{
    stop_rule rule;
    rule.relative_residual = target;
    if (c.at_x.normal) {
        rule.normal_reduction = 0.99 * clamped_ratio(c.report.rtol, normal_ratio(c.at_x));
    }
    rule.max_iterations = std::max<index_t>(max_iterations_ - c.report.iterations, 0);
    rule.on_iteration = [this, &c, first = c.report.iterations, start = c.at_x.norm2 / c.report.rhs_norm](
                            index_t k, double relative) {
        if (k > 0) {
            record(c, first + k, start * real(relative), false);
        }
    };
    rule.poll = [this] { return stop_requested(); };
    return rule;
}

void driver::fall_short(long bits, const resource_error& lack, const column_list& columns)
{
    if (std::none_of(columns_.begin(), columns_.end(), [](const auto& c) { return c.report.corrections > 0; })) {
        throw;
    }
    for (solve_column* c : columns) {
        c->engine_message = "in " + std::to_string(bits) + " bits " + lack.what();
        c->out_of_memory = true;
        c->report.status = solve_status::stagnated;
    }
}

bool driver::wants_correction(solve_column& c, long bits)
{
    if (passes(c, c.at_x)) {
        c.report.status = solve_status::converged;
        return false;
    }
    // evaluated with fewer bits than the correction will have, or fallen further than expected
    if (const real error = ldexp(max(c.tolerance, ldexp(c.at_x.norm2, -bits)), -20); error < c.at_x.error) {
        c.at_x = evaluate(c, c.x, error);
    }
    if (const auto stop = stop_requested()) {
        c.report.status = *stop;
        return false;
    }
    c.report.status = solve_status::not_converged;
    return c.report.iterations < max_iterations_;
}

bool driver::take(solve_column& c, correction& of, long bits)
{
    const real before = c.at_x.norm2;
    const real merit_before = merit(c, c.at_x);
    const iteration_report& inner = of.report;
    c.report.iterations += inner.iterations;
    c.report.matvecs += inner.matvecs;
    c.report.restarts += inner.restarts;
    c.report.recursive_residual = before / c.report.rhs_norm * real(inner.recursive_residual);
    c.engine_message = inner.message;
    if (inner.spectrum.size() > c.spectrum.size()) {
        c.spectrum = inner.spectrum;
    }

    std::vector<real> next = c.x;
    bool finite = true;
    for (std::size_t i = 0; i < next.size(); ++i) {
        next[i] += of.d[i];
        finite = finite && is_finite(next[i]);
    }
    ++c.report.matvecs;
    ++c.report.corrections;
    bool halved = false;
    if (finite) {
        round_all(next, c.x.front().precision());
        residual_evaluation at_next = evaluate(c, next, ldexp(max(c.tolerance, ldexp(before, -2 * bits)), -20));
        const real merit_next = merit(c, at_next);
        halved = merit_next < merit_before && merit_next * real(2.0) <= merit_before;
        if (merit_next < merit_before) {
            c.x = std::move(next);
            c.at_x = std::move(at_next);
        }
    }
    if (c.report.iterations > 0) {
        record(c, c.report.iterations, c.report.recursive_residual, true);
    }
    if (passes(c, c.at_x)) {
        c.report.status = solve_status::converged;
        return false;
    }
    switch (inner.status) {
        case solve_status::interrupted:
        case solve_status::time_limit:
        case solve_status::not_converged:
            c.report.status = inner.status;
            return false;
        default:
            break;
    }
    if (!halved && inner.status == solve_status::converged && matrix_.is_scaled() && !c.scales_mislead) {
        c.scales_mislead =
            true;  // rows of A may be far larger than those of the scaled matrix: as far as the format goes
        return true;
    }
    if (!halved) {
        c.report.status = inner.status == solve_status::breakdown ? solve_status::breakdown : solve_status::stagnated;
    }
    return halved;
}

void driver::attempt(const candidate& choice, long bits, const column_list& columns)
{
    for (solve_column* c : columns) {
        c->engine_message.clear();
    }
    try {
        timed(part(&part_seconds::methods), [&] { make_engine_for(choice, bits, columns); });
    } catch (const resource_error& lack) {
        return leave_gpu() ? attempt(choice, bits, columns) : fall_short(bits, lack, columns);
    }
    for (solve_column* c : columns) {
        if (!engine_) {
            c->report.status = stop_requested().value_or(solve_status::breakdown);
            continue;
        }
        round_all(c->x, std::max(2 * bits, c->x.front().precision()));
        if (!options_.rtol && options_.digits == 0) {
            c->report.rtol = default_rtol(bits);
            c->tolerance = max(c->report.rtol * c->report.rhs_norm, c->report.atol);
        }
    }
    column_list going = engine_ ? columns : column_list{};
    while (!going.empty()) {
        std::erase_if(going, [&](solve_column* c) { return !wants_correction(*c, bits); });
        column_list again;
        for (std::size_t first = 0; first < going.size(); first += most_corrections) {
            const std::size_t end = std::min<std::size_t>(first + most_corrections, going.size());
            std::vector<correction> corrections;
            for (std::size_t k = first; k < end; ++k) {
                const double target = inner_target(*going[k], bits);
                corrections.push_back({.r = going[k]->at_x.r, .rule = inner_rule(*going[k], target)});
            }
            try {
                timed(part(&part_seconds::vectors), [&] { engine_->correct(corrections); });
            } catch (const resource_error& lack) {  // a device fails while it computes
                again.insert(again.end(), going.begin() + static_cast<std::ptrdiff_t>(first), going.end());
                return leave_gpu() ? attempt(choice, bits, again) : fall_short(bits, lack, again);
            }
            for (std::size_t k = first; k < end; ++k) {
                if (take(*going[k], corrections[k - first], bits)) {
                    again.push_back(going[k]);
                }
            }
        }
        going = std::move(again);
    }
}

void driver::attempt_again(column_list columns, const std::function<void(solve_column&, index_t)>& then)
{
    while (!columns.empty()) {
        const candidate choice = columns.front()->used;
        const long bits = columns.front()->wanted_bits;
        const auto others = std::stable_partition(columns.begin(), columns.end(), [&](const solve_column* c) {
            return c->wanted_bits == bits && c->used == choice;
        });
        const column_list alike(columns.begin(), others);
        std::vector<index_t> corrections;
        for (const solve_column* c : alike) {
            corrections.push_back(c->report.corrections);
        }
        attempt(choice, bits, alike);
        for (std::size_t k = 0; k < alike.size(); ++k) {
            then(*alike[k], corrections[k]);
        }
        columns.erase(columns.begin(), others);
    }
}

std::vector<solve_result> driver::run()
{
    validate();
    column_list at_work;
    for (solve_column& c : columns_) {
        c.report.atol = options_.atol.value_or(real(0.0));
        c.report.rtol = options_.rtol.value_or(real(0.0));
        if (!solve_trivially(c)) {
            at_work.push_back(&c);
        } else if (!options_.rtol && c.report.precision_bits > 0) {
            c.report.rtol = default_rtol(c.report.precision_bits);
        }
    }
    if (!at_work.empty()) {
        prepare();
        for (solve_column* c : at_work) {
            begin(*c);
        }
        solve_by_plan(at_work);
        if (options_.digits > 0) {
            column_list converged = at_work;
            std::erase_if(converged, [](const solve_column* c) { return c->report.status != solve_status::converged; });
            pursue_digits(converged);
        }
        for (solve_column* c : at_work) {
            finish(*c);
        }
    }
    if (options_.digits > 0 && at_work.size() < columns_.size() && system_.rows + system_.cols > 0) {
        if (at_work.empty()) {
            prepare();
        }
        for (solve_column& c : columns_) {
            if (is_zero(c.report.rhs_norm)) {
                judge_zero(c);
            }
        }
    }
    std::vector<solve_result> results;
    const double solve_seconds = seconds() - setup_seconds_;
    const std::optional<double> used = used_bytes();
    const std::optional<part_seconds> parts = seconds_of_parts();
    for (solve_column& c : columns_) {
        c.report.setup_seconds = setup_seconds_;
        c.report.solve_seconds = solve_seconds;
        c.report.parts = parts;
        c.report.predicted_bytes = predicted_bytes_;
        c.report.used_bytes = used;
        results.push_back({std::move(c.report), std::move(c.x)});
    }
    return results;
}

}  // namespace residua
