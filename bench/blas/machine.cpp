#include "machine.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include <gmp.h>
#include <mpfr.h>
#include <omp.h>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/simd.hpp>

namespace residua::bench {
namespace {

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

template <class F>
double best_seconds(int repeats, const F& f)
{
    double best = 1e300;
    for (int r = 0; r < repeats; ++r) {
        const auto start = std::chrono::steady_clock::now();
        f();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
                                  .count());
    }
    return best;
}

}  // namespace

nlohmann::json machine()
{
    const std::time_t now = std::time(nullptr);
    char date[32];
    std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    static const char* const names[] = {"portable", "avx2", "avx512"};
    return {{"date", date},
            {"processor", from_file("/proc/cpuinfo", "model name")},
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
    const int repeats = static_cast<int>(std::max<std::size_t>(1, (std::size_t{1} << 26) / bytes));
    const double seconds = best_seconds(7, [&] {
#pragma omp parallel num_threads(threads)
        {
            const index_t begin = words * omp_get_thread_num() / omp_get_num_threads();
            const index_t end = words * (omp_get_thread_num() + 1) / omp_get_num_threads();
            for (int r = 0; r < repeats; ++r) {
                std::memcpy(to.data() + begin, from.data() + begin,
                            static_cast<std::size_t>(end - begin) * sizeof(double));
            }
        }
    });
    return 2.0 * static_cast<double>(bytes) * repeats / seconds;
}

double addition_rate(int threads)
{
    constexpr index_t lanes = 80;  // ten vectors of 512 bits: enough to hide the latency
    constexpr int steps = 100000;
    std::vector<double> sinks(static_cast<std::size_t>(threads));
    const double seconds = best_seconds(7, [&] {
#pragma omp parallel num_threads(threads)
        {
            double result = 0.0;
            blas::detail::run_simd<double>([&]() __attribute__((always_inline)) {
                double sum[lanes] = {};
                for (int s = 0; s < steps; ++s) {
                    const double increment = s;
                    blas::detail::for_lanes<double>(lanes, [&](index_t l) __attribute__((always_inline)) {
                        sum[l] += increment;
                    });
                }
                for (const double x : sum) {
                    result += x;
                }
            });
            sinks[static_cast<std::size_t>(omp_get_thread_num())] = result;
        }
    });
    const double all = static_cast<double>(lanes) * steps * threads / seconds;
    return sinks[0] > 0.0 ? all : 0.0;  // the sums are used
}

}  // namespace residua::bench
