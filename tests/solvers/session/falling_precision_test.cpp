// A solve by CG whose bits fall: what its report says, and what happens where they fell too far.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/solve.hpp>
#include <residua/solvers/solver.hpp>
#include <residua/solvers/space/true_residual.hpp>

#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

solve_options by_cg(long bits, const char* rtol, preconditioner p = preconditioner::automatic)
{
    solve_options options;
    options.method = method::cg;
    options.format = number_format::multidigit;
    options.precision_bits = bits;
    options.rtol = real(rtol, 64);
    options.digits = 20;  // else the method keeps the bits that are asked for
    options.preconditioner = p;
    return options;
}

/// ||b - A x|| / ||b|| by MPFR.
real residual_of(const linear_system& system, const std::vector<real>& x)
{
    return evaluate_residual(system, x, real("1e-150", 64)).norm2 / norm2(system.b);
}

bool operator==(const precision_change& a, const precision_change& b)
{
    return a.iteration == b.iteration && a.precision_bits == b.precision_bits;
}

bool are_the_same(const std::vector<precision_change>& a, const std::vector<precision_change>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) { return x == y; });
}

/// H D H with H = I - 11' / 16, all of it exact: D = diag(1, 33/32, ..., 2^-38), and b = H (1, ..., 1, 2^-47). Before the
/// residual is down to 2^-47 nothing is seen of the last eigenvector, which is all of A's condition, and most of x.
linear_system with_an_unseen_eigenvector()
{
    constexpr index_t n = 32;
    std::vector<double> d(n), c(n, 1.0);
    for (index_t k = 0; k < n; ++k) {
        d[k] = 1.0 + static_cast<double>(k) / 32.0;
    }
    d[n - 1] = 0x1p-38;
    c[n - 1] = 0x1p-47;
    const auto h = [](index_t i, index_t j) { return (i == j ? 1.0 : 0.0) - 1.0 / 16.0; };
    io::coo<double> a;
    a.rows = a.cols = n;
    std::vector<real> b;
    for (index_t i = 0; i < n; ++i) {
        real sum(0.0, 200);
        for (index_t j = 0; j < n; ++j) {
            double entry = 0.0;
            for (index_t k = 0; k < n; ++k) {
                entry += h(i, k) * d[k] * h(k, j);
            }
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(entry);
            sum = sum + real(h(i, j), 200) * real(c[j], 200);
        }
        b.push_back(sum);
    }
    return make_system(a, std::move(b));
}

}  // namespace

TEST(falling_precision_of_solves_test, reaches_the_tolerance_in_one_correction_and_says_how)
{
    const linear_system system = system_of(poisson_2d(20));
    for (const auto& [bits, p] : {std::pair{424L, preconditioner::jacobi},
                                  {848L, preconditioner::none},
                                  {424L, preconditioner::ic0},
                                  {424L, preconditioner::chebyshev}}) {
        const solve_result result = solve(system, by_cg(bits, "1e-100", p));

        const solve_report& r = result.report;
        EXPECT_EQ(r.status, solve_status::converged);
        EXPECT_EQ(r.precision_bits, bits);
        EXPECT_EQ(r.corrections, 1);
        EXPECT_TRUE(r.escalations.empty());
        EXPECT_LE(residual_of(system, result.x), real("1e-100", 64));
        ASSERT_FALSE(r.precision_changes.empty()) << bits << to_string(p);
        EXPECT_LE(r.precision_changes.back().precision_bits, 322);
        EXPECT_LT(r.precision_changes.back().iteration, r.iterations);
    }
}

TEST(falling_precision_of_solves_test, keeps_bits_that_are_asked_for_without_digits)
{
    solve_options options = by_cg(424, "1e-12", preconditioner::none);
    options.digits = 0;
    const solve_result result = solve(system_of(poisson_2d(20)), options);
    EXPECT_EQ(result.report.status, solve_status::converged);
    EXPECT_TRUE(result.report.precision_changes.empty());
}

TEST(falling_precision_of_solves_test, has_the_same_bits_on_any_number_of_threads)
{
    const linear_system system = with_solution_ones(poisson_2d(50));
    solve_options options = by_cg(424, "1e-100");
    options.estimate_condition = false;
    options.threads = 1;
    const solve_result one = solve(system, options);
    ASSERT_GE(one.report.precision_changes.size(), 3u);
    for (const int threads : {2, 4}) {
        options.threads = threads;
        const solve_result several = solve(system, options);
        EXPECT_EQ(several.x, one.x) << threads;
        EXPECT_TRUE(are_the_same(several.report.precision_changes, one.report.precision_changes)) << threads;
    }
}

TEST(falling_precision_of_solves_test, is_that_of_each_right_hand_side)
{
    const linear_system system = system_of(poisson_2d(12));
    std::vector<real> other = system.b;
    other.front() = real(1000.0);
    solver both(system, by_cg(424, "1e-100"));
    const std::vector<solve_result> together = both.solve(std::vector<std::vector<real>>{system.b, other});
    linear_system second = system;
    second.b = other;
    const solve_result alone = solve(second, by_cg(424, "1e-100"));
    EXPECT_EQ(together.back().x, alone.x);
    EXPECT_TRUE(are_the_same(together.back().report.precision_changes, alone.report.precision_changes));
}

TEST(falling_precision_of_solves_test, goes_on_in_all_bits_where_the_true_residual_misses_the_tolerance)
{
    const linear_system system = with_an_unseen_eigenvector();
    const solve_result result = solve(system, by_cg(424, "1e-105", preconditioner::none));

    const solve_report& r = result.report;
    EXPECT_EQ(r.status, solve_status::converged);
    EXPECT_LE(residual_of(system, result.x), real("1e-105", 64));
    EXPECT_EQ(r.corrections, 2);
    ASSERT_EQ(r.escalations.size(), 1u);
    EXPECT_EQ(r.escalations.front().reason, "in fewer bits the true residual missed the tolerance");
    EXPECT_LT(r.escalations.front().precision_bits, 424);
    ASSERT_FALSE(r.precision_changes.empty());
    EXPECT_EQ(r.precision_changes.back().precision_bits, 424);
    EXPECT_EQ(r.precision_changes.back().iteration, r.escalations.front().iterations);
}

TEST(falling_precision_of_solves_test, keeps_the_bits_where_entries_have_those_of_the_format)
{
    io::coo<real> a;
    const io::coo<double> of = poisson_2d(8);
    a.rows = of.rows;
    a.cols = of.cols;
    a.row = of.row;
    a.col = of.col;
    for (const double value : of.value) {
        a.value.push_back(real(value, 300) / real(3.0, 300));
    }
    const solve_result result = solve(make_system(a, ones(a.rows)), by_cg(848, "1e-60"));
    EXPECT_EQ(result.report.status, solve_status::converged);
    EXPECT_TRUE(result.report.precision_changes.empty());

    solve_options expansion = by_cg(424, "1e-60");
    expansion.format = number_format::expansion;
    EXPECT_TRUE(solve(system_of(poisson_2d(8)), expansion).report.precision_changes.empty());
}
