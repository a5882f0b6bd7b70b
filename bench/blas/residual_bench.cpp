// Times the exact residual b - A x of sparse matrices of binary64 and vectors of expansions, rounded once: by
// residual_exact, by the sums of any spread alone that rows are left to, and spmv and waxpby, which round as they go; of
// multi-digit floats also with an x that has fewer bits than its format.
// Nanoseconds of one thread's processor time for an entry of A, the least of some runs in turn, compressed rows. b is A x,
// rounded.
//
//   residual_bench [grid] [repeats]
//
// Exit status 1 if the exact residuals differ.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include <omp.h>

#include <residua/arith/expansion/functions.hpp>
#include <residua/blas/exact/spmv_exact.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/sparse/spmv.hpp>

namespace residua::bench {
namespace {

constexpr long every_bit = 6000;  // bits that are as good as all, but not for residual_exact

const host_executor exec;
std::mt19937_64 random_bits(20261125);

double number() { return std::ldexp(static_cast<double>(random_bits() >> 11), -52) - 1.0; }

struct problem {
    std::string name;
    csr<host_executor, double> a;
};

/// row(i, put) puts all entries of row i in order; those outside of the matrix are left out.
template <class Row>
problem make(const std::string& name, index_t rows, index_t cols, const Row& row)
{
    std::vector<index_t> begin{0};
    std::vector<column_t> col;
    std::vector<double> value;
    for (index_t i = 0; i < rows; ++i) {
        row(i, [&](index_t j, double x) {
            if (j >= 0 && j < cols) {
                col.push_back(static_cast<column_t>(j));
                value.push_back(x);
            }
        });
        begin.push_back(static_cast<index_t>(col.size()));
    }
    problem p{name, csr<host_executor, double>(rows, cols, static_cast<index_t>(col.size()))};
    std::copy(begin.begin(), begin.end(), p.a.row_begin().begin());
    std::copy(col.begin(), col.end(), p.a.col().begin());
    std::copy(value.begin(), value.end(), p.a.value().data());
    return p;
}

/// The five-point stencil, or random numbers in its places; columns beyond an edge of the grid belong to the next line.
problem on_grid(const std::string& name, index_t n, bool is_random)
{
    return make(name, n * n, n * n, [&](index_t i, const auto& put) {
        for (const index_t away : {-n, index_t{-1}, index_t{0}, index_t{1}, n}) {
            put(i + away, is_random ? number() : away == 0 ? 4.0 : -1.0);
        }
    });
}

problem with_long_rows(index_t rows, index_t length)
{
    constexpr index_t apart = 50;
    return make(std::to_string(length) + " a row", rows, length * apart, [&](index_t, const auto& put) {
        for (index_t k = 0; k < length; ++k) {
            put(k * apart + static_cast<index_t>(random_bits() % apart), number());
        }
    });
}

template <class F>
double seconds(const F& run)
{
    const auto now = [] {
        timespec t{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    };
    const double start = now();
    run();
    return now() - start;
}

/// Whether all exact residuals are the same.
template <int N>
bool measure(const problem& p, int repeats)
{
    using T = expansion<double, N>;
    vector<host_executor, T> x(p.a.cols()), b(p.a.rows()), r(p.a.rows()), s(p.a.rows()), y(p.a.rows());
    for (index_t j = 0; j < x.size(); ++j) {
        T sum{number()};
        for (int t = 1; t < N; ++t) {
            sum = sum + T{std::ldexp(number(), -53 * t)};
        }
        x.set(j, sum);
    }
    blas::spmv_exact<T, double>(exec, p.a, x, b);
    double fast = HUGE_VAL, any_spread = HUGE_VAL, rounding = HUGE_VAL;
    for (int k = 0; k < repeats; ++k) {
        fast = std::min(fast, seconds([&] { blas::residual_exact<T, double>(exec, p.a, x, b, r); }));
        any_spread =
            std::min(any_spread, seconds([&] { blas::residual_exact<T, double>(exec, p.a, x, b, s, {every_bit}); }));
        rounding = std::min(rounding, seconds([&] {
                                blas::spmv<T>(exec, T{1.0}, p.a, x, T{0.0}, y);
                                blas::waxpby<T>(exec, T{1.0}, b, T{-1.0}, y, y);
                            }));
    }
    const double entry = 1e-9 * static_cast<double>(p.a.entries());
    std::printf("| %s | %d | %.2f | %.1f | %.1f | %.2f | %.2f |\n", p.name.c_str(), N, fast / entry, any_spread / entry,
                any_spread / fast, rounding / entry, fast / rounding);
    std::fflush(stdout);
    return std::memcmp(r.view().data(), s.view().data(), sizeof(double) * N * static_cast<std::size_t>(r.size())) == 0;
}

/// The same in multi-digit floats of `bits` bits; x has only the first `bits_of_x` of them.
bool measure_digits(const problem& p, long bits, long bits_of_x, int repeats)
{
    const multidigit_format format(bits);
    const auto zeros = [&](index_t n) { return vector<host_executor, multidigit>(format, n); };
    auto x = zeros(p.a.cols());
    auto b = zeros(p.a.rows());
    auto r = zeros(p.a.rows());
    auto s = zeros(p.a.rows());
    for (index_t j = 0; j < x.size(); ++j) {
        multidigit_number sum(format, number());
        for (long t = 53; t < bits_of_x; t += 53) {
            sum = sum + ldexp(multidigit_number(format, number()), -t);
        }
        x.set(j, sum);
    }
    blas::spmv_exact<multidigit, double>(exec, p.a, x, b);
    double fast = HUGE_VAL;
    double rounding = HUGE_VAL;
    for (int k = 0; k < repeats; ++k) {
        fast = std::min(fast, seconds([&] { blas::residual_exact<multidigit, double>(exec, p.a, x, b, r); }));
        rounding = std::min(rounding, seconds([&] {
                                const multidigit_number one(format, 1.0);
                                blas::spmv(exec, one, p.a, x.view(), multidigit_number(format, 0.0), s.view());
                                blas::waxpby(exec, one, b.view(), -one, s.view(), s.view());
                            }));
    }
    blas::residual_exact<multidigit, double>(exec, p.a, x, b, s, {every_bit});
    const double entry = 1e-9 * static_cast<double>(p.a.entries());
    std::printf("| %s | %ld | %ld | %.1f | %.1f | %.2f |\n", p.name.c_str(), bits, bits_of_x, fast / entry,
                rounding / entry, fast / rounding);
    std::fflush(stdout);
    bool same = true;
    for (index_t i = 0; i < r.size(); ++i) {
        same = same && r.get(i) == s.get(i);
    }
    return same;
}

bool run_digits(const std::vector<problem>& problems, int repeats)
{
    std::printf("\n| matrix | bits | of x | residual_exact | spmv, waxpby | ratio |\n|---|---|---|---|---|---|\n");
    bool same = true;
    for (const problem& p : problems) {
        for (const long bits : {212, 424, 848, 1696, 3392}) {
            same = measure_digits(p, bits, bits, repeats) && same;
        }
        same = measure_digits(p, 3392, 53, repeats) && same;
    }
    return same;
}

int run(index_t grid, int repeats)
{
    std::printf("| matrix | terms | residual_exact | sums of any spread | ratio | spmv, waxpby | ratio |\n");
    std::printf("|---|---|---|---|---|---|---|\n");
    bool same = true;
    const std::vector<problem> problems{on_grid("Poisson", grid, false), on_grid("random on the grid", grid, true),
                                        with_long_rows(20000, 30), with_long_rows(500, 1000)};
    for (const problem& p : problems) {
        same = measure<2>(p, repeats) && same;
        same = measure<3>(p, repeats) && same;
        same = measure<4>(p, repeats) && same;
        same = measure<6>(p, repeats) && same;
        same = measure<8>(p, repeats) && same;
    }
    same = run_digits(problems, std::min(repeats, 3)) && same;
    if (!same) {
        std::printf("exact residuals differ\n");
    }
    return same ? 0 : 1;
}

}  // namespace
}  // namespace residua::bench

int main(int argc, char** argv)
{
    const int grid = argc > 1 ? std::atoi(argv[1]) : 512;
    const int repeats = argc > 2 ? std::atoi(argv[2]) : 5;
    omp_set_num_threads(1);
    return residua::bench::run(grid, repeats);
}
