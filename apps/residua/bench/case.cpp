#include "case.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <residua/blas/base/compiled_formats.hpp>
#include <residua/solvers/base/memory.hpp>

#include "table.hpp"

namespace residua {
namespace {

template <class F>
void each_row(const F& f)
{
    std::apply([&](const auto&... rows) { (f(rows), ...); }, operation_table());
}

template <class Row, class Exec, class T>
constexpr bool takes = std::is_invocable_v<decltype(std::declval<const Row&>().make), const setting<Exec, T>&>;

template <class Exec>
bool has_on(operation op, bench_format format)
{
    bool found = false;
    each_row([&]<class Row>(const Row& row) {
        if (row.operation.id == op) {
            found = format == bench_format::native       ? takes<Row, Exec, double>
                    : format == bench_format::expansion  ? takes<Row, Exec, expansion<double, 2>>
                    : format == bench_format::multidigit ? takes<Row, Exec, multidigit>
                                                         : takes<Row, Exec, rns>;
        }
    });
    return found;
}

/// throws  resource_error if the operands do not fit in the host's memory, where they are made
void require_operands(const bench_operation& op, index_t size, double number_bytes)
{
    const auto n = static_cast<double>(size);
    double numbers = 3.0 * n;
    double words = 0.0;
    switch (op.computes) {
        case formula::gemv:
        case formula::symv:
        case formula::trmv:
            (op.id == operation::gemv_binary64 ? words : numbers) += n * n;
            numbers += op.id == operation::exact_matrix ? 2.0 * n * n : 0.0;  // the integers, beside the numbers
            break;
        case formula::ger:
        case formula::geadd:
        case formula::ge_acc:
        case formula::ge_scale:
        case formula::ge_lrscale:
        case formula::syr:
        case formula::ge_norm:
            numbers = 4.0 * n * n;  // the fourth is the result before it is stored
            break;
        case formula::syrk:
        case formula::trsm:
        case formula::gemm:
            // Residues take about three times the memory of numbers, sums twice, and slices no more.
            numbers = (op.by == way::exact || op.by == way::slices ? 12.0 : 4.0) * n * n;
            break;
        case formula::spmv:
            numbers = 2.0 * n * n;
            words = 12.0 * poisson_entries(size);  // the matrix is there in three storages
            break;
        case formula::spmm:
            numbers = 8.0 * spmm_columns * n * n;  // with slices
            words = 24.0 * poisson_entries(size);
            break;
        default:
            break;
    }
    require_memory("the operands", numbers * number_bytes + words * 8.0);
}

template <class Exec, class T>
bench_case make_in(const Exec& exec, const bench_numbers<T>& numbers, const bench_request& request)
{
    const bench_operation& op = row_of(request.op);
    std::optional<bench_case> made;
    each_row([&]<class Row>(const Row& row) {
        if constexpr (takes<Row, Exec, T>) {
            if (row.operation.id == request.op) {
                require_operands(op, request.size, numbers.bytes());
                made = row.make(setting<Exec, T>(exec, numbers, request));
            }
        }
    });
    if (!made) {
        throw unsupported_error(std::string(to_string(request.format)) + " has no " + std::string(op.name) + " there");
    }
    return *std::move(made);
}

template <class Exec>
bench_case make_on(const Exec& exec, const bench_request& request)
{
    switch (request.format) {
        case bench_format::multidigit:
            return make_in(exec, bench_numbers<multidigit>{multidigit_format(request.bits)}, request);
        case bench_format::rns:
            return make_in(exec, bench_numbers<rns>{rns_format(request.bits)}, request);
        default:
            break;
    }
    std::optional<bench_case> made;
    const auto wide_enough = std::find_if(blas::compiled_terms.begin(), blas::compiled_terms.end() - 1, [&](int terms) {
        return request.bits <= number_traits<double>::precision_bits * terms;
    });
    blas::with_compiled_terms(number_traits<double>::precision_bits * *wide_enough, [&]<int Terms>() {
        made = make_in(exec, bench_numbers<blas::format_of_terms<Terms>>{}, request);
    });
    return *std::move(made);
}

}  // namespace

const std::vector<bench_operation>& bench_operations()
{
    static const std::vector<bench_operation> all = [] {
        std::vector<bench_operation> operations;
        each_row([&](const auto& row) { operations.push_back(row.operation); });
        return operations;
    }();
    return all;
}

bool has(operation op, bench_format format, bench_executor executor)
{
    return executor == bench_executor::host ? has_on<host_executor>(op, format) : has_on<cuda_executor>(op, format);
}

bench_case make_bench_case(const host_executor& exec, const bench_request& request) { return make_on(exec, request); }

#if defined(RESIDUA_CUDA)
bench_case make_bench_case(const cuda_executor& exec, const bench_request& request) { return make_on(exec, request); }
#endif

}  // namespace residua
