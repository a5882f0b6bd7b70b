// Times dense factors on the host in multi-digit floats, and in expansions of 2 and 4 terms, beside gemm_exact of the same size in
// multi-digit floats, FLINT's arb_mat_approx_lu and LU in QD's numbers: the host's part of the table of dense factors in
// docs/performance.md, in one run. device_factors_bench has that of a GPU.
//
//   host_factors_bench [output.json] [repeats] [n ...]
//
// Elapsed time, in turn, with the threads of OMP_NUM_THREADS; FLINT and QD compute in one. The table has the least times in
// milliseconds, and in brackets their ratio to a third of gemm_exact (LU) or a sixth (L L', L D L'). The file has all
// times; "" writes no file. Sizes are 500 and 1000 unless they are given. QD's time includes one solve.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <arb_mat.h>
#include <omp.h>
#include <nlohmann/json.hpp>

#include <residua/blas/exact/gemm_exact.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "../blas/machine.hpp"
#include "arb_system.hpp"
#include "dense_ways.hpp"
#include "peer_qd_lu.hpp"

namespace residua::bench {
namespace {

using nlohmann::json;

/// Something to be timed, and the part of gemm_exact that its multiply-adds are.
struct job {
    std::string name;
    double part;
    std::function<void()> run;
};

template <class S>
typename S::matrix matrix_of(const problem& q, const S& on, bool indefinite = false)
{
    auto a = on.make_matrix(q.n, q.n);
    for (index_t i = 0; i < q.n; ++i) {
        for (index_t j = 0; j < q.n; ++j) {
            const real x = q.a[static_cast<std::size_t>(i * q.n + j)];
            const bool is_moved = indefinite && i == j;  // of a definite matrix: the random numbers alone
            a.set(i, j, on.make_scalar(is_moved ? x - real(0.5 * static_cast<double>(q.n)) : x));
        }
    }
    return a;
}

void require_factors(const std::string& failure)
{
    if (!failure.empty()) {
        throw error("a factorisation failed: " + failure);
    }
}

/// LU, L L' and L D L' in the format of a space.
template <class S>
void add_factors(std::vector<job>& jobs, const std::string& format, const S& on, const problem& random,
                 const problem& definite)
{
    const auto add = [&](const std::string& name, double part, auto a, auto factorize) {
        jobs.push_back({format + " " + name, part, [=] { require_factors(factorize(a).failure()); }});
    };
    add("LU", 1.0 / 3.0, matrix_of(random, on), [on](const auto& a) { return dense_factors<S>(on, a, false); });
    add("L L'", 1.0 / 6.0, matrix_of(definite, on), [on](const auto& a) { return dense_factors<S>(on, a, true); });
    add("L D L'", 1.0 / 6.0, matrix_of(definite, on, true),
        [on](const auto& a) { return dense_factors<S>::ldl(on, a); });
}

job flint_job(const problem& q)
{
    auto m = std::make_shared<arb_system>(q);
    return {"FLINT LU", 1.0 / 3.0, [m, n = q.n, p = q.bits] {
                arb_mat_t lu;
                arb_mat_init(lu, n, n);
                std::vector<slong> rows(static_cast<std::size_t>(n));
                const bool made = arb_mat_approx_lu(rows.data(), lu, m->a, p) != 0;
                arb_mat_clear(lu);
                require_factors(made ? "" : "FLINT's");
            }};
}

std::vector<job> jobs_of(index_t n, long bits)
{
    const problem random = make("random", n, bits), definite = make("definite", n, bits);
    const multidigit_space<host_executor> on{{}, multidigit_format(bits)};
    const auto a = std::make_shared<const multidigit_space<host_executor>::matrix>(matrix_of(random, on));
    const auto c = std::make_shared<multidigit_space<host_executor>::matrix>(on.make_matrix(n, n));
    std::vector<job> jobs{{"gemm_exact", 1.0, [a, c, bits] {
                               blas::gemm_exact(host_executor{}, a->view(), a->view(), c->view(), {.bits = bits + 8});
                           }}};
    add_factors(jobs, "multi-digit", on, random, definite);
    const auto add_expansion = [&]<int N>(const std::integral_constant<int, N>&) {
        if (bits == 53 * N) {
            add_factors(jobs, "expansion", host_space<expansion<double, N>>{}, random, definite);
            jobs.push_back({"QD LU", 1.0 / 3.0, make_qd_solve(N, n, random.a, random.b).run});
        }
    };
    add_expansion(std::integral_constant<int, 2>{});
    add_expansion(std::integral_constant<int, 4>{});
    jobs.push_back(flint_job(random));
    return jobs;
}

json measure_factors(index_t n, long bits, int repeats)
{
    const std::vector<job> jobs = jobs_of(n, bits);
    std::vector<std::vector<double>> times(jobs.size());
    for (int r = 0; r < repeats; ++r) {
        for (std::size_t k = 0; k < jobs.size(); ++k) {
            const double start = elapsed_seconds();
            jobs[k].run();
            times[k].push_back(1e3 * (elapsed_seconds() - start));
        }
    }
    const auto least = [&](std::size_t k) { return *std::min_element(times[k].begin(), times[k].end()); };
    json cell{{"n", n}, {"bits", bits}};
    std::printf("| %ld | %ld |", static_cast<long>(n), bits);
    for (std::size_t k = 0; k < jobs.size(); ++k) {
        cell["milliseconds"][jobs[k].name] = times[k];
        std::printf(" %s %.3g (%.2f) |", jobs[k].name.c_str(), least(k), least(k) / (jobs[k].part * least(0)));
    }
    std::printf("\n");
    std::fflush(stdout);
    return cell;
}

}  // namespace
}  // namespace residua::bench

int main(int argc, char** argv)
{
    try {
        const std::string file = argc > 1 ? argv[1] : "";
        const int repeats = argc > 2 ? std::max(1, std::atoi(argv[2])) : 3;
        std::vector<residua::index_t> sizes;
        for (int k = 3; k < argc; ++k) {
            sizes.push_back(std::atol(argv[k]));
        }
        if (sizes.empty()) {
            sizes = {500, 1000};
        }
        nlohmann::json cells = nlohmann::json::array();
        for (const residua::index_t n : sizes) {
            for (const long bits : {106, 212, 424, 848}) {
                cells.push_back(residua::bench::measure_factors(n, bits, repeats));
                if (!file.empty()) {
                    std::ofstream(file) << nlohmann::json{{"machine", residua::bench::machine()},
                                                          {"threads", omp_get_max_threads()},
                                                          {"cells", cells}}
                                               .dump(1)
                                        << "\n";
                }
            }
        }
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "host_factors_bench: %s\n", e.what());
        return 1;
    }
}
