#pragma once

#include <string>
#include <utility>

#include <apps/residua/bench/case.hpp>
#include <apps/residua/bench/timing.hpp>
#include <apps/residua/cli/host.hpp>

namespace residua {

/// A line of a table of measurements.
struct bench_row {
    operation op = operation::dot;
    index_t size = 0;
    bench_format format = bench_format::rns;
    long precision_bits = 0;
    double operations = 0.0;
    double bytes = 0.0;
    timing time;
    bench_verdict verdict;

    double operations_per_second() const { return operations / time.median_seconds; }
    double bytes_per_second() const { return bytes / time.median_seconds; }
};

/// Measures a case by `samples` samples, for 0 by as many as half a second has room for. The first run is judged, since later
/// runs may start from operands that it changed.
///
/// throws  resource_error if the operands do not fit
template <class Exec>
bench_row measure_row(const Exec& exec, const bench_request& request, long samples)
{
    const bench_case c = make_bench_case(exec, request);
    c.run();
    bench_verdict verdict = c.judge();
    return {.op = request.op,
            .size = request.size,
            .format = request.format,
            .precision_bits = c.precision_bits,
            .operations = c.operations,
            .bytes = c.bytes,
            .time = measure(exec, c.run, samples),
            .verdict = std::move(verdict)};
}

/// Calls f(exec) with an executor, a GPU by its number, and returns the name of its processor or GPU.
///
/// throws  cuda_error if there is no such GPU
template <class F>
std::string with_executor(bench_executor executor, int device, const F& f)
{
    if (executor == bench_executor::host) {
        f(host_executor{});
        return processor_name();
    }
    [[maybe_unused]] const cuda_executor exec = make_cuda_executor(device);  // throws in a build without CUDA
#if defined(RESIDUA_CUDA)
    f(exec);
    for (const cuda_device& each : cuda_devices()) {
        if (each.number == exec.device) {
            return each.name;
        }
    }
#endif
    return "";
}

/// "dot of size 1000, rns of 106 bits: wrong, the error is 1e-3, the bound 1e-30"
std::string wrong_text(const bench_row& row);

}  // namespace residua
