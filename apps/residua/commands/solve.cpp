#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <apps/residua/cli/console.hpp>
#include <apps/residua/cli/host.hpp>
#include <apps/residua/cli/interrupt.hpp>
#include <apps/residua/cli/output_file.hpp>
#include <apps/residua/text/convergence.hpp>
#include <apps/residua/text/layout.hpp>
#include <apps/residua/text/number_text.hpp>
#include <apps/residua/text/summary.hpp>
#include <apps/residua/text/watch.hpp>
#include <residua/blas/multidigit/level1.hpp>
#include <residua/io/team.hpp>
#include <residua/solvers/solver.hpp>
#include <residua/solvers/space/long_vector.hpp>

#include "commands.hpp"
#include "early_device.hpp"
#include "read.hpp"
#include "report.hpp"
#include "saver.hpp"
#include "solution.hpp"

namespace residua {
namespace {

using clock = std::chrono::steady_clock;

double seconds_between(clock::time_point from, clock::time_point to)
{
    return std::chrono::duration<double>(to - from).count();
}

/// The report, picture, summary and exit code of a solve with one or several right-hand sides.
struct outcome {
    const solve_args& args;
    const loaded_system& loaded;
    const std::vector<run_record>& runs;
    solve_status worst;
    int threads;
    std::optional<null_space_basis> null_space = {};  ///< if it was asked for and is known

    json report() const
    {
        json document = report_head("solve");
        document["matrix"] = matrix_json(loaded.facts);
        document["rhs"] = args.system.rhs;
        document["rhs_reading"] = reading_json(loaded.rhs);
        if (null_space) {
            document["null_space"] = {{"rank", null_space->rank.rank},
                                      {"nullity", null_space->rank.nullity},
                                      {"source", to_string(null_space->rank.source)},
                                      {"digits", null_space->digits},
                                      {"error", decimal_or_null(null_space->error)}};
        }
        document.update(loaded.has_several() ? columns_json(runs, worst, threads) : run_json(runs.front(), threads));
        return document;
    }

    io::log_plot picture() const
    {
        const std::string title = plot_title(loaded.facts.file);
        std::vector<const solve_report*> reports;
        reports.reserve(runs.size());
        for (const run_record& run : runs) {
            reports.push_back(&run.report);
        }
        return loaded.has_several() ? columns_plot(title, reports) : solve_plot(title, *reports.front());
    }

    std::string summary(const std::vector<std::string>& written) const
    {
        return (loaded.has_several() ? columns_text(args, loaded, runs, threads, written)
                                     : summary_text(args, loaded, runs.front(), threads, written)) +
               (null_space ? row("null space", null_space_words()) : "");
    }

    std::string null_space_words() const
    {
        const rank_estimate& rank = null_space->rank;
        const std::string shown =
            fmt::format("rank {} of {}, {}", rank.rank, rank.rank + rank.nullity, in_words(rank.source));
        return rank.nullity == 0 ? fmt::format("only 0: {}; {} has no column", shown, args.null_space)
                                 : fmt::format("{} to {} digits; {}",
                                               rank.nullity == 1 ? "a vector" : fmt::format("{} vectors", rank.nullity),
                                               null_space->digits, shown);
    }

    /// The largest exit code of all columns, which is the worst.
    exit_code code() const
    {
        exit_code worst_code = exit_code::done;
        for (const run_record& run : runs) {
            worst_code = std::max({worst_code, exit_code_of(run.report.status, run.has(run.asked_digits)),
                                   run.has(run.required_digits) ? exit_code::done : exit_code::too_few_digits});
        }
        return worst_code;
    }
};

/// The seconds that end a solve: the residual and the errors of x are evaluated, and x is written. They are twice what
/// Poisson's matrix on a 400 x 400 grid takes in 106 bits on one thread of a machine of 2023, since others are slower.
double seconds_of_end(const loaded_system& loaded, bool writes_x)
{
    constexpr double of_number = 1.0e-6;
    constexpr double of_text = 4.0e-6;
    return static_cast<double>(loaded.system.cols) * static_cast<double>(loaded.right_hand_sides()) *
           (of_number + (writes_x ? of_text : 0.0));
}

/// Whether two vectors that processes have in the same pieces have the same numbers.
bool are_equal(const long_vector& x, const long_vector& y)
{
    using numbers = numbers_elsewhere::numbers;
    const auto negated = y.elsewhere()->mapped(y.held_bits(), [](numbers piece) {
        blas::scal<multidigit>(host_executor{}, multidigit_number(piece.format(), -1.0), piece.view());
        return piece;
    });
    return x.plus(long_vector(negated, y.bits()), std::max(x.bits(), y.bits())).is_zero();
}

/// Whether x, of n unknowns, differs from the initial guess of column j, or is that guess and solves the system.
bool came_out(const solve_result& result, const solve_options& options, std::size_t n, std::size_t j)
{
    if (result.report.status == solve_status::converged) {
        return true;
    }
    const solution x(result);
    if (!options.has_guess()) {
        return !x.is_zero();
    }
    const long_vector* const there = options.guess_in_pieces.empty() ? nullptr : options.guess_in_pieces[j].get();
    if (there != nullptr && x.in_pieces() != nullptr) {
        return !are_equal(*x.in_pieces(), *there);
    }
    const std::vector<real> whole = there != nullptr ? there->numbers() : std::vector<real>();
    const auto guess =
        there != nullptr ? whole.begin() : options.initial_guess.begin() + static_cast<std::ptrdiff_t>(j * n);
    return !std::equal(x.here().begin(), x.here().end(), guess);
}

/// Right-hand side j of a solve, where it is.
given_rhs rhs_of(const loaded_system& loaded, std::size_t j)
{
    return !loaded.columns_in_pieces.empty() ? given_rhs(loaded.columns_in_pieces[j])
           : !loaded.columns.empty()         ? given_rhs(loaded.columns[j])
                                             : given_rhs(loaded.system);
}

void write_results(output_file& file, const std::vector<solve_result>& results, const outcome& of)
{
    std::vector<solution_column> columns;
    for (std::size_t j = 0; j < results.size(); ++j) {
        const linear_system& system = of.loaded.system;
        const given_rhs b = rhs_of(of.loaded, j);
        const solution x(results[j]);
        const solve_report& report = of.runs[j].report;
        columns.push_back(
            {x, of.args.output_digits > 0 ? of.args.output_digits
                : report.verdict.limit == limit::weighted || (report.least_squares && of.args.options.digits > 0)
                    ? round_trip_digits(report.solution_bits)
                    : sufficient_digits(system, b, x, of.runs[j].report)});
    }
    write_solution(
        file, of.loaded.system, columns,
        fmt::format("x of A x = b, A = {}{}, b = {}, {}", of.loaded.facts.file,
                    of.loaded.facts.transposed ? ", transposed" : "", of.args.system.rhs, to_string(of.worst)));
}

/// Finds the null space and writes it.
///
/// seconds  that are left; 0: no limit
/// throws   resource_error if it is not known or cannot be written
null_space_basis save_null_space(output_file& file, const loaded_system& loaded, const solve_options& options,
                                 double seconds)
{
    const std::shared_ptr<const linear_system> system(std::shared_ptr<void>(), &loaded.system);
    solver by(system, {.executor = options.executor,
                       .device = options.device,
                       .threads = options.threads,
                       .digits = options.digits,
                       .time_limit_seconds = seconds,
                       .interrupted = interrupt_guard::requested});
    std::optional<null_space_basis> found = by.null_space();
    if (!found) {
        throw resource_error(
            file.path() + ": not written: the rank of A is not known, because it is out of reach or there was no time");
    }
    constexpr int guard_digits = 3;
    std::vector<solution_column> columns;
    for (const std::vector<real>& vector : found->vectors) {
        columns.push_back({solution(vector), found->digits + guard_digits});
    }
    write_solution(file, *system, columns,
                   fmt::format("orthonormal basis of the null space of A = {}{}, rank {}", loaded.facts.file,
                               loaded.facts.transposed ? ", transposed" : "", found->rank.rank));
    return *std::move(found);
}

}  // namespace

exit_code run_solve(const solve_args& args)
{
    const clock::time_point start = clock::now();
    const io::thread_limit team(args.threads);
    const int threads = io::available_threads();
    const telling_args& telling = args.telling;

    // The result files are opened first: a wrong path must not cost a solve.
    output_file output(args.output);
    output_file null_space(args.null_space);
    output_file history(args.history, writing::growing);
    output_file report(telling.report);
    output_file plot(telling.plot);

    // The guard lives until everything is written: an interrupted solve still has a best x.
    const interrupt_guard guard;
    const early_device device(args.options);
    asked_system loaded = read_system(args.system, true, args.options.time_limit_seconds, &args.options);
    tell_warnings(loaded.facts, telling.quiet);
    const bool several = loaded.has_several();

    solve_options options = args.options;
    options.threads = args.threads;
    options.initial_guess = std::move(loaded.initial_guess);
    options.guess_in_pieces = std::move(loaded.guess_in_pieces);
    options.weights = read_weights(args.weights, loaded.system, options.time_limit_seconds);
    options.null_space = read_null_space(args.given_null_space, loaded.system, options.time_limit_seconds);
    options.nodes = read_nodes(args, loaded.system);
    if (const double limit = options.time_limit_seconds; limit > 0.0) {  // the time that reading has left over
        const double end = std::min(seconds_of_end(loaded, output.is_open()), limit / 2.0);
        options.time_limit_seconds = limit - loaded.seconds - end;
        if (options.time_limit_seconds <= 0.0) {
            throw io::stopped_error(
                fmt::format("{}: stopped before the first step, since reading took {:.2g} s and the "
                            "time limit is {} s",
                            args.system.matrix, loaded.seconds, limit));
        }
    }
    options.interrupted = interrupt_guard::requested;
    options.on_checkpoint_failure = [](const std::string& why) { tell(fmt::format("residua: {}\n", why)); };
    options.profile = telling.verbose          ? profiling::everywhere
                      : telling.report.empty() ? profiling::none
                                               : profiling::host;
    if (options.profile != profiling::none) {
        forget_memory_peak();
    }
    const clock::time_point before_solve = clock::now();
    std::vector<solve_result> results;
    std::string lost_history;
    try {
        watcher watch(telling, "", &history, several);
        options.on_history = std::ref(watch);
        if (several) {
            const std::shared_ptr<const linear_system> system(std::shared_ptr<void>(), &loaded.system);
            solver by(system, options);
            results = loaded.columns.empty() ? by.solve_in_pieces(loaded.columns_in_pieces) : by.solve(loaded.columns);
        } else {
            results.push_back(solve(loaded.system, options));
        }
        lost_history = watch.lost_history();
    } catch (...) {
        history.abandon();
        throw;
    }
    const clock::time_point after_solve = clock::now();

    std::vector<run_record> runs;
    const solve_status worst = worst_status(results);
    bool has_x = false;  // whether one column at least has an x, so that there is something to write
    for (solve_result& result : results) {
        const bool is_new = came_out(result, options, static_cast<std::size_t>(loaded.system.cols), runs.size());
        has_x = has_x || is_new;
        result.report.message = explain(result.report, vocabulary::command_line);
        runs.push_back({.report = std::move(result.report),
                        .fits = true,
                        .known_error = {},
                        .read_seconds = seconds_between(start, before_solve),
                        .write_seconds = 0.0,
                        .total_seconds = 0.0,
                        .asked_digits = args.options.digits,
                        .required_digits = args.required_digits});
        if (loaded.is_solved_by_ones && !has_several_solutions(runs.back().report) && !options.damp) {
            const bool is_zero = !is_new && !options.has_guess();
            runs.back().known_error =
                is_zero ? real(1.0) : relative_error_to_ones(solution(result), loaded.system.complex);
        }
    }
    outcome of{args, loaded, runs, worst, threads};
    saver results_saved;
    if (has_x) {
        results_saved.save(args.output, [&] { write_results(output, results, of); });
    } else if (output.is_open()) {
        tell(fmt::format("residua: {}: not written: the solve ended before it had an x; a file there is as it was\n",
                         args.output));
    }
    results_saved.save(args.null_space, [&] {
        const double limit = args.options.time_limit_seconds;
        const double left = limit > 0.0 ? std::max(limit - seconds_between(start, clock::now()), 1e-9) : 0.0;
        of.null_space = save_null_space(null_space, loaded, options, left);
    });
    const clock::time_point end = clock::now();
    for (run_record& run : runs) {
        run.write_seconds = seconds_between(after_solve, end);
        run.total_seconds = seconds_between(start, end);
    }
    results_saved.save(telling.report, [&] {
        report.write(to_text(of.report()));
        report.close();
    });
    results_saved.save(args.history, [&] {
        if (!lost_history.empty()) {
            throw resource_error(lost_history);
        }
        begin_history(history, several);
        history.close();
    });
    std::vector<std::string> drawn;
    results_saved.save(telling.plot, [&] { drawn = draw_and_tell(of.picture(), plot, telling.quiet); });
    if (!telling.quiet) {
        std::vector<std::string> written = results_saved.saved();
        std::erase(written, telling.plot);
        written.insert(written.end(), drawn.begin(), drawn.end());
        const std::string text = of.summary(written);
        telling.report == "-" || args.output == "-" ? tell(text) : put(text);
    }
    results_saved.require_all();
    return of.code();
}

}  // namespace residua
