#include "machine.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>

#include <gmp.h>
#include <mpfr.h>
#include <omp.h>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/simd.hpp>

namespace residua::bench {
namespace {

/// What follows `key` in the first line that begins with it.
std::string from_file(const std::string& path, const std::string& key)
{
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.rfind(key, 0) == 0) {
            const std::size_t at = line.find_first_not_of(" \t:=\"", key.size());
            std::string value = at == std::string::npos ? "" : line.substr(at);
            value.erase(std::remove(value.begin(), value.end(), '"'), value.end());
            return value;
        }
    }
    return "";
}

/// The seconds that all threads need to call f(begin, end) `repeats` times, each on its part of so
/// many words; the best of some tries.
template <class F>
double seconds_on_parts(index_t words, int repeats, int threads, const F& f)
{
    double best = 1e300;
    for (int attempt = 0; attempt < 9; ++attempt) {
        const auto start = std::chrono::steady_clock::now();
#pragma omp parallel num_threads(threads)
        {
            const index_t begin = words * omp_get_thread_num() / omp_get_num_threads();
            const index_t end = words * (omp_get_thread_num() + 1) / omp_get_num_threads();
            for (int r = 0; r < repeats; ++r) {
                f(begin, end);
            }
        }
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        best = std::min(best, seconds.count());
    }
    return best;
}

int repeats_for(std::size_t bytes)
{
    return static_cast<int>(std::max<std::size_t>(1, (std::size_t{1} << 27) / bytes));
}

constexpr index_t lanes = 80;  // ten vectors of 512 bits: enough to hide the latency of an addition

/// The sum of next(s, l) over all lanes and steps.
template <class Next>
double sum_of(index_t steps, const Next& next)
{
    double result = 0.0;
    blas::detail::run_simd([&]() __attribute__((always_inline)) {
        double sum[lanes] = {};
        for (index_t s = 0; s < steps; ++s) {
            blas::detail::for_lanes(
                lanes, [&](index_t l) __attribute__((always_inline)) { sum[l] += next(s, l); });
        }
        for (const double lane : sum) {
            result += lane;
        }
    });
    return result;
}

std::atomic<double> sink;  // so that no sum is left out

}  // namespace

nlohmann::json machine()
{
    const std::time_t now = std::time(nullptr);
    char date[32];
    std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    static const char* const names[] = {"portable", "avx2", "avx512"};
    return {{"date", date},
            {"processor", from_file("/proc/cpuinfo", "model name")},
            {"processor_family_and_model",
             from_file("/proc/cpuinfo", "cpu family") + ", " + from_file("/proc/cpuinfo", "model\t")},
            {"threads_available", omp_get_num_procs()},
            {"system", from_file("/etc/os-release", "PRETTY_NAME")},
            {"instruction_set", names[static_cast<int>(blas::host_isa())]},
            {"compiler", __VERSION__},
            {"flags", RESIDUA_FLAGS},
            {"flags_of_peers", RESIDUA_PEER_FLAGS},
            {"mpfr", mpfr_get_version()},
            {"gmp", gmp_version},
            {"commit", RESIDUA_COMMIT}};
}

double copy_rate(std::size_t bytes, int threads)
{
    const index_t words = static_cast<index_t>(bytes / sizeof(double));
    buffer<host_executor, double> from(words);
    buffer<host_executor, double> to(words);
    const int repeats = repeats_for(bytes);
    const double seconds = seconds_on_parts(words, repeats, threads, [&](index_t begin, index_t end) {
        std::memcpy(to.data() + begin, from.data() + begin, static_cast<std::size_t>(end - begin) * sizeof(double));
    });
    return 2.0 * static_cast<double>(bytes) * repeats / seconds;
}

double read_rate(std::size_t bytes, int threads)
{
    const index_t words = static_cast<index_t>(bytes / sizeof(double));
    buffer<host_executor, double> from(words);
    const int repeats = repeats_for(bytes);
    const double seconds = seconds_on_parts(words, repeats, threads, [&](index_t begin, index_t end) {
        const double* const x = from.data() + begin;
        sink = sum_of((end - begin) / lanes, [x](index_t s, index_t l)
                                                 __attribute__((always_inline)) { return x[s * lanes + l]; });
    });
    return static_cast<double>(bytes) * repeats / seconds;
}

double addition_rate(int threads)
{
    constexpr index_t steps = 2000000;
    const double seconds = seconds_on_parts(threads, 1, threads, [&](index_t, index_t) {
        sink = sum_of(
            steps, [](index_t s, index_t) __attribute__((always_inline)) { return static_cast<double>(s); });
    });
    return static_cast<double>(lanes * steps * threads) / seconds;
}

}  // namespace residua::bench
