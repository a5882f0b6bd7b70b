#include <residua/solvers/planning/plan.hpp>

#include "bench.hpp"

namespace residua {
namespace {

constexpr long native_bits = 53;

constexpr index_t most_elements = index_t{1} << 40;
constexpr index_t most_rows = index_t{1} << 20;
constexpr index_t most_points = 46340;  // along a side: column numbers have 31 bits

}  // namespace

const std::vector<bench_operation>& bench_operations()
{
    static const std::vector<bench_operation> all{
        {operation::dot, "dot", "x' y, n numbers each", {100000, 1000000}, most_elements},
        {operation::axpy, "axpy", "y <- a x + y, n numbers each", {100000, 1000000}, most_elements},
        {operation::gemv, "gemv", "y <- A x, A dense, n x n", {1000}, most_rows},
        {operation::gemm, "gemm", "C <- A B, dense, n x n", {128}, most_rows},
        {operation::gemm_exact, "gemm_exact", "C <- A B, n x n, each element rounded once", {128}, most_rows},
        {operation::geadd, "geadd", "C <- a A + b B, dense, n x n", {500}, most_rows},
        {operation::spmv, "spmv", "y <- A x, A Poisson's matrix in binary64, 5 points, n x n grid", {256}, most_points},
        {operation::add, "add", "w_i <- x_i + y_i, n numbers each", {100000, 1000000}, most_elements},
        {operation::mul, "mul", "y_i <- x_i y_i, n numbers each", {100000, 1000000}, most_elements}};
    return all;
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

bool has(operation op, bench_format format, bench_executor executor)
{
    if (op == operation::gemm_exact || format == bench_format::rns) {
        return true;
    }
    if (format == bench_format::multidigit) {
        return op != operation::geadd && op != operation::mul;
    }
    switch (op) {
        case operation::axpy:
            return true;
        case operation::dot:
        case operation::gemv:
        case operation::spmv:
        case operation::add:
            return executor == bench_executor::host;
        default:
            return false;
    }
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
            return native_bits < bits && bits <= available_precisions(number_format::expansion).back();
        case bench_format::multidigit:
            return precisions_of(number_format::multidigit).holds(bits);
        case bench_format::rns:
            return precisions_of(number_format::rns).holds(bits);
    }
    return false;
}

}  // namespace residua
