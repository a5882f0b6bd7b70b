// Times dense solves in multi-digit floats and in expansions, with exact products and with sums alone, against
// FLINT's arb_mat_approx_solve, and LU in QD's numbers, in the same run: one thread, processor time, in turn. See
// docs/performance.md.
//
//   dense_bench [output.json] [repeats] [order of the Hilbert matrix] [bits ...]
//   dense_bench --panels [output.json] [repeats] [most unknowns]
//   dense_bench --cuda [output.json] [repeats] [order of the Hilbert matrix] [most unknowns]
//
// Bits: random matrices in these precisions alone, the longest for more unknowns too. An order of 0 is for none.
// Panels: LU and Cholesky with panels of several widths, for tune.py. Cuda: in elapsed time with all threads, products on
// a CUDA device from several amounts of work on, against products on the host. "" for no file. The table has the least
// times, the file all. Exit status 1 if a result is wrong.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <omp.h>
#include <nlohmann/json.hpp>

#include <residua/solvers/space/blas_space.hpp>

#include "../blas/machine.hpp"
#include "dense_ways.hpp"

namespace residua::bench {
namespace {

using nlohmann::json;

/// Writes what there is so far; nothing without a name.
void write(const std::string& file, const json& what)
{
    if (!file.empty()) {
        std::ofstream(file) << what.dump(1) << "\n";
    }
}

int run_on_cuda(const std::string& file, int repeats, index_t hilbert, index_t most)
{
    const cuda_executor exec = make_cuda_executor();
    const std::map<std::string, double> least_work{
        {"device", 0.0}, {"device, from 2^27", 0x1p27}, {"device, from 2^30", 0x1p30}};
    bool right = true;
    json cells = json::array();
    const auto compare = [&](const problem& q, const auto& on, const std::string& format) {
        std::vector<way> ways;
        for (const auto& [name, work] : least_work) {
            ways.push_back(residua_way(name, q, on, 0, {.device = exec, .least_work = work}));
        }
        ways.push_back(residua_way("host", q, on, 0));
        if (q.matrix == "hilbert") {
            ways.push_back(flint_way(q));
        }
        cells.push_back(measure(q, ways, repeats, right, elapsed_seconds));
        cells.back()["format"] = format;
        for (std::size_t w = 0; w < least_work.size(); ++w) {
            if (ways[w].error() != ways[least_work.size()].error()) {
                std::printf("the errors differ\n");
                right = false;
            }
        }
        write(file, {{"machine", machine()},
                     {"device", cuda_devices().front().name},
                     {"threads", omp_get_max_threads()},
                     {"least_work", least_work},
                     {"cells", cells}});
    };
    const auto compare_digits = [&](const problem& q) {
        compare(q, multidigit_space<host_executor>{{}, multidigit_format(q.bits)}, "multidigit");
    };
    if (hilbert > 0) {
        compare_digits(make("hilbert", hilbert, bits_of_hilbert(hilbert)));
    }
    for (const index_t n : {200, 500, 1000}) {
        if (n > most) {
            break;
        }
        compare(make("random", n, 212), host_space<expansion<double, 4>>{}, "expansion");
        for (const long bits : {212, 848, 2653}) {
            compare_digits(make("random", n, bits));
        }
    }
    return right ? 0 : 1;
}

int run_panels(const std::string& file, int repeats, index_t most)
{
    omp_set_num_threads(1);
    std::map<std::string, index_t> panels;
    for (const index_t panel : {8, 16, 32, 48, 64, 96, 128, 192}) {
        panels["panel " + std::to_string(panel)] = panel;
    }
    const std::string columns = "sums alone";
    bool right = true;
    json cells = json::array();
    const auto compare = [&](const auto& on, const std::string& format, long bits, index_t n) {
        for (const std::string matrix : {"random", "definite"}) {
            const problem q = make(matrix, n, bits);
            std::vector<way> ways;
            for (const auto& [name, panel] : panels) {
                if (panel < n) {
                    ways.push_back(residua_way(name, q, on, panel));
                }
            }
            ways.push_back(residua_way(columns, q, on, n));
            cells.push_back(measure(q, ways, repeats, right));
            cells.back()["format"] = format;
            json known = panels;
            known[columns] = nullptr;
            write(file, {{"machine", machine()}, {"threads", 1}, {"panels", known}, {"cells", cells}});
        }
    };
    const auto expansions = [&]<int N>(const std::integral_constant<int, N>&, index_t n) {
        compare(host_space<expansion<double, N>>{}, "expansion", 53L * N, n);
    };
    for (const index_t n : {96, 192, 384}) {
        if (n > most) {
            break;
        }
        expansions(std::integral_constant<int, 2>{}, n);
        expansions(std::integral_constant<int, 3>{}, n);
        expansions(std::integral_constant<int, 4>{}, n);
        if (n < 384) {  // what is longer takes minutes
            expansions(std::integral_constant<int, 8>{}, n);
        }
        for (const long bits : {106, 212, 424, 848, 1696}) {
            if (n < 384 || bits < 1696) {
                compare(multidigit_space<host_executor>{{}, multidigit_format(bits)}, "multidigit", bits, n);
            }
        }
    }
    return right ? 0 : 1;
}

int run(const std::string& file, int repeats, index_t hilbert, const std::set<long>& chosen)
{
    omp_set_num_threads(1);
    const auto is_wanted = [&](long bits) { return chosen.empty() || chosen.contains(bits); };
    bool right = true;
    json cells = json::array();
    const auto digits = [&](const problem& q) {
        const multidigit_space<host_executor> on{{}, multidigit_format(q.bits)};
        cells.push_back(
            measure(q, {residua_way("multi-digit", q, on, 0), residua_way("sums alone", q, on, q.n), flint_way(q)},
                    repeats, right));
    };
    for (const long bits : {106, 212, 424, 848, 1696}) {
        for (const index_t n : {200, 500, 1000}) {
            // what is longer takes minutes
            if (is_wanted(bits) && (n == 200 || bits <= 848 || chosen.contains(bits))) {
                digits(make("random", n, bits));
            }
        }
    }
    for (const index_t n : {200, 500, 1000}) {
        const auto expansions = [&]<int N>(const std::integral_constant<int, N>&) {
            if (!is_wanted(53 * N)) {
                return;
            }
            const problem q = make("random", n, 53 * N);
            const host_space<expansion<double, N>> on;
            std::vector<way> ways{residua_way("expansion", q, on, 0), residua_way("by halves", q, on, 48),
                                  residua_way("sums alone", q, on, n), flint_way(q)};
            if constexpr (N == 2 || N == 4) {
                ways.push_back(qd_way(q));
            }
            cells.push_back(measure(q, ways, repeats, right));
        };
        expansions(std::integral_constant<int, 2>{});
        expansions(std::integral_constant<int, 3>{});
        expansions(std::integral_constant<int, 4>{});
    }
    if (hilbert > 0) {
        const problem q = make("hilbert", hilbert, bits_of_hilbert(hilbert));
        const multidigit_space<host_executor> on{{}, multidigit_format(q.bits)};
        cells.push_back(measure(q, {residua_way("multi-digit", q, on, 0), flint_way(q)}, 1, right));
    }
    write(file, {{"machine", machine()}, {"cells", cells}});
    return right ? 0 : 1;
}

}  // namespace
}  // namespace residua::bench

int main(int argc, char** argv)
{
    try {
        const std::string mode = argc > 1 && argv[1][0] == '-' ? argv[1] : "";
        const int first = mode.empty() ? 1 : 2;
        const auto number = [&](int k, long otherwise) {
            return argc > first + k ? std::atol(argv[first + k]) : otherwise;
        };
        const std::string file = argc > first ? argv[first] : "";
        const int repeats = static_cast<int>(number(1, 3));
        if (mode.empty()) {
            std::set<long> bits;
            for (int k = first + 3; k < argc; ++k) {
                bits.insert(std::atol(argv[k]));
            }
            return residua::bench::run(file, repeats, number(2, 500), bits);
        }
        if (mode == "--panels") {
            return residua::bench::run_panels(file, repeats, number(2, 384));
        }
        if (mode == "--cuda") {
            return residua::bench::run_on_cuda(file, repeats, number(2, 500), number(3, 1000));
        }
        throw std::invalid_argument("there is no mode " + mode);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "dense_bench: %s\n", e.what());
        return 1;
    }
}
