#include <algorithm>
#include <chrono>
#include <limits>
#include <new>

#include <fmt/format.h>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/io/team.hpp>
#include <residua/solvers/planning/plan.hpp>

#include <apps/residua/cli/args_fit.hpp>
#include <apps/residua/cli/console.hpp>
#include <apps/residua/cli/host.hpp>
#include <apps/residua/cli/interrupt.hpp>
#include <apps/residua/cli/output_file.hpp>
#include <apps/residua/cli/yardsticks.hpp>
#include <apps/residua/text/convergence.hpp>
#include <apps/residua/text/layout.hpp>
#include <apps/residua/text/number_text.hpp>
#include <apps/residua/text/summary.hpp>
#include <apps/residua/text/watch.hpp>

#include "commands.hpp"
#include "early_device.hpp"
#include "read.hpp"
#include "reference.hpp"
#include "report.hpp"
#include "saver.hpp"

namespace residua {
namespace {

using clock = std::chrono::steady_clock;
using align = text_table::align;

struct combination {
    residua::method method;
    number_format format;
    long precision_bits;

    bool exists() const { return precision_bits == 0 || compared_bits(format).holds(precision_bits); }
};

std::vector<combination> combinations_of(const compare_args& args)
{
    std::vector<combination> all;
    for (const method m : args.methods) {
        for (const number_format f : args.formats) {
            for (const long p : args.precisions) {
                const combination c{m, f, p};
                if (c.exists()) {
                    all.push_back(c);
                } else if (!args.telling.quiet) {
                    tell(fmt::format("residua: left out: {} does not have {} bits\n", to_string(f), p));
                }
            }
        }
    }
    return all;
}

/// The bits that serve a combination; 0 if its precision is automatic.
long served_bits(const combination& c)
{
    solve_options options;
    options.format = c.format;
    options.precision_bits = c.precision_bits;
    return c.precision_bits == 0 ? 0 : choose_precision(options, real(1.0));
}

std::string bits_text(const solve_report& r)
{
    return r.precision_bits == 0 ? "auto" : std::to_string(r.precision_bits);
}

/// The record of a combination that cannot be solved. The others are solved all the same.
run_record refused(const combination& c, residua::preconditioner precond, const std::string& why)
{
    run_record run{.report = {}, .fits = false, .known_error = {}};
    solve_report& r = run.report;
    r.method = c.method;
    r.preconditioner = precond;
    r.format = c.format;
    r.precision_bits = served_bits(c);
    r.status = solve_status::breakdown;
    const real unknown(std::numeric_limits<double>::quiet_NaN());
    for (real* each : {&r.rtol, &r.atol, &r.rhs_norm, &r.recursive_residual, &r.relative_residual, &r.backward_error,
                       &r.componentwise_backward_error}) {
        *each = unknown;
    }
    r.message = "does not fit in memory: " + why;
    return run;
}

run_record run_one(const asked_system& loaded, reference_solution& reference, const combination& c,
                   const compare_args& args)
{
    solve_options options = options_of(args.options, c.method);
    options.format = c.format;
    options.precision_bits = c.precision_bits;
    options.estimate_condition =
        !reference.is_known();  // a known error needs no estimate, and the seconds then count the method alone
    options.initial_guess = loaded.initial_guess;
    options.threads = args.threads;
    options.interrupted = interrupt_guard::requested;
    watcher watch(args.telling, fmt::format("{} {}: ", to_string(c.method), c.precision_bits), nullptr);
    options.on_history = std::ref(watch);

    const clock::time_point start = clock::now();
    solve_result result = solve(loaded.system, options);
    result.report.message = explain(result.report, vocabulary::command_line);
    const std::chrono::duration<double> total = clock::now() - start;
    const bool is_unknown = args.reference.empty() && has_several_solutions(result.report);
    return {.report = std::move(result.report),
            .fits = true,
            .known_error = is_unknown ? std::nullopt : reference.error_of(result.x),
            .read_seconds = loaded.seconds,
            .write_seconds = 0.0,
            .total_seconds = total.count()};
}

double seconds_per_iteration(const solve_report& r)
{
    return r.iterations > 0 ? r.solve_seconds / static_cast<double>(r.iterations) : 0.0;
}

/// The error of x: measured against x* if that is known, and estimated otherwise.
std::optional<real> error_of(const run_record& run)
{
    return run.known_error ? run.known_error : run.report.forward_error;
}

/// Whether the errors are measured against x* rather than estimated.
bool are_known(const std::vector<run_record>& runs)
{
    return std::any_of(runs.begin(), runs.end(), [](const run_record& run) { return run.known_error.has_value(); });
}

std::string table_text(const std::vector<run_record>& runs)
{
    text_table table({align::left, align::left, align::left, align::right, align::left, align::right, align::right,
                      align::right, align::right, align::right, align::right});
    table.add({"method", "precond", "format", "bits", "status", "iterations", "true residual",
               are_known(runs) ? "error of x" : "forward error", "digits", "seconds", "s/iteration"});
    for (const run_record& run : runs) {
        const solve_report& r = run.report;
        std::vector<std::string> cells{std::string(to_string(r.method)), std::string(to_string(r.preconditioner)),
                                       std::string(to_string(r.format)), bits_text(r), std::string(status_name(run))};
        if (run.fits) {
            const std::optional<real> error = error_of(run);
            const std::optional<int> digits = run.correct_digits();
            cells.insert(cells.end(), {std::to_string(r.iterations), short_text(r.relative_residual),
                                       error ? short_text(*error) : "-", digits ? std::to_string(*digits) : "-",
                                       fmt::format("{:.3g}", r.setup_seconds + r.solve_seconds),
                                       fmt::format("{:.2e}", seconds_per_iteration(r))});
        } else {
            cells.insert(cells.end(), 6, "-");
        }
        table.add(std::move(cells));
    }
    return table.text();
}

std::string table_csv(const std::vector<run_record>& runs)
{
    std::string text = csv_line({"method", "preconditioner", "format", "precision_bits", "status", "iterations",
                                 "true_relative_residual", "forward_error", "error_kind", "digits", "seconds",
                                 "seconds_per_iteration"});
    for (const run_record& run : runs) {
        const solve_report& r = run.report;
        std::vector<std::string> cells{std::string(to_string(r.method)), std::string(to_string(r.preconditioner)),
                                       std::string(to_string(r.format)), bits_text(r), std::string(status_name(run))};
        if (run.fits) {
            const std::optional<real> error = error_of(run);
            const std::optional<int> digits = run.correct_digits();
            cells.insert(
                cells.end(),
                {std::to_string(r.iterations), to_string(r.relative_residual, 6), error ? to_string(*error, 6) : "",
                 run.known_error ? "known" : std::string(to_string(r.forward_kind)),
                 digits ? std::to_string(*digits) : "", fmt::format("{:.6f}", r.setup_seconds + r.solve_seconds),
                 fmt::format("{:.6e}", seconds_per_iteration(r))});
        } else {
            cells.insert(cells.end(), 7, "");
        }
        text += csv_line(cells);
    }
    return text;
}

json report_json(const loaded_system& loaded, const std::vector<run_record>& runs, const std::string& rhs, int threads)
{
    json document = report_head("compare");
    document["matrix"] = matrix_json(loaded.facts);
    document["rhs"] = rhs;
    document["rhs_reading"] = reading_json(loaded.rhs);
    document["runs"] = json::array();
    for (const run_record& run : runs) {
        const std::optional<int> digits = run.correct_digits();
        json fields = run_json(run, threads);
        fields["correct_digits"] = digits ? json(*digits) : json(nullptr);
        document["runs"].push_back(std::move(fields));
    }
    return document;
}

std::string reading_text(const loaded_system& loaded, const std::vector<run_record>& runs, const compare_args& args)
{
    std::string text = row("matrix", matrix_words(loaded.facts));
    text += row("entries", entries_words(loaded.facts, loaded.rhs));
    text += row("right-hand side", args.system.rhs);
    const bool squares = std::any_of(runs.begin(), runs.end(),
                                     [](const run_record& run) { return run.report.normal_residual.has_value(); });
    text += row("stopping test", fmt::format("norm(b - A x) <= max(rtol norm(b), atol), by the true residual{}{}",
                                             squares ? "; lsqr also " : "", squares ? normal_test : ""));
    return text + "\n";
}

/// The messages of runs, each once with the names of its runs: why one failed, or that it is a least-squares solution.
std::string messages_text(const std::vector<run_record>& runs)
{
    std::vector<std::pair<std::string, std::string>> said;  // a message, and the names of its runs
    for (const run_record& run : runs) {
        const std::string& message = run.report.message;
        const auto same =
            std::find_if(said.begin(), said.end(), [&](const auto& each) { return each.first == message; });
        if (same != said.end()) {
            same->second += ", " + run_name(run.report);
        } else if (!message.empty()) {
            said.emplace_back(message, run_name(run.report));
        }
    }
    std::string text;
    for (const auto& [message, names] : said) {
        text += wrapped(names + ": " + message, 0);
    }
    return text.empty() ? text : "\n" + text;
}

}  // namespace

exit_code run_compare(const compare_args& args)
{
    if constexpr (has_yardsticks) {
        if (args.kernels.operation != nullptr) {
            return run_compare_kernels(args);
        }
    }
    const io::thread_limit team(args.threads);
    const int threads = io::available_threads();
    const telling_args& telling = args.telling;
    output_file csv(args.csv);
    output_file report(telling.report);
    output_file plot(telling.plot);

    const std::vector<combination> combinations = combinations_of(args);
    const interrupt_guard guard;
    const early_device device(args.options);
    asked_system loaded = read_system(args.system, false, args.options.time_limit_seconds, nullptr);
    tell_warnings(loaded.facts, telling.quiet);
    reference_solution reference = until_stopped(args.options.time_limit_seconds, "--reference " + args.reference,
                                                 [&] { return reference_solution(loaded, args.reference); });

    std::vector<run_record> runs;
    for (const combination& c : combinations) {
        try {
            runs.push_back(run_one(loaded, reference, c, args));
        } catch (const cuda_error& e) {
            if (runs.empty()) {
                throw;  // a missing device is missing for all combinations
            }
            runs.push_back(refused(c, args.options.preconditioner, e.what()));
        } catch (const resource_error& e) {
            runs.push_back(refused(c, args.options.preconditioner, e.what()));
        } catch (const std::bad_alloc&) {
            runs.push_back(refused(c, args.options.preconditioner, "out of memory"));
        }
        if (interrupt_guard::requested()) {
            break;
        }
    }

    saver results;
    results.save(args.csv, [&] {
        csv.write(table_csv(runs));
        csv.close();
    });
    results.save(telling.report, [&] {
        report.write(to_text(report_json(loaded, runs, args.system.rhs, threads)));
        report.close();
    });
    results.save(telling.plot,
                 [&] { draw_and_tell(compare_plot(plot_title(loaded.facts.file), runs), plot, telling.quiet); });
    if (!telling.quiet) {
        const std::string text = reading_text(loaded, runs, args) + table_text(runs) + messages_text(runs);
        telling.report == "-" || args.csv == "-" ? tell(text) : put(text);
    }
    results.require_all();
    return interrupt_guard::requested() ? exit_code::interrupted : exit_code::done;
}

}  // namespace residua
