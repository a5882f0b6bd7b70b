#include <chrono>

#include <fmt/format.h>

#include "commands.hpp"
#include "console.hpp"
#include "convergence.hpp"
#include "host.hpp"
#include "interrupt.hpp"
#include "load.hpp"
#include "output_file.hpp"
#include "report.hpp"
#include "solution.hpp"
#include "summary.hpp"
#include "watch.hpp"

namespace residua {
namespace {

using clock = std::chrono::steady_clock;

json report_json(const loaded_system& loaded, const run_record& run, const std::string& rhs, int threads)
{
    json document = report_head("solve");
    document["matrix"] = matrix_json(loaded.facts);
    document["rhs"] = rhs;
    document.update(run_json(run, threads));
    return document;
}

}  // namespace

exit_code run_solve(const solve_args& args)
{
    const clock::time_point start = clock::now();
    const int threads = use_threads(args.threads);
    const telling_args& telling = args.telling;

    // First the places where results go: a wrong path must not cost a solve.
    output_file output(args.output);
    output_file history(args.history);
    output_file report(telling.report);
    output_file plot(telling.plot);

    const long asked_bits = args.options.digits > 0 ? 0 : args.options.precision_bits;
    loaded_system loaded = load_system(args.system, decimal_bits(args.options.format, asked_bits));
    tell_warnings(loaded.facts, telling.quiet);

    // Kept until everything is written: an interrupted solve still has a best x.
    const interrupt_guard guard;
    solve_options options = args.options;
    options.initial_guess = std::move(loaded.initial_guess);
    options.interrupted = interrupt_guard::requested;
    solve_result result;
    try {
        watcher watch(telling, "", &history);
        options.on_history = std::ref(watch);
        result = solve(loaded.system, options);
    } catch (...) {
        history.abandon();
        throw;
    }
    begin_history(history);
    history.close();

    if (output.is_open()) {
        const long bits = result.report.solution_bits;
        write_solution(output, result.x, args.output_digits > 0 ? args.output_digits : round_trip_digits(bits),
                       fmt::format("x of A x = b, A = {}, b = {}, {}", loaded.facts.file, args.system.rhs,
                                   to_string(result.report.status)));
    }

    run_record run{.report = std::move(result.report),
                   .fits = true,
                   .known_error = {},
                   .read_seconds = loaded.seconds,
                   .total_seconds = 0.0,
                   .asked_digits = args.options.digits};
    if (loaded.known_solution) {
        run.known_error = relative_error(result.x, *loaded.known_solution);
    }
    std::vector<std::string> written{args.output, args.history, telling.report};
    if (plot.is_open()) {
        const io::log_plot picture = solve_plot(plot_title(loaded.facts.file), run.report);
        const std::vector<std::string> drawn = draw_and_tell(picture, plot);
        written.insert(written.end(), drawn.begin(), drawn.end());
    }
    run.total_seconds = std::chrono::duration<double>(clock::now() - start).count();
    if (report.is_open()) {
        report.write(to_text(report_json(loaded, run, args.system.rhs, threads)));
        report.close();
    }
    if (!telling.quiet) {
        const std::string text = summary_text(args, loaded, run, threads, written);
        telling.report == "-" ? tell(text) : put(text);
    }
    return exit_code_of(run.report.status, run.report.digits >= run.asked_digits);
}

}  // namespace residua
