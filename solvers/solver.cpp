#include <residua/solvers/solver.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/library.hpp>
#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/session/determinant.hpp>
#include <residua/solvers/session/request.hpp>
#include <residua/solvers/session/run_checkpoint.hpp>
#include <residua/solvers/session/session.hpp>

namespace residua {
namespace {

/// Solves a column for which x is known, since b = 0 or there is nothing to solve for; false: it needs work.
bool solve_trivially(const linear_system& system, const solve_options& options, solve_column& c)
{
    c.report.atol = options.atol.value_or(real(0.0));
    c.report.rtol = options.rtol.value_or(real(0.0));
    if (system.rows + system.cols > 0) {
        c.report.rhs_norm = norm2(c.b);
        if (!is_zero(c.report.rhs_norm)) {
            return false;
        }
        c.x = long_vector(std::vector<real>(static_cast<std::size_t>(system.cols), real(0.0)));
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
    const auto n = static_cast<std::size_t>(system.cols);
    if (options.initial_guess.empty()) {
        c.x = long_vector::zeros(system.cols);
    } else {
        const auto first = options.initial_guess.begin() + static_cast<std::ptrdiff_t>(n) * c.index;
        c.x = long_vector(std::vector<real>(first, first + static_cast<std::ptrdiff_t>(n)));
    }
    solve_report& report = c.report;
    report.status = status;
    report.method = options.method;
    report.preconditioner = options.preconditioner;
    report.precision_bits = report.solution_bits = choose_precision(options, real(1.0));
    report.format = arithmetic_of(options.format, report.precision_bits, options.method).format;
    if (!options.rtol) {
        report.rtol = default_rtol(report.precision_bits);
    }
    const bool is_zero = options.initial_guess.empty();  // whose residual is b
    report.recursive_residual = report.relative_residual = report.backward_error = report.componentwise_backward_error =
        is_zero ? real(1.0) : real(std::nan(""));
    report.verdict.limit = status == solve_status::time_limit ? limit::time : limit::interruption;
    report.verdict.detail = "stopped before the first step";
    report.message = explain(report);
}

/// The work of one call: its results, without what is known about the call as a whole.
std::vector<solve_result> solve_columns_of(solver_parts& kept,
                                           const std::vector<const std::vector<real>*>& right_hand_sides,
                                           part_watch& watch, double& setup_seconds)
{
    const linear_system& system = *kept.system;
    const solve_options& options = kept.options;
    require_request(system, options);
    require_columns(system.rows, system.cols, right_hand_sides, options);
    double predicted = bytes_without_factors(sizes_of(system), options, static_cast<index_t>(right_hand_sides.size()));
    require_memory("the solve", predicted);

    std::vector<solve_column> columns;
    columns.reserve(right_hand_sides.size());
    column_list at_work;
    for (const std::vector<real>* b : right_hand_sides) {
        const std::size_t index = columns.size();
        const std::vector<real>& errors = system.rhs_reading_errors;
        columns.push_back({.index = static_cast<index_t>(index),
                           .b = *b,
                           .reading_error = index < errors.size() ? errors[index] : real(0.0)});
        if (!watch.in(&part_seconds::updates, [&] { return solve_trivially(system, options, columns.back()); })) {
            at_work.push_back(&columns.back());
        }
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
    }
    std::vector<solve_result> results;
    watch.in(&part_seconds::updates, [&] {
        for (solve_column& c : columns) {
            c.report.predicted_bytes = predicted;
            c.report.blas_advice = blas::advice(blas::library());
            c.report.predicted_seconds = predicted_seconds;
            if (is_prepared && kept.prepared->states() != nullptr) {
                c.report.checkpoint_failure = kept.prepared->states()->failure();
            }
            results.push_back({std::move(c.report), c.x.numbers()});
        }
        columns.clear();
    });
    return results;
}

/// By how much the resident memory has risen since `before`; empty: not measured, or below an older peak.
std::optional<double> rise_of_memory(const std::optional<resident_memory>& before)
{
    if (!before) {
        return std::nullopt;
    }
    const std::optional<resident_memory> now = resident_memory_bytes();
    return now && now->peak > before->peak ? std::optional(now->peak - before->now) : std::nullopt;
}

/// One call of a solver, with the threads that its options ask for, and a clock that begins now.
class solver_call {
public:
    explicit solver_call(solver_parts& parts) : threads_(parts.options.threads), parts_(parts)
    {
        parts.clock.restart();
    }
    solver_call(const solver_call&) = delete;
    ~solver_call() { parts_.settle(); }

private:
    io::thread_limit threads_;
    solver_parts& parts_;
};

}  // namespace

solver::solver(linear_system matrix, solve_options options)
    : solver(std::make_shared<const linear_system>(std::move(matrix)), std::move(options))
{}

solver::solver(std::shared_ptr<const linear_system> matrix, solve_options options)
    : parts_(std::make_unique<solver_parts>(std::move(matrix), std::move(options)))
{
    require_valid(*parts_->system);
}

solver::solver(solver&&) noexcept = default;
solver& solver::operator=(solver&&) noexcept = default;
solver::~solver() = default;

const linear_system& solver::system() const { return *parts_->system; }
const solve_options& solver::options() const { return parts_->options; }

/// Returns f(prepared system), which the clock may end.
///
/// throws  io::stopped_error if it does
template <class F>
auto solver::ask(const F& f)
{
    const solver_call now(*parts_);
    return parts_->clock.interruptible([&] {
        parts_->prepare();
        return f(*parts_->prepared);
    });
}

/// ask(f) for an f that returns an optional: it is empty if the clock ends it.
template <class F>
auto solver::find(const F& f)
{
    std::invoke_result_t<F, prepared_system&> known;
    try {
        known = ask(f);
    } catch (const io::stopped_error&) {
        known.reset();
    }
    return known;
}

void solver::require_square(const char* what) const
{
    require_equal(what, "rows and columns of A", system().rows, system().cols);
}

solve_result solver::solve(const std::vector<real>& b) { return std::move(solve_columns({&b}).front()); }

std::vector<solve_result> solver::solve(const std::vector<std::vector<real>>& right_hand_sides)
{
    std::vector<const std::vector<real>*> columns;
    columns.reserve(right_hand_sides.size());
    for (const std::vector<real>& b : right_hand_sides) {
        columns.push_back(&b);
    }
    return solve_columns(columns);
}

solver& solver::transposed()
{
    if (transposed_ == nullptr) {
        require_square("solve_transposed");
        auto made = std::make_unique<solver>(transpose(system()), parts_->options);
        made->parts_ = std::make_unique<solver_parts>(made->parts_->system, parts_->options, parts_.get());
        transposed_ = std::move(made);
    }
    return *transposed_;
}

solve_result solver::solve_transposed(const std::vector<real>& b) { return transposed().solve(b); }

std::vector<solve_result> solver::solve_transposed(const std::vector<std::vector<real>>& right_hand_sides)
{
    return transposed().solve(right_hand_sides);
}

void solver::change(linear_system to)
{
    if (!parts_->options.checkpoint.empty()) {
        throw unsupported_error("update_values: a checkpoint is of one matrix, and this solver has one");
    }
    sparse_analyses analyses =
        parts_->prepared ? parts_->prepared->analyses().for_same_pattern() : std::move(parts_->earlier);
    *this = solver(std::move(to), parts_->options);
    parts_->earlier = std::move(analyses);
}

void solver::update_values(std::span<const double> values)
{
    require_equal("update_values", "values and entries", static_cast<index_t>(values.size()), system().nonzeros());
    linear_system changed = system();
    changed.values = std::vector<double>(values.begin(), values.end());
    changed.exact = {};
    changed.reading_error = real(0.0);
    changed.rhs_reading_errors.clear();
    changed.other_reading = 0.0;
    change(std::move(changed));
}

void solver::update_values(std::vector<real> values)
{
    require_equal("update_values", "values and entries", static_cast<index_t>(values.size()), system().nonzeros());
    linear_system changed = system();
    changed.values = rounded_to<double>(values);
    changed.exact = exact_entries(std::move(values));
    change(std::move(changed));
}

std::optional<condition_estimate> solver::condition()
{
    return find([](prepared_system& prepared) -> std::optional<condition_estimate> {
        if (prepared.is_least_squares()) {
            return std::nullopt;
        }
        prepared.make_inverse(0);
        const condition_estimate* known = prepared.made().condition();
        const bool singular = prepared.inverse_found() == inverse_state::looks_singular;
        return known == nullptr || singular ? std::nullopt : std::optional(*known);
    });
}

std::optional<determinant_estimate> solver::determinant()
{
    require_square("determinant");
    return find([&](prepared_system& prepared) { return find_determinant(prepared, parts_->options.digits); });
}

std::optional<inertia> solver::inertia()
{
    require_square("inertia");
    return find([](prepared_system& prepared) {
        if (!prepared.structure().symmetric) {
            throw unsupported_error("inertia needs a symmetric matrix, and this one is not");
        }
        return find_inertia(prepared);
    });
}

std::vector<inverse_entry> solver::inverse_entries(const std::vector<std::pair<index_t, index_t>>& places)
{
    constexpr std::size_t columns_together = 64;
    const index_t n = system().rows;
    require_equal("inverse_entries", "rows and columns of A", n, system().cols);
    std::map<index_t, std::vector<std::size_t>> of_column;
    for (std::size_t k = 0; k < places.size(); ++k) {
        const auto [i, j] = places[k];
        if (std::min(i, j) < 0 || std::max(i, j) >= n) {
            throw dimension_error("inverse_entries: there is no place (" + std::to_string(i) + ", " +
                                  std::to_string(j) + ") in a matrix with " + std::to_string(n) + " rows and columns");
        }
        of_column[j].push_back(k);
    }
    std::vector<inverse_entry> entries(places.size());
    for (auto first = of_column.begin(); first != of_column.end();) {
        std::vector<std::vector<real>> units;
        auto last = first;
        for (; last != of_column.end() && units.size() < columns_together; ++last) {
            units.emplace_back(static_cast<std::size_t>(n), real(0.0))[static_cast<std::size_t>(last->first)] =
                real(1.0);
        }
        for (const solve_result& column : solve(units)) {
            std::optional<real> error = column.report.forward_error;
            if (error) {
                error = *error * norm_inf(column.x);
            }
            for (const std::size_t k : (first++)->second) {
                entries[k] = {column.x[static_cast<std::size_t>(places[k].first)], error, column.report.status};
            }
        }
    }
    return entries;
}

solve_plan solver::plan()
{
    return ask([](prepared_system& prepared) { return prepared.plan(); });
}

std::vector<predicted_cost> solver::costs()
{
    return ask([](prepared_system& prepared) { return prepared.costs(); });
}

std::vector<solve_result> solver::solve_columns(const std::vector<const std::vector<real>*>& right_hand_sides)
{
    const bool profiles = parts_->options.profile != profiling::none;
    const std::optional<resident_memory> before = profiles ? resident_memory_bytes() : std::nullopt;
    part_watch watch(profiles);
    std::vector<solve_result> results;
    double setup_seconds = 0.0;
    double solve_seconds = 0.0;
    bool knows_parts = profiles;
    {
        const solver_call now(*parts_);
        {
            const auto timing = watch.during(&part_seconds::rest);
            results = solve_columns_of(*parts_, right_hand_sides, watch, setup_seconds);
        }
        solve_seconds = parts_->clock.seconds() - setup_seconds;
        knows_parts = profiles && (parts_->correctors == nullptr || parts_->correctors->seconds_are_known());
    }
    const std::optional<double> used = profiles ? rise_of_memory(before) : std::nullopt;
    for (solve_result& result : results) {
        result.report.setup_seconds = setup_seconds;
        result.report.solve_seconds = solve_seconds;
        result.report.parts = knows_parts ? std::optional(watch.seconds()) : std::nullopt;
        result.report.used_bytes = used;
    }
    return results;
}

}  // namespace residua
