// Times dense systems of few unknowns by the library, one thread: solve() with its default estimates, the factors in the same
// precision alone, and FLINT's arb_mat_solve, which proves its digits.
//
//   small_dense [repeats] [most unknowns] [bits ...]
//
// Entries are random in (-1/2, 1/2), in binary64 and in the precision of the solve. Each row of the table has the least
// microseconds of some repeats in turn, more of them for the smaller systems. Exit status 1 if a solve does not converge.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include <arb_mat.h>
#include <omp.h>

#include <residua/solvers/solve.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "arb_system.hpp"
#include "dense_ways.hpp"

namespace residua::bench {
namespace {

problem rounded_to_binary64(problem q)
{
    for (real& x : q.a) {
        x = real(to_double(x));
    }
    return q;
}

linear_system system_of(const problem& q, bool binary64)
{
    io::coo<double> places{q.n, q.n, {}, {}, {}};
    for (index_t i = 0; i < q.n; ++i) {
        for (index_t j = 0; j < q.n; ++j) {
            places.row.push_back(i);
            places.col.push_back(j);
            places.value.push_back(to_double(q.a[static_cast<std::size_t>(i * q.n + j)]));
        }
    }
    return binary64 ? make_system(places, q.b) : make_system(places, exact_entries(q.a), q.b);
}

way factors_alone(const problem& q)
{
    switch (q.bits) {
        case 106:
            return residua_way("LU", q, host_space<expansion<double, 2>>{}, 0);
        case 159:
            return residua_way("LU", q, host_space<expansion<double, 3>>{}, 0);
        case 212:
            return residua_way("LU", q, host_space<expansion<double, 4>>{}, 0);
        default:
            return residua_way("LU", q, multidigit_space<host_executor>{{}, multidigit_format(q.bits)}, 0);
    }
}

std::function<void()> certified(const problem& q)
{
    auto m = std::make_shared<arb_system>(q);
    return [m, p = q.bits] {
        if (arb_mat_solve(m->x, m->a, m->b, p) == 0) {
            throw std::runtime_error("arb_mat_solve finds no inverse");
        }
    };
}

bool compare(const problem& q, bool binary64, int repeats)
{
    const linear_system system = system_of(q, binary64);
    const way factors = factors_alone(q);
    solve_options options;
    options.precision_bits = q.bits;
    options.executor = executor::host;
    bool right = true;
    const std::vector<std::function<void()>> ways{
        [&] { right = solve(system, options).report.status == solve_status::converged && right; }, factors.run,
        certified(q)};
    std::vector<double> least(ways.size(), std::numeric_limits<double>::infinity());
    const long all = repeats * std::clamp(4000L / (q.n * q.n), 1L, 200L);
    for (long r = 0; r < all; ++r) {
        for (std::size_t w = 0; w < ways.size(); ++w) {
            const double start = elapsed_seconds();
            ways[w]();
            least[w] = std::min(least[w], 1e6 * (elapsed_seconds() - start));
        }
    }
    std::printf("| %s | %ld | %ld | %.4g | %.4g | %.4g | %.2f | %.2f |%s\n", binary64 ? "binary64" : "long", q.bits,
                static_cast<long>(q.n), least[0], least[1], least[2], least[0] / least[1], least[0] / least[2],
                right ? "" : " NOT CONVERGED");
    std::fflush(stdout);
    return right;
}

}  // namespace
}  // namespace residua::bench

int main(int argc, char** argv)
{
    using namespace residua;
    try {
        omp_set_num_threads(1);
        const int repeats = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 5;
        const index_t most = argc > 2 ? std::atol(argv[2]) : 500;
        std::vector<long> chosen;
        for (int k = 3; k < argc; ++k) {
            chosen.push_back(std::atol(argv[k]));
        }
        if (chosen.empty()) {
            chosen = {106, 212, 424, 848};
        }
        std::printf("| entries | bits | n | solve() us | LU us | arb_mat_solve us | solve() / LU | solve() / arb |\n");
        std::printf("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
        bool right = true;
        for (const bool binary64 : {true, false}) {
            for (const long bits : chosen) {
                for (const index_t n : {2, 3, 5, 10, 20, 50, 100, 200, 500}) {
                    if (n <= most) {
                        const bench::problem q = bench::make("random", n, bits);
                        right =
                            bench::compare(binary64 ? bench::rounded_to_binary64(q) : q, binary64, repeats) && right;
                    }
                }
            }
        }
        return right ? 0 : 1;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "small_dense: %s\n", e.what());
        return 1;
    }
}
