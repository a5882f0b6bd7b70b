#include <fmt/format.h>

#include <apps/residua/cli/console.hpp>
#include <apps/residua/cli/output_file.hpp>
#include <residua/io/team.hpp>

#include "bench_report.hpp"
#include "commands.hpp"

namespace residua {
namespace {

/// The combinations that exist, sizes innermost. If the user asked for one that does not, a message says so.
std::vector<bench_request> requests_of(const bench_args& args)
{
    std::vector<bench_request> all;
    for (const bench_format format : args.all_formats()) {
        for (const long bits : args.all_precisions()) {
            if (!has(args.operation->id, format, args.executor, bits)) {
                if (!args.formats.empty()) {
                    tell(fmt::format("residua: left out: {} of {} bits on {}\n", to_string(format), bits,
                                     to_string(args.executor)));
                }
                continue;
            }
            for (const index_t size : args.all_sizes()) {
                all.push_back({args.operation->id, format, bits, size, args.seed});
            }
        }
    }
    return all;
}

bench_record measure_on(const bench_args& args, int threads)
{
    bench_record record{.device = "", .threads = threads, .copy = {}, .rows = {}};
    record.device = with_executor(args.executor, 0, [&](const auto& exec) {
        record.copy = measure_copy(exec);
        for (const bench_request& request : requests_of(args)) {
            record.rows.push_back(measure_row(exec, request, args.samples()));
        }
    });
    return record;
}

}  // namespace

exit_code run_bench(const bench_args& args)
{
    const io::thread_limit team(args.threads);
    const int threads = io::available_threads();
    output_file report(args.report);
    const bench_record record = measure_on(args, threads);

    if (report.is_open()) {
        report.write(to_text(bench_json(args, record)));
        report.close();
    }
    const std::string text = bench_text(args, record);
    args.report == "-" ? tell(text) : put(text);
    exit_code code = exit_code::done;
    for (const bench_row& row : record.rows) {
        if (!row.verdict.is_right()) {
            tell("residua: " + wrong_text(row) + "\n");
            code = exit_code::not_converged;
        }
    }
    return code;
}

}  // namespace residua
