#include <fmt/format.h>

#include <apps/residua/bench/case.hpp>
#include <apps/residua/bench/timing.hpp>
#include <apps/residua/cli/console.hpp>
#include <apps/residua/cli/host.hpp>
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

/// Measures a case. The first run is judged, since later runs may start from operands that it changed.
template <class Exec>
bench_row measure_row(const Exec& exec, const bench_request& request, const bench_case& c, long repeat)
{
    c.run();
    bench_verdict verdict = c.judge();
    return {.size = request.size,
            .format = request.format,
            .precision_bits = c.precision_bits,
            .operations = c.operations,
            .bytes = c.bytes,
            .time = measure(exec, c.run, repeat),
            .verdict = std::move(verdict)};
}

template <class Exec>
void measure_all(const Exec& exec, const bench_args& args, bench_record& record)
{
    record.copy = measure_copy(exec);
    for (const bench_request& request : requests_of(args)) {
        record.rows.push_back(measure_row(exec, request, make_bench_case(exec, request), args.samples()));
    }
}

bench_record measure_on(const bench_args& args, int threads)
{
    bench_record record{.device = processor_name(), .threads = threads, .copy = {}, .rows = {}};
    if (args.executor == bench_executor::host) {
        measure_all(host_executor{}, args, record);
        return record;
    }
    [[maybe_unused]] const cuda_executor exec = make_cuda_executor();  // throws in a build without CUDA
#if defined(RESIDUA_CUDA)
    record.device = cuda_devices().front().name;
    measure_all(exec, args, record);
#endif
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
            tell("residua: " + wrong_text(args, row) + "\n");
            code = exit_code::not_converged;
        }
    }
    return code;
}

}  // namespace residua
