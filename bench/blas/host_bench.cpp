// Times the host side of blas, on expansions and on multi-digit floats, exact products of the latter, and one iteration of
// CG against QD, FLINT and MPFR in the same run, and checks every result against MPFR with more digits. Times are the least
// of the repeats. See docs/performance.md.
//
//   host_bench [output.json] [repeats] [operation] [format] [size]
//
// "" for no file; an operation or a format (expansion, multi-digit, exact) by its name, or how it begins; 0 for all sizes.
//
// Exit status 1 if a result is wrong.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <omp.h>
#include <nlohmann/json.hpp>

#include "machine.hpp"
#include "operands.hpp"

namespace residua::bench {
namespace {

using nlohmann::json;
using clock = std::chrono::steady_clock;

constexpr std::uint64_t seed = 20261121;
struct cell {
    operation op;
    index_t n;
};
struct format {
    const char* name;
    std::vector<candidate> (*candidates)(const operands&);
    std::vector<int> terms;  // words of binary64 in its operands
    std::vector<cell> cells;
};
const format formats[] = {
    {"expansion",
     expansions,
     {2, 3, 4, 8},
     {
         {operation::dot, 100000},
         {operation::axpy, 100000},
         {operation::gemv, 1000},
         {operation::gemv_binary64, 1000},
         {operation::gemv_binary64, 300},  // 720 KB: fits in a second-level cache, 8 MB does not
         {operation::spmv, 256 * 256},
         {operation::cg, 128 * 128},
     }},
    {"multi-digit",
     multidigits,
     {2, 3, 4, 8, 16, 32},
     {
         {operation::dot, 100000},
         {operation::axpy, 100000},
         {operation::gemv, 1000},
         {operation::spmv, 256 * 256},
         {operation::cg, 128 * 128},
         {operation::gemm, 100},
         {operation::gemm, 500},
     }},
    {"exact",  // sums of all bits, so that a result is rounded once
     exact_multidigits,
     {2, 4, 8, 16, 32},
     {
         {operation::gemv, 1000},
         {operation::gemm, 50},
         {operation::gemm, 500},
     }},
};

constexpr double least_seconds = 2e-3;  // of one timed run: short operations are repeated
constexpr double most_seconds = 10.0;   // of all runs of one library: long ones are repeated less, or not at all

double seconds_of_first(const candidate& c)
{
    const auto start = clock::now();
    c.run();
    return std::chrono::duration<double>(clock::now() - start).count();
}

/// The mean time of `times` runs, after one that brings the operands to the caches.
double seconds_of(const candidate& c, int times)
{
    c.run();
    const auto start = clock::now();
    for (int t = 0; t < times; ++t) {
        c.run();
    }
    return std::chrono::duration<double>(clock::now() - start).count() / times;
}

/// The largest error of the first run, as the number of correct bits, in units of the sum of the magnitudes of an
/// element's products.
double correct_bits(const operands& o, const candidate& c)
{
    const std::vector<real> result = c.error ? std::vector<real>{} : c.result();
    const real error =
        c.error ? c.error()
                : largest_error(o.op, o.size, o.pool, [&](index_t i) { return result[static_cast<std::size_t>(i)]; });
    return is_zero(error) ? 2.0 * static_cast<double>(o.bits) + 128.0 : static_cast<double>(1 - exponent(error));
}

/// How many bits two solutions have in common, in the largest component.
double common_bits(const std::vector<real>& x, const std::vector<real>& y)
{
    real largest(0.0, 1000);
    real difference(0.0, 1000);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const real d = abs(x[i].with_precision(1000) - y[i]);
        largest = largest < abs(x[i]) ? abs(x[i]).with_precision(1000) : largest;
        difference = difference < d ? d : difference;
    }
    return is_zero(difference) ? 1000.0 : static_cast<double>(exponent(largest) - exponent(difference));
}

double median(std::vector<double> times)
{
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

double least(const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); }

struct measured {
    json row;
    bool right = true;
};

measured measure(const format& f, operation op, index_t n, long bits, int repeats)
{
    const operands o(op, bits, n, seed);
    std::vector<candidate> all = f.candidates(o);
    const std::size_t own = all.size();
    for (const auto& peers : {nfloat(o), qd(o), arb(o), mpfr(o)}) {
        all.insert(all.end(), peers.begin(), peers.end());
    }
    const double per_run = op == operation::cg ? cg_iterations : 1.0;

    measured m;
    m.row = {{"format", f.name}, {"operation", name(op)}, {"bits", o.bits}, {"n", n}};

    omp_set_num_threads(1);
    std::vector<int> times;  // in one repeat
    std::vector<int> limit;  // of repeats; 0: the first run is the only one
    std::vector<std::vector<double>> seconds(all.size());
    std::vector<double> bits_right;          // of the first runs, or
    std::vector<std::vector<real>> results;  // theirs
    for (std::size_t c = 0; c < all.size(); ++c) {
        const double first = seconds_of_first(all[c]);
        if (op == operation::cg) {
            results.push_back(all[c].result());
        } else {
            bits_right.push_back(correct_bits(o, all[c]));
        }
        limit.push_back(std::min(repeats, static_cast<int>(most_seconds / (2.0 * first))));
        times.push_back(first > least_seconds ? 1 : static_cast<int>(least_seconds / seconds_of(all[c], 1)));
        times[c] = std::max(1, times[c]);
        if (limit[c] == 0) {
            seconds[c].push_back(first / per_run);
        }
    }
    for (int r = 0; r < repeats; ++r) {  // in turn, so that all see the same machine
        for (std::size_t c = 0; c < all.size(); ++c) {
            if (r < limit[c]) {
                seconds[c].push_back(seconds_of(all[c], times[c]) / per_run);
            }
        }
    }

    std::vector<std::vector<double>> with_two(own);
    omp_set_num_threads(2);
    for (int r = 0; r < repeats; ++r) {
        for (std::size_t c = 0; c < own; ++c) {
            if (r < limit[c]) {
                with_two[c].push_back(seconds_of(all[c], times[c]) / per_run);
            } else if (r == 0) {
                with_two[c].push_back(seconds_of_first(all[c]) / per_run);
            }
        }
    }

    double best_own = 1e300;
    double best_peer = 1e300;
    std::string best_peer_name;
    for (std::size_t c = 0; c < all.size(); ++c) {
        const double time = least(seconds[c]);
        json one = {{"milliseconds", median(seconds[c]) * 1e3},
                    {"runs", seconds[c].size()},
                    {"least_milliseconds", time * 1e3}};
        if (c < own) {
            one["milliseconds_with_2_threads"] = median(with_two[c]) * 1e3;
            one["least_milliseconds_with_2_threads"] = least(with_two[c]) * 1e3;
            best_own = std::min(best_own, time);
        } else if (time < best_peer) {
            best_peer = time;
            best_peer_name = all[c].library;
        }
        if (op == operation::cg) {
            one["bits_in_common_with_the_first"] = common_bits(results.front(), results[c]);
        } else {
            one["correct_bits"] = bits_right[c];
            if (c < own && bits_right[c] < static_cast<double>(o.bits - 12)) {
                m.right = false;
                std::printf("WRONG: %s has %g correct bits of %ld\n", all[c].library.c_str(), bits_right[c], o.bits);
            }
        }
        m.row["libraries"][all[c].library] = one;
    }
    m.row["best_peer"] = best_peer_name;
    m.row["ratio_to_best_peer"] = best_peer / best_own;
    std::printf("%-12s%-22s n = %-6ld %4ld bits: ", f.name, name(op).c_str(), static_cast<long>(n), o.bits);
    for (const auto& [library, one] : m.row["libraries"].items()) {
        std::printf("%s %.4g", library.c_str(), one["least_milliseconds"].get<double>());
        if (one.contains("least_milliseconds_with_2_threads")) {
            std::printf(" (2: %.4g)", one["least_milliseconds_with_2_threads"].get<double>());
        }
        std::printf(" | ");
    }
    std::printf("ms, %.2f times the best peer\n", best_peer / best_own);
    std::fflush(stdout);
    return m;
}

}  // namespace
}  // namespace residua::bench

int main(int argc, char** argv)
{
    using namespace residua::bench;
    const std::string output = argc > 1 ? argv[1] : "";
    const std::string only = argc > 3 ? argv[3] : "";
    const std::string only_format = argc > 4 ? argv[4] : "";
    const long only_size = argc > 5 ? std::atol(argv[5]) : 0;
    const int repeats = argc > 2 ? std::max(1, std::atoi(argv[2])) : 15;

    nlohmann::json report = {{"machine", machine()}, {"seed", seed}, {"repeats", repeats}};
    for (const int threads : {1, 2}) {
        nlohmann::json rates = {{"additions_per_second", addition_rate(threads)}};
        for (const std::size_t kib : {16, 512, 4096, 8192, 65536}) {
            const std::string size = std::to_string(kib) + "_KiB";
            rates["copy_bytes_per_second_of_" + size] = copy_rate(kib << 10, threads);
            rates["read_bytes_per_second_of_" + size] = read_rate(kib << 10, threads);
        }
        report["ceilings"][std::to_string(threads) + "_threads"] = rates;
    }
    std::printf("%s\n", report.dump(2).c_str());

    bool right = true;
    for (const format& f : formats) {
        for (const auto& [op, n] : f.cells) {
            if (!name(op).starts_with(only) || !std::string(f.name).starts_with(only_format) ||
                (only_size > 0 && n != only_size)) {
                continue;
            }
            for (const int terms : f.terms) {
                const measured m = measure(f, op, n, 53L * terms, repeats);
                report["rows"].push_back(m.row);
                right = right && m.right;
            }
        }
    }
    if (!output.empty()) {
        std::ofstream(output) << report.dump(2) << "\n";
    }
    return right ? 0 : 1;
}
