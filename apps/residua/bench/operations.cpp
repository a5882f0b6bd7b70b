#include <algorithm>

#include <residua/solvers/planning/plan.hpp>

#include "bench.hpp"

namespace residua {
namespace {

constexpr long native_bits = 53;

}  // namespace

const bench_operation& row_of(operation op)
{
    for (const bench_operation& each : bench_operations()) {
        if (each.id == op) {
            return each;
        }
    }
    throw unsupported_error("residua bench does not have this operation");
}

std::vector<long> default_precisions(const bench_operation& op)
{
    const auto beyond_binary64 = [&](bench_format format) {
        return format != bench_format::native &&
               (has(op.id, format, bench_executor::host) || has(op.id, format, bench_executor::cuda));
    };
    const bool any = std::any_of(bench_formats().begin(), bench_formats().end(), beyond_binary64);
    return any ? std::vector<long>{106, 212, 424} : std::vector<long>{native_bits};
}

const std::vector<bench_format>& bench_formats()
{
    static const std::vector<bench_format> all{bench_format::native, bench_format::expansion, bench_format::multidigit,
                                               bench_format::rns};
    return all;
}

std::string_view to_string(bench_format format)
{
    switch (format) {
        case bench_format::native:
            return "native";
        case bench_format::expansion:
            return "expansion";
        case bench_format::multidigit:
            return "multidigit";
        case bench_format::rns:
            return "rns";
    }
    return "";
}

std::string_view to_string(bench_executor executor) { return executor == bench_executor::host ? "host" : "cuda"; }

std::string_view to_string(way by, bench_format format)
{
    switch (by) {
        case way::sums:
            return format == bench_format::native ? "plain" : "fused";
        case way::twofold:
            return "twofold";
        case way::slices:
            return "slices";
        case way::exact:
            return "exact";
        case way::split:
            return "split";
        case way::basic:
            return "basic";
    }
    return "";
}

bool has(operation op, bench_format format, bench_executor executor, long bits)
{
    if (!has(op, format, executor)) {
        return false;
    }
    switch (format) {
        case bench_format::native:
            return bits <= native_bits;
        case bench_format::expansion:
            return native_bits < bits && bits <= most_expansion_bits;
        case bench_format::multidigit:
            return precisions_of(number_format::multidigit).holds(bits);
        case bench_format::rns:
            return precisions_of(number_format::rns).holds(bits);
    }
    return false;
}

}  // namespace residua
