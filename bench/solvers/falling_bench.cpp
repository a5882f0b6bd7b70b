// Times CG in multi-digit floats whose bits fall with the residual against CG in all bits: Poisson's equation on a square,
// right-hand side ones, Jacobi, to a relative residual of 1e-100. Processor time of one thread, both in turn.
//
//   falling_bench [points along a side] [repeats]
//
// Exit status 1 if they take different iterations.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>

#include <residua/blas/sparse/csr.hpp>
#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/matrix_operator.hpp>

namespace residua::bench {
namespace {

using space = multidigit_space<host_executor>;

io::coo<double> poisson(index_t side)
{
    io::coo<double> a;
    a.rows = a.cols = side * side;
    const auto add = [&](bool inside, index_t i, index_t j, double value) {
        if (inside) {
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(value);
        }
    };
    for (index_t i = 0; i < a.rows; ++i) {
        add(i >= side, i, i - side, -1.0);
        add(i % side > 0, i, i - 1, -1.0);
        add(true, i, i, 4.0);
        add(i % side < side - 1, i, i + 1, -1.0);
        add(i + side < a.rows, i, i + side, -1.0);
    }
    return a;
}

io::coo<double> quarters(index_t n)
{
    io::coo<double> a;
    a.rows = a.cols = n;
    for (index_t i = 0; i < n; ++i) {
        a.row.push_back(i);
        a.col.push_back(i);
        a.value.push_back(0.25);
    }
    return a;
}

/// The least seconds of some runs, and what the last one reported.
struct timed_runs {
    double seconds = std::numeric_limits<double>::infinity();
    iteration_report report = {};
};

void run(const space& on, const any_operator<space>& a, const any_operator<space>& m, index_t n, double matrix_norm,
         timed_runs& result)
{
    space::vector b = on.make_vector(n);
    space::vector x = on.make_vector(n);
    on.fill(on.make_scalar(1.0), b);
    cg_workspace<space> work(on, n);
    stop_rule rule;
    rule.relative_residual = 1e-100;
    rule.max_iterations = 10 * n;
    const std::clock_t start = std::clock();
    result.report = cg(on, a, m, b, x, rule, work, matrix_norm);
    result.seconds = std::min(result.seconds, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
}

int compare(index_t side, int repeats)
{
    constexpr double norm_of_poisson = 8.0;
    int status = 0;
    std::printf("| bits | seconds in all bits | bits fall | ratio | iterations | bits after iterations |\n");
    std::printf("|---|---|---|---|---|---|\n");
    for (const long bits : {424L, 848L, 1696L}) {
        const space on{{}, multidigit_format(bits)};
        const index_t n = side * side;
        const any_operator<space> a = matrix_operator(on, csr_from_coo(poisson(side)));
        const any_operator<space> m = matrix_operator(on, csr_from_coo(quarters(n)));
        timed_runs all, falling;
        for (int r = 0; r < repeats; ++r) {
            run(on, a, m, n, 0.0, all);
            run(on, a, m, n, norm_of_poisson, falling);
        }
        std::printf("| %ld | %.3g | %.3g | %.2f | %lld, %lld |", bits, all.seconds, falling.seconds,
                    falling.seconds / all.seconds, static_cast<long long>(all.report.iterations),
                    static_cast<long long>(falling.report.iterations));
        for (const precision_change& change : falling.report.precision_changes) {
            std::printf(" %ld: %lld", change.precision_bits, static_cast<long long>(change.iteration));
        }
        std::printf(" |\n");
        std::fflush(stdout);
        status |= all.report.iterations == falling.report.iterations ? 0 : 1;
    }
    return status;
}

}  // namespace
}  // namespace residua::bench

int main(int argc, char** argv)
{
    const long side = argc > 1 ? std::atol(argv[1]) : 256;
    const int repeats = argc > 2 ? std::atoi(argv[2]) : 1;
    return residua::bench::compare(side, repeats);
}
