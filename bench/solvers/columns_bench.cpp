// Times residuals of several right-hand sides with a full matrix together, by one exact product, against one by one: what
// dense_residuals chooses between, and solves of all columns together against one by one. All threads, elapsed time, the
// least of some repeats in turn.
//
//   columns_bench [unknowns] [repeats]
//
// Exit status 1 if the results differ.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <residua/blas/exact/gemm_exact.hpp>
#include <residua/blas/exact/spmv_exact.hpp>
#include <residua/solvers/solver.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua::bench {
namespace {

constexpr index_t counts[] = {1, 2, 4, 8, 16, 32, 64};

std::mt19937_64 random_bits(20261122);

double number() { return std::ldexp(static_cast<double>(random_bits() >> 11), -52) - 1.0; }

/// The least milliseconds of both, in turn.
struct times {
    double together = std::numeric_limits<double>::infinity();
    double alone = std::numeric_limits<double>::infinity();
};
times measure(int repeats, const std::function<void()>& together, const std::function<void()>& alone)
{
    const auto milliseconds = [](const std::function<void()>& run) {
        const auto start = std::chrono::steady_clock::now();
        run();
        return 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    times t;
    for (int r = 0; r < repeats; ++r) {
        t.together = std::min(t.together, milliseconds(together));
        t.alone = std::min(t.alone, milliseconds(alone));
    }
    return t;
}

void tell(const std::string& what, long bits, index_t n, index_t count, const times& t)
{
    std::printf("| %s | %ld | %ld | %ld | %.3g | %.3g | %.2f |\n", what.c_str(), bits, static_cast<long>(n),
                static_cast<long>(count), t.together, t.alone, t.alone / t.together);
    std::fflush(stdout);
}

template <class S>
bool compare_residuals(const S& space, long bits, index_t n, int repeats)
{
    using T = typename S::element;
    csr<host_executor, double> sparse(n, n, n * n);
    residua::matrix<host_executor, double> dense(n, n);
    for (index_t i = 0; i < n; ++i) {
        sparse.row_begin()[i + 1] = (i + 1) * n;
        for (index_t j = 0; j < n; ++j) {
            sparse.col()[i * n + j] = static_cast<column_t>(j);
            sparse.value().data()[i * n + j] = number();
            dense.set(i, j, sparse.value().data()[i * n + j]);
        }
    }
    bool same = true;
    for (const index_t count : counts) {
        auto x = space.make_matrix(n, count);
        auto b = space.make_matrix(n, count);
        auto r = space.make_matrix(n, count);
        auto s = space.make_matrix(n, count);
        for (index_t j = 0; j < count; ++j) {
            for (index_t i = 0; i < n; ++i) {
                x.set(i, j, space.make_scalar(number()) / space.make_scalar(3.0));
                b.set(i, j, space.make_scalar(number()) / space.make_scalar(3.0));
            }
        }
        const times t = measure(
            repeats, [&] { blas::residual_exact<T, double>(space.exec, dense.view(), x.view(), b.view(), r.view()); },
            [&] {
                for (index_t j = 0; j < count; ++j) {
                    blas::residual_exact<T, double>(space.exec, sparse, x.view().column(j), b.view().column(j),
                                                    s.view().column(j));
                }
            });
        tell("residual", bits, n, count, t);
        for (index_t k = 0; k < n * count; ++k) {
            same = same && r.get(k % n, k / n) == s.get(k % n, k / n);
        }
    }
    return same;
}

bool compare_solves(long bits, index_t n, int repeats)
{
    io::coo<double> a;
    a.rows = a.cols = n;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(number() + (i == j ? 10.0 : 0.0));
        }
    }
    linear_system system = make_system(a, std::vector<real>(static_cast<std::size_t>(n)));
    std::vector<std::vector<real>> b(16, system.b);
    for (std::vector<real>& column : b) {
        for (real& x : column) {
            x = real(number());
        }
    }
    solve_options options;
    options.method = method::refine;
    options.precision_bits = bits;
    std::vector<solve_result> all, each;
    const times t = measure(
        repeats, [&] { all = solver(system, options).solve(b); },
        [&] {
            each.clear();
            for (const std::vector<real>& column : b) {
                system.b = column;
                each.push_back(solve(system, options));
            }
        });
    tell("solve", bits, n, static_cast<index_t>(b.size()), t);
    return std::equal(all.begin(), all.end(), each.begin(), each.end(),
                      [](const solve_result& x, const solve_result& y) { return x.x == y.x; });
}

int run(index_t n, int repeats)
{
    bool same = true;
    std::printf("| | bits | n | columns | together, ms | one by one, ms | ratio |\n|---|---|---|---|---|---|---|\n");
    same = compare_residuals(host_space<double>{}, 53, n, repeats) && same;
    same = compare_residuals(host_space<expansion<double, 2>>{}, 106, n, repeats) && same;
    same = compare_residuals(host_space<expansion<double, 4>>{}, 212, n, repeats) && same;
    for (const long bits : {300, 848, 3392}) {
        same =
            compare_residuals(multidigit_space<host_executor>{{}, multidigit_format(bits)}, bits, n, repeats) && same;
    }
    for (const long bits : {106, 212, 848}) {
        same = compare_solves(bits, n, repeats) && same;
    }
    std::printf("%s\n", same ? "the same bits" : "DIFFERENT");
    return same ? 0 : 1;
}

}  // namespace
}  // namespace residua::bench

int main(int count, char** argument)
{
    return residua::bench::run(count > 1 ? std::atol(argument[1]) : 500, count > 2 ? std::atoi(argument[2]) : 3);
}
