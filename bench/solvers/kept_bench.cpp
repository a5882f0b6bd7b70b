// Times right-hand sides one after the other by a solver object against the same by hand: factors in binary64 made once, and
// for each right-hand side refinement with them from the library's parts, which proves no residual and estimates no error.
//
//   kept_bench [repeats]
//
// Prints seconds and their ratio for a sparse and a dense system in 212 bits, with and without error estimates.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include <residua/arith/base/random.hpp>
#include <residua/solvers/matrix/make_csr.hpp>
#include <residua/solvers/methods/refine.hpp>
#include <residua/solvers/precond/binary64.hpp>
#include <residua/solvers/precond/factorize.hpp>
#include <residua/solvers/solver.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/matrix_operator.hpp>

namespace residua::bench {
namespace {

constexpr long bits = 212;
constexpr int right_hand_sides = 50;

using vectors = std::vector<std::vector<double>>;

double seconds(const std::function<void()>& run)
{
    const auto start = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Poisson's equation on a grid of 100 x 100 points.
linear_system sparse_system()
{
    constexpr index_t side = 100;
    io::coo<double> a{side * side, side * side, {}, {}, {}};
    const auto push = [&](index_t i, index_t j, double value) {
        a.row.push_back(i);
        a.col.push_back(j);
        a.value.push_back(value);
    };
    for (index_t i = 0; i < side * side; ++i) {
        const index_t at = i % side;
        if (i >= side) {
            push(i, i - side, -1.0);
        }
        if (at > 0) {
            push(i, i - 1, -1.0);
        }
        push(i, i, 4.0);
        if (at + 1 < side) {
            push(i, i + 1, -1.0);
        }
        if (i + side < side * side) {
            push(i, i + side, -1.0);
        }
    }
    return make_system(a, std::vector<real>(static_cast<std::size_t>(side * side)));
}

linear_system dense_system()
{
    constexpr index_t n = 1000;
    splitmix64 random{1};
    io::coo<double> a{n, n, {}, {}, {}};
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(uniform(random));
        }
    }
    return make_system(a, std::vector<real>(static_cast<std::size_t>(n)));
}

void by_hand(const linear_system& system, const vectors& b, const real& rtol)
{
    using space = multidigit_space<host_executor>;
    const space s{{}, multidigit_format(bits)};
    const sparse_matrix& a = system;
    sparse_analyses analyses;
    const factorization factors = factorize_native(a, factor_kind::lu, analyses);
    const any_operator<space> matrix = matrix_operator(s, make_csr(a));
    const binary64_preconditioner<space> m(s, factors);
    refine_workspace<space> work(s, a.rows, 1);
    stop_rule rule;
    rule.relative_residual = to_double(rtol);
    for (const std::vector<double>& each : b) {
        const auto right = s.make_vector(each);
        auto x = s.make_vector(a.rows);
        (void)refine(s, matrix, m, right, x, rule, work);
    }
}

void compare(const char* name, const linear_system& system, int repeats)
{
    splitmix64 random{2};
    vectors b(right_hand_sides, std::vector<double>(static_cast<std::size_t>(system.rows)));
    std::vector<std::vector<real>> columns;
    for (std::vector<double>& each : b) {
        std::generate(each.begin(), each.end(), [&] { return uniform(random); });
        columns.emplace_back(each.begin(), each.end());
    }
    solve_options options;
    options.method = method::refine;
    options.preconditioner = preconditioner::lu;
    options.precision_bits = bits;
    for (const bool estimates : {false, true}) {
        options.estimate_condition = estimates;
        double kept = std::numeric_limits<double>::infinity(), hand = kept;
        real rtol;
        for (int k = 0; k < repeats; ++k) {
            kept = std::min(kept, seconds([&] {
                                solver s(system, options);
                                for (const std::vector<real>& each : columns) {
                                    rtol = s.solve(each).report.rtol;
                                }
                            }));
            hand = std::min(hand, seconds([&] { by_hand(system, b, rtol); }));
        }
        std::printf("| %s, n = %ld | %s | %.3f | %.3f | %.2f |\n", name, static_cast<long>(system.rows),
                    estimates ? "yes" : "no", kept, hand, kept / hand);
        std::fflush(stdout);
    }
}

}  // namespace
}  // namespace residua::bench

int main(int argc, char** argv)
{
    const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 3;
    std::printf("| system | error estimates | solver s | by hand s | ratio |\n| --- | --- | --- | --- | --- |\n");
    residua::bench::compare("sparse", residua::bench::sparse_system(), repeats);
    residua::bench::compare("dense", residua::bench::dense_system(), repeats);
    return EXIT_SUCCESS;
}
