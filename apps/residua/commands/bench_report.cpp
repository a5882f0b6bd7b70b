#include "bench_report.hpp"

#include <ctime>

#include <fmt/format.h>

#include <residua/blas/base/simd.hpp>

#include <apps/residua/cli/host.hpp>
#include <apps/residua/text/layout.hpp>
#include <apps/residua/text/number_text.hpp>

namespace residua {
namespace {

using align = text_table::align;

constexpr double giga = 1e9;

std::string hash_text(const bench_row& row) { return fmt::format("{:016x}", row.verdict.hash); }

std::string utc_date()
{
    const std::time_t now = std::time(nullptr);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    return text;
}

std::string_view instruction_set()
{
    switch (blas::host_isa()) {
        case blas::isa::portable:
            return "portable";
        case blas::isa::avx2:
            return "avx2";
        case blas::isa::avx512:
            return "avx512";
    }
    return "";
}

std::string table_text(const bench_args& args, const bench_record& record)
{
    text_table table({align::left, align::right, align::left, align::right, align::left, align::right, align::right,
                      align::right, align::right, align::right, align::left, align::left});
    table.add({"operation", "size", "format", "bits", "executor", "median ms", "Mop/s", "MB", "GB/s", "of copy",
               "check", "hash"});
    for (const bench_row& r : record.rows) {
        table.add({std::string(args.operation->name), std::to_string(r.size), std::string(to_string(r.format)),
                   std::to_string(r.precision_bits), std::string(to_string(args.executor)),
                   fmt::format("{:.4g}", 1e3 * r.time.median_seconds),
                   fmt::format("{:.4g}", 1e-6 * r.operations_per_second()), fmt::format("{:.4g}", 1e-6 * r.bytes),
                   fmt::format("{:.3g}", r.bytes_per_second() / giga),
                   fmt::format("{:.1f} %", 100.0 * r.bytes_per_second() / record.copy.bytes_per_second),
                   r.verdict.is_right() ? "right" : "WRONG", hash_text(r)});
    }
    return table.text();
}

/// The hashes of results, which are the same for two runs on any machine and executor.
std::string hash_table_text(const bench_args& args, const bench_record& record)
{
    text_table table({align::left, align::right, align::left, align::right, align::left, align::left});
    table.add({"operation", "size", "format", "bits", "check", "hash"});
    for (const bench_row& r : record.rows) {
        table.add({std::string(args.operation->name), std::to_string(r.size), std::string(to_string(r.format)),
                   std::to_string(r.precision_bits), r.verdict.is_right() ? "right" : "WRONG", hash_text(r)});
    }
    return table.text();
}

json row_json(const bench_args& args, const bench_record& record, const bench_row& r)
{
    return {{"operation", args.operation->name},
            {"size", r.size},
            {"format", to_string(r.format)},
            {"precision_bits", r.precision_bits},
            {"executor", to_string(args.executor)},
            {"median_ms", 1e3 * r.time.median_seconds},
            {"min_ms", 1e3 * r.time.least_seconds},
            {"repeats", r.time.samples},
            {"runs_each", r.time.runs},
            {"operations", r.operations},
            {"operations_per_second", r.operations_per_second()},
            {"bytes", r.bytes},
            {"bytes_per_second", r.bytes_per_second()},
            {"share_of_copy", r.bytes_per_second() / record.copy.bytes_per_second},
            {"relative_error", decimal_or_null(r.verdict.relative_error)},
            {"error_bound", decimal_or_null(r.verdict.error_bound)},
            {"right", r.verdict.is_right()},
            {"hash", hash_text(r)}};
}

}  // namespace

std::string bench_text(const bench_args& args, const bench_record& record)
{
    if (args.hash) {
        return hash_table_text(args, record);
    }
    std::string text = row("operation", args.operation->about);
    text += row("device", fmt::format("{}, {} host threads", record.device, record.threads));
    text += row("copy", fmt::format("{:.3g} GB/s read and written, of {}", record.copy.bytes_per_second / giga,
                                    short_bytes_text(record.copy.bytes)));
    return text + "\n" + table_text(args, record);
}

json bench_json(const bench_args& args, const bench_record& record)
{
    json document = report_head("bench");
    document["operation"] = args.operation->name;
    document["seed"] = args.seed;
    document["executor"] = to_string(args.executor);
    document["device"] = record.device;
    document["threads"] = record.threads;
    document["machine"] = {{"date", utc_date()},
                           {"processor", processor_name()},
                           {"instruction_set", instruction_set()},
                           {"compiler", __VERSION__}};
    document["ceiling"] = {{"copy_bytes", record.copy.bytes}, {"copy_bytes_per_second", record.copy.bytes_per_second}};
    document["rows"] = json::array();
    for (const bench_row& r : record.rows) {
        document["rows"].push_back(row_json(args, record, r));
    }
    return document;
}

std::string wrong_text(const bench_row& r)
{
    const bench_verdict& v = r.verdict;
    const bool shows = !(v.relative_error <= v.error_bound);  // else only the result itself is too small for its error
    return fmt::format("{} of size {}, {} of {} bits: wrong, the error is {}, the bound {}", row_of(r.op).name, r.size,
                       to_string(r.format), r.precision_bits, short_text(shows ? v.relative_error : v.result_error),
                       short_text(shows ? v.error_bound : v.result_bound));
}

}  // namespace residua
