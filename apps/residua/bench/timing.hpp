#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/cuda_timer.hpp>

namespace residua {

/// Measures the seconds that an executor works from start() to stop(), the host by its clock, a device by
/// its own.
template <class Exec>
class stopwatch;

template <>
class stopwatch<host_executor> {
public:
    explicit stopwatch(const host_executor&) {}

    void start() { begin_ = clock::now(); }
    double stop() const { return std::chrono::duration<double>(clock::now() - begin_).count(); }

private:
    using clock = std::chrono::steady_clock;
    clock::time_point begin_;
};

#if defined(RESIDUA_CUDA)
template <>
class stopwatch<cuda_executor> : public cuda_timer {
public:
    using cuda_timer::cuda_timer;
};
#endif

/// How long one run takes. A sample is as many runs as take two milliseconds.
struct timing {
    double median_seconds = 0.0;
    double least_seconds = 0.0;
    long samples = 0;
    long runs = 0;  ///< in a sample
};

/// Takes two runs to warm up, and then `samples` samples; for 0, as many as half a second has room for, at least 5.
template <class Exec>
timing measure(const Exec& exec, const std::function<void()>& run, long samples)
{
    constexpr double sample_seconds = 2e-3;
    constexpr double row_seconds = 0.5;
    constexpr double shortest = 1e-7;
    constexpr long least_samples = 5;
    stopwatch<Exec> watch(exec);
    const auto seconds_of = [&](long runs) {
        watch.start();
        for (long r = 0; r < runs; ++r) {
            run();
        }
        return watch.stop() / static_cast<double>(runs);
    };
    seconds_of(1);
    const double one = std::max(shortest, seconds_of(1));

    timing t;
    t.runs = one < sample_seconds ? static_cast<long>(std::ceil(sample_seconds / one)) : 1;
    const double room = row_seconds / (one * static_cast<double>(t.runs));
    t.samples = samples > 0 ? samples : std::max(least_samples, static_cast<long>(room));
    std::vector<double> seconds(static_cast<std::size_t>(t.samples));
    for (double& each : seconds) {
        each = seconds_of(t.runs);
    }
    std::sort(seconds.begin(), seconds.end());
    const std::size_t middle = seconds.size() / 2;
    t.median_seconds = seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2.0;
    t.least_seconds = seconds.front();
    return t;
}

/// A ceiling of the executor: what a copy within its memory reads and writes.
struct copy_ceiling {
    double bytes = 0.0;  ///< that are copied
    double bytes_per_second = 0.0;
};

copy_ceiling measure_copy(const host_executor& exec);
#if defined(RESIDUA_CUDA)
copy_ceiling measure_copy(const cuda_executor& exec);
#endif

}  // namespace residua
