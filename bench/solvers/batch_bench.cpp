// Times many small dense systems at once, in systems per second, on the host and on a GPU where there is one.
//
//   batch_bench [repeats] [megabytes of matrices in a batch] [threads]
//
// Entries are random binary64 numbers in (-1/2, 1/2). `factors` is getrf_batch and getrs_batch on numbers that lie where
// they are computed on; `solved` is solve_batch() in that precision from the caller's arrays to verdicts, copies to and from
// a GPU included. `one` is the direct method's factors and solution, one system at a time by one thread. Each figure is the
// best of some repeats. Exit status 1 if a system is not solved.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <residua/blas/level3/getrf_batch.hpp>
#include <residua/io/team.hpp>
#include <residua/solvers/batch/batch_part.hpp>
#include <residua/solvers/batch/solve_batch.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua::bench {
namespace {

struct settings {
    int repeats = 3;
    double megabytes = 256.0;
    int threads = 0;
    bool with_device = false;
};

void wait(const host_executor&) {}
[[maybe_unused]] void wait(const cuda_executor& exec) { synchronize(exec); }

/// The least seconds of f(prepared()) over some repeats.
template <class Prepare, class F>
double least_seconds(int repeats, const Prepare& prepare, const F& f)
{
    double least = std::numeric_limits<double>::infinity();
    for (int r = 0; r <= repeats; ++r) {
        auto prepared = prepare();
        const auto start = std::chrono::steady_clock::now();
        f(prepared);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        least = r == 0 ? least : std::min(least, taken.count());  // the first one warms up
    }
    return least;
}

template <class T>
struct random_batch {
    std::vector<double> entries, right;
    matrix_batch<host_executor, T> a;
    vector_batch<host_executor, T> b;

    random_batch(index_t n, index_t count) : a(n, count), b(n, count)
    {
        std::mt19937_64 random(1);
        std::uniform_real_distribution<double> value(-0.5, 0.5);
        for (index_t s = 0; s < count; ++s) {
            for (index_t i = 0; i < n; ++i) {
                for (index_t j = 0; j < n; ++j) {
                    entries.push_back(value(random));
                    a.view().column(s, j).store(i, T{entries.back()});
                }
                right.push_back(value(random));
                b.view()[s].store(i, T{right.back()});
            }
        }
    }
};

template <class Exec, class T>
double factor_rate(const Exec& exec, const random_batch<T>& of, int repeats)
{
    const index_t n = of.a.size(), count = of.a.count();
    buffer<Exec, std::int32_t> pivots(n * count, exec), info(count, exec);
    const auto prepare = [&] {
        auto prepared = std::pair(detail::placed_batch(exec, of.a), detail::placed_batch(exec, of.b));
        wait(exec);
        return prepared;
    };
    const double seconds = least_seconds(repeats, prepare, [&](auto& x) {
        blas::getrf_batch<T>(exec, x.first.view(), pivots.span(), info.span());
        blas::getrs_batch<T>(exec, std::as_const(x.first).view(), std::as_const(pivots).span(),
                             std::as_const(info).span(), x.second.view());
        wait(exec);
    });
    return static_cast<double>(count) / seconds;
}

template <class T>
double solved_rate(executor where, const random_batch<T>& of, const settings& how, bool& right)
{
    batch_options options;
    options.precision_bits = 53 * number_traits<T>::terms;
    options.executor = where;
    options.threads = how.threads;
    const dense_batch<double> systems{of.a.size(), of.a.count(), of.entries, of.right};
    const double seconds = least_seconds(
        how.repeats, [] { return 0; },
        [&](int) {
            const batch_solution found = solve_batch(systems, options);
            right = right && found.solved == systems.count;
        });
    return static_cast<double>(systems.count) / seconds;
}

template <class T>
double one_by_one_rate(const random_batch<T>& of, int repeats)
{
    if constexpr (number_traits<T>::terms == 1) {
        return std::numeric_limits<double>::quiet_NaN();
    } else {
        const index_t n = of.a.size(), count = std::min<index_t>(of.a.count(), 2000);
        const io::thread_limit one(1);
        const double seconds = least_seconds(
            repeats, [] { return 0; },
            [&](int) {
                for (index_t s = 0; s < count; ++s) {
                    matrix<host_executor, T> a(n, n);
                    vector<host_executor, T> b(n);
                    for (index_t j = 0; j < n; ++j) {
                        b.set(j, of.b.view()[s].load(j));
                        for (index_t i = 0; i < n; ++i) {
                            a.set(i, j, of.a.view().column(s, j).load(i));
                        }
                    }
                    const dense_factors<host_space<T>> factors(host_space<T>{}, std::move(a), false);
                    factors.solve(b);
                }
            });
        return static_cast<double>(count) / seconds;
    }
}

template <class T>
bool measure(const settings& how)
{
    bool right = true;
    for (const index_t n : {4, 8, 16, 32, 64}) {
        const double bytes = 8.0 * number_traits<T>::terms * static_cast<double>(n * n);
        const index_t count = std::max<index_t>(static_cast<index_t>(how.megabytes * 0x1p20 / bytes), 64);
        const random_batch<T> of(n, count);
        const io::thread_limit limit(how.threads);
        std::printf("| %d | %ld | %ld | %.3g | %.3g | %.3g |", number_traits<T>::terms, static_cast<long>(n),
                    static_cast<long>(count), one_by_one_rate(of, how.repeats),
                    factor_rate(host_executor{}, of, how.repeats), solved_rate(executor::host, of, how, right));
        if (how.with_device) {
#if defined(RESIDUA_CUDA)
            std::printf(" %.3g | %.3g |", factor_rate(make_cuda_executor(), of, how.repeats),
                        solved_rate(executor::cuda, of, how, right));
#endif
        }
        std::printf("%s\n", right ? "" : " NOT SOLVED");
        std::fflush(stdout);
    }
    return right;
}

}  // namespace
}  // namespace residua::bench

int main(int argc, char** argv)
{
    using namespace residua;
    try {
        bench::settings how;
        how.repeats = argc > 1 ? std::max(std::atoi(argv[1]), 1) : how.repeats;
        how.megabytes = argc > 2 ? std::max(std::atof(argv[2]), 1e-3) : how.megabytes;
        how.threads = argc > 3 ? std::max(std::atoi(argv[3]), 0) : how.threads;
        how.with_device = !cuda_devices().empty();
        std::printf("systems per second%s%s\n\n", how.with_device ? ", GPU: " : "; ",
                    how.with_device ? cuda_devices().front().name.c_str() : why_no_cuda_device().c_str());
        std::printf("| terms | n | systems | one | factors, host | solved, host |%s\n",
                    how.with_device ? " factors, GPU | solved, GPU |" : "");
        std::printf("| --- | --- | --- | --- | --- | --- |%s\n", how.with_device ? " --- | --- |" : "");
        bool right = bench::measure<double>(how);
        right = bench::measure<expansion<double, 2>>(how) && right;
        right = bench::measure<expansion<double, 3>>(how) && right;
        right = bench::measure<expansion<double, 4>>(how) && right;
        return right ? 0 : 1;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "batch_bench: %s\n", e.what());
        return 1;
    }
}
