// One call of solver::solve(): its columns from the request to their reports.
#include <residua/solvers/session/call.hpp>

#include <cmath>
#include <string>
#include <utility>

#include <residua/blas/base/library.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/session/request.hpp>
#include <residua/solvers/session/run_checkpoint.hpp>

namespace residua {
namespace {

/// Solves a column for which x is known, since b = 0 or there is nothing to solve for; false: it needs work.
bool solve_trivially(const linear_system& system, const solve_options& options, solve_column& c)
{
    c.report.atol = options.atol.value_or(real(0.0));
    c.report.rtol = options.rtol.value_or(real(0.0));
    if (system.rows + system.cols > 0) {
        c.report.rhs_norm = c.b.norm2();
        if (!is_zero(c.report.rhs_norm)) {
            return false;
        }
        c.x = c.b.is_in_pieces() ? long_vector(system.elsewhere->handed_out(nullptr), real::double_bits)
                                 : long_vector(std::vector<real>(static_cast<std::size_t>(system.cols), real(0.0)));
        c.report.method = options.method;
        c.report.preconditioner = options.preconditioner;
        c.report.format = options.format;
        c.report.precision_bits = c.report.solution_bits = choose_precision(options, real(1.0));
        if (!options.rtol) {
            c.report.rtol = default_rtol(c.report.precision_bits);
        }
    }
    c.report.status = solve_status::converged;
    return true;
}

/// Reports a column whose solve ended before the residual of its first x was there: x is the initial guess.
void end_before_start(const solve_options& options, const linear_system& system, solve_status status, solve_column& c)
{
    c.x = given_guess(options, system.cols, c.index, !options.initial_guess.empty());
    solve_report& report = c.report;
    report.status = status;
    report.method = options.method;
    report.preconditioner = options.preconditioner;
    report.precision_bits = report.solution_bits = choose_precision(options, real(1.0));
    report.format = arithmetic_of(options.format, report.precision_bits, options.method).format;
    if (!options.rtol) {
        report.rtol = default_rtol(report.precision_bits);
    }
    const bool is_zero = !options.has_guess();  // whose residual is b
    report.recursive_residual = report.relative_residual = report.backward_error = report.componentwise_backward_error =
        is_zero ? real(1.0) : real(std::nan(""));
    report.verdict.limit = status == solve_status::time_limit ? limit::time : limit::interruption;
    report.verdict.detail = "stopped before the first step";
    report.message = explain(report);
}

/// The report and x of a column: x in pieces where b is, if processes have it.
solve_result result_of(solve_column& c)
{
    solve_result result;
    result.report = std::move(c.report);
    if (c.b.is_in_pieces() && c.x.elsewhere() != nullptr) {
        result.x_in_pieces = std::make_shared<const long_vector>(std::move(c.x));
    } else {
        result.x = c.x.numbers();
    }
    return result;
}

/// The columns, each by solve(column).
template <class Solve>
std::vector<solve_result> solve_by(solver_parts& kept, std::vector<solve_column> columns, part_watch& watch,
                                   const Solve& solve)
{
    std::vector<solve_result> results;
    for (solve_column& c : columns) {
        try {
            results.push_back(watch.in(&part_seconds::methods, [&] { return solve(c); }));
        } catch (const io::stopped_error&) {
            c.report.rhs_norm = c.b.norm2();
            end_before_start(kept.options, *kept.system, kept.clock.why_stopped(), c);
            results.push_back({std::move(c.report), c.x.numbers()});
        }
        results.back().report.blas_advice = blas::advice(blas::library());
    }
    return results;
}

/// Whether a column keeps the x and the figures of solve_trivially(): where no digits are asked for, a solve of b = 0 alone does not
/// look at A.
bool is_left_alone(const solve_options& options, const solve_column& c)
{
    return options.digits == 0 && is_zero(c.report.rhs_norm);
}

/// The columns of a singular system, whose rank is known.
std::vector<solve_result> solve_by_rank(solver_parts& kept, std::vector<solve_column> columns, part_watch& watch)
{
    const linear_system& system = *kept.system;
    const std::optional<known_rank>& rank = kept.prepared->rank();
    if (may_be_deflated(kept.options)) {
        if (kept.deflated == nullptr) {
            kept.deflated = std::make_unique<deflated_solver>(system, kept.options, kept.clock, rank);
        }
        return solve_by(kept, std::move(columns), watch, [&](solve_column& c) {
            return is_left_alone(kept.options, c) ? result_of(c)
                                                  : kept.deflated->solve(c.b.numbers(), c.reading_error, c.index);
        });
    }
    if (kept.singular == nullptr) {
        kept.singular =
            std::make_unique<singular_solver>(system, kept.prepared->structure(), *rank, kept.options, kept.clock);
    }
    return solve_by(kept, std::move(columns), watch, [&](solve_column& c) {
        return is_left_alone(kept.options, c) ? result_of(c) : kept.singular->solve(c.b.numbers(), c.reading_error);
    });
}

/// Whether the augmented system of least squares is what is solved; makes its solver then.
bool is_augmented(solver_parts& kept)
{
    const linear_system& system = *kept.system;
    const solve_options& options = kept.options;
    const bool is_asked = options.has_weights_or_damp();
    if (kept.weighted != nullptr || kept.prepared != nullptr || (!is_asked && !may_be_augmented(system, options))) {
        return kept.weighted != nullptr;  // an earlier call has decided
    }
    auto made = std::make_unique<weighted_solver>(system, options, kept.clock);
    if (is_asked || options.method == method::direct || made->has_factors_in_reach()) {
        kept.weighted = std::move(made);
    }
    return kept.weighted != nullptr;
}

}  // namespace

std::vector<solve_result> solve_columns_of(solver_parts& kept, const std::vector<given_rhs>& right_hand_sides,
                                           part_watch& watch, double& setup_seconds)
{
    const solve_options& options = kept.options;
    require_request(*kept.system, options);
    require_columns(kept.system->rows, kept.system->cols, right_hand_sides, options);
    kept.stays_elsewhere = kept.system->elsewhere != nullptr && may_stay_elsewhere(*kept.system, options);
    if (!kept.stays_elsewhere) {
        kept.require_entries();
        for (const auto& guess : std::exchange(kept.options.guess_in_pieces, {})) {
            const std::vector<real> here = guess->numbers();
            kept.options.initial_guess.insert(kept.options.initial_guess.end(), here.begin(), here.end());
        }
    }
    const linear_system& system = *kept.system;
    double predicted = bytes_without_factors(sizes_of(system), options, static_cast<index_t>(right_hand_sides.size()));
    if (kept.stays_elsewhere) {  // each process has its share
        predicted /= static_cast<double>(options.processes->count());
    }
    require_memory("the solve", predicted);

    std::vector<solve_column> columns;
    columns.reserve(right_hand_sides.size());
    column_list at_work;
    for (const given_rhs& b : right_hand_sides) {
        const std::size_t index = columns.size();
        const std::vector<real>& errors = system.rhs_reading_errors;
        columns.push_back({.index = static_cast<index_t>(index),
                           .b = kept.stays_elsewhere ? b : given_rhs(b.numbers()),
                           .reading_error = index < errors.size() ? errors[index] : real(0.0)});
        if (!watch.in(&part_seconds::updates, [&] { return solve_trivially(system, options, columns.back()); })) {
            at_work.push_back(&columns.back());
        }
    }
    if (!options.null_space.empty()) {
        if (kept.deflated == nullptr) {
            kept.deflated = std::make_unique<deflated_solver>(system, options, kept.clock);
        }
        setup_seconds = kept.clock.seconds();
        return solve_by(kept, std::move(columns), watch, [&](const solve_column& c) {
            return kept.deflated->solve(c.b.numbers(), c.reading_error, c.index);
        });
    }
    if (is_augmented(kept)) {
        setup_seconds = kept.clock.seconds();
        return solve_by(kept, std::move(columns), watch,
                        [&](const solve_column& c) { return kept.weighted->solve(c.b.numbers(), c.reading_error); });
    }
    const bool has_zeros = at_work.size() < columns.size() && system.rows + system.cols > 0;
    bool is_prepared = false;
    std::optional<double> predicted_seconds;
    if (!at_work.empty() || (options.digits > 0 && has_zeros)) {
        try {
            kept.clock.interruptible([&] {
                const bool is_kept = kept.prepared != nullptr;
                watch.count(kept.prepare());
                if (checkpoint* const states = kept.prepared->states()) {
                    states->begin_call(key_of_call(right_hand_sides, options));
                }
                watch.in(&part_seconds::analysis, [&] {
                    kept.prepared->require_room_for_direct();
                    predicted += kept.prepared->predicted_factor_bytes();
                    predicted_seconds = kept.prepared->predicted_seconds(is_kept);
                });
            });
            is_prepared = true;
        } catch (const io::stopped_error&) {
            for (solve_column* c : at_work) {
                end_before_start(options, system, kept.clock.why_stopped(), *c);
            }
        }
    }
    if (is_prepared && kept.prepared->rank()) {
        setup_seconds = kept.clock.seconds();
        return solve_by_rank(kept, std::move(columns), watch);
    }
    if (is_prepared) {
        setup_seconds = kept.clock.seconds();
        kept.correctors->seconds() = {};
        watch.follow(kept.correctors->seconds());
        session s{.kept = kept,
                  .prepared = *kept.prepared,
                  .correctors = *kept.correctors,
                  .columns = std::move(columns),
                  .max_iterations = iteration_limit(options, system.cols),
                  .parts = watch};
        try {
            run_session(s);
        } catch (const io::stopped_error&) {
            for (solve_column& c : s.columns) {
                if (c.report.status != solve_status::converged) {
                    end_before_start(options, system, kept.clock.why_stopped(), c);
                }
            }
        }
        columns = std::move(s.columns);
        if (kept.prepared->rank()) {  // factors broke down, and it was sought
            for (solve_column& c : columns) {
                if (!is_left_alone(options, c)) {
                    c.report = {};
                }
            }
            return solve_by_rank(kept, std::move(columns), watch);
        }
    }
    std::vector<solve_result> results;
    watch.in(&part_seconds::updates, [&] {
        if (kept.alone && is_prepared) {
            kept.correctors->clear();  // their memory is wanted for x in MPFR numbers; no correction follows
        }
        for (solve_column& c : columns) {
            c.rhs = {};
            c.at_x = {};
            c.report.predicted_bytes = predicted;
            c.report.blas_advice = blas::advice(blas::library());
            c.report.predicted_seconds = predicted_seconds;
            if (is_prepared && kept.prepared->states() != nullptr) {
                c.report.checkpoint_failure = kept.prepared->states()->failure();
            }
            results.push_back(result_of(c));
        }
        columns.clear();
    });
    return results;
}

}  // namespace residua
