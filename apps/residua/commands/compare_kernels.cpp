#include <fmt/format.h>

#include <residua/io/team.hpp>

#include <apps/residua/bench/ill_conditioned.hpp>
#include <apps/residua/cli/args_fit.hpp>
#include <apps/residua/cli/console.hpp>
#include <apps/residua/cli/output_file.hpp>
#include <apps/residua/text/layout.hpp>
#include <apps/residua/text/number_text.hpp>

#include "commands.hpp"
#include "measure.hpp"
#include "report.hpp"

namespace residua {
namespace {

using align = text_table::align;

/// Every way of the operation, in each format and precision that has it.
std::vector<bench_request> requests_of(const compare_args& args, index_t size)
{
    const kernels_args& kernels = args.kernels;
    const formula computes = kernels.operation->computes;
    const auto data = ill_conditioned(computes, size, kernels.condition, kernels.seed);
    std::vector<bench_request> all;
    for (const bench_format format : bench_formats()) {
        for (const long bits : args.precisions) {
            for (const bench_operation& op : bench_operations()) {
                if (op.computes == computes && compares(args, format) &&
                    has(op.id, format, kernels_args::executor_of(args.options), bits)) {
                    all.push_back({op.id, format, bits, size, kernels.seed, data});
                }
            }
        }
    }
    return all;
}

std::string table_text(const std::vector<bench_row>& rows)
{
    text_table table({align::left, align::left, align::right, align::left, align::right, align::right, align::right,
                      align::right, align::right, align::left});
    table.add({"kernel", "way", "size", "format", "bits", "condition", "error", "bound", "median ms", "check"});
    for (const bench_row& r : rows) {
        const bench_verdict& v = r.verdict;
        const bench_operation& op = row_of(r.op);
        table.add({std::string(op.name), std::string(to_string(op.by, r.format)), std::to_string(r.size),
                   std::string(to_string(r.format)), std::to_string(r.precision_bits), short_text(v.condition),
                   short_text(v.result_error), short_text(v.result_bound),
                   fmt::format("{:.4g}", 1e3 * r.time.median_seconds), v.is_right() ? "right" : "WRONG"});
    }
    return table.text();
}

json report_json(const compare_args& args, const std::vector<bench_row>& rows, const std::string& device, int threads)
{
    json document = report_head("compare");
    document["kernels"] = args.kernels.operation->name;
    document["asked_condition"] = args.kernels.condition;
    document["seed"] = args.kernels.seed;
    document["executor"] = to_string(kernels_args::executor_of(args.options));
    document["device"] = device;
    document["threads"] = threads;
    document["rows"] = json::array();
    for (const bench_row& r : rows) {
        const bench_verdict& v = r.verdict;
        const bench_operation& op = row_of(r.op);
        document["rows"].push_back({{"kernel", op.name},
                                    {"way", to_string(op.by, r.format)},
                                    {"size", r.size},
                                    {"format", to_string(r.format)},
                                    {"precision_bits", r.precision_bits},
                                    {"condition", decimal_or_null(v.condition)},
                                    {"error", decimal_or_null(v.result_error)},
                                    {"error_bound", decimal_or_null(v.result_bound)},
                                    {"right", v.is_right()},
                                    {"median_ms", 1e3 * r.time.median_seconds},
                                    {"min_ms", 1e3 * r.time.least_seconds},
                                    {"repeats", r.time.samples}});
    }
    return document;
}

}  // namespace

exit_code run_compare_kernels(const compare_args& args)
{
    const io::thread_limit team(args.threads);
    const int threads = io::available_threads();
    const telling_args& telling = args.telling;
    output_file report(telling.report);

    std::vector<bench_row> rows;
    const bench_executor where = kernels_args::executor_of(args.options);
    const std::string device = with_executor(where, args.options.device, [&](const auto& exec) {
        for (const index_t size : args.kernels.all_sizes()) {
            for (const bench_request& request : requests_of(args, size)) {
                rows.push_back(measure_row(exec, request, args.kernels.repeat));
            }
        }
    });

    if (report.is_open()) {
        report.write(to_text(report_json(args, rows, device, threads)));
        report.close();
    }
    if (!telling.quiet) {
        const std::string text = row("operation", args.kernels.operation->about) +
                                 row("device", fmt::format("{}, {} host threads", device, threads)) +
                                 row("errors",
                                     "of the worst result, relative to it, and what the contract allows; MPFR "
                                     "has the results exactly") +
                                 "\n" + table_text(rows);
        telling.report == "-" ? tell(text) : put(text);
    }
    exit_code code = exit_code::done;
    for (const bench_row& r : rows) {
        if (!r.verdict.is_right()) {
            tell("residua: " + wrong_text(r) + "\n");
            code = exit_code::not_converged;
        }
    }
    return code;
}

}  // namespace residua
