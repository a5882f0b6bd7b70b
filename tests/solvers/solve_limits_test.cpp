// Where a solve stops before its goal, and what is refused before it begins.
#include <string>

#include <gtest/gtest.h>

#include <residua/solvers/solve.hpp>

#include "tests/support/address_space.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

solve_options with(method m, long bits, preconditioner p = preconditioner::automatic)
{
    solve_options options;
    options.method = m;
    options.precision_bits = bits;
    options.preconditioner = p;
    return options;
}

}  // namespace

TEST(solve_limits_test, stops_when_interrupted_and_returns_the_best_x)
{
    solve_options options = with(method::cg, 106, preconditioner::none);
    options.estimate_condition = false;
    int asked = 0;
    options.interrupted = [&asked] { return ++asked > 60; };
    const linear_system system = with_solution_ones(poisson_1d(500));

    const solve_result result = solve(system, options);

    EXPECT_EQ(result.report.status, solve_status::interrupted);
    EXPECT_EQ(result.x.size(), 500u);
    EXPECT_LT(result.report.relative_residual, real(1.0));
}

TEST(solve_limits_test, stops_at_the_time_limit)
{
    solve_options options = with(method::cg, 848, preconditioner::none);
    options.estimate_condition = false;
    options.time_limit_seconds = 0.05;

    EXPECT_EQ(solve(with_solution_ones(poisson_1d(4000)), options).report.status, solve_status::time_limit);
}

TEST(solve_limits_test, stops_at_the_iteration_limit_with_the_best_x)
{
    solve_options options = with(method::bicgstab, 53, preconditioner::none);
    options.max_iterations = 7;

    const solve_result result = solve(with_solution_ones(poisson_1d(200)), options);

    EXPECT_EQ(result.report.status, solve_status::not_converged);
    EXPECT_EQ(result.report.iterations, 7);
    EXPECT_LE(result.report.relative_residual, real(1.0));
}

TEST(solve_limits_test, refuses_digits_beyond_the_longest_format)
{
    solve_options options;
    options.digits = 1000000;
    EXPECT_THROW(solve(with_solution_ones(scaled_hilbert(6)), options), unsupported_error);
    options.digits = 1234;  // 4096 bits are 1233
    EXPECT_THROW(solve(with_solution_ones(scaled_hilbert(6)), options), unsupported_error);
}

TEST(solve_limits_test, refuses_what_does_not_fit)
{
    const linear_system system = system_of(poisson_1d(4));
    EXPECT_THROW(solve(system, with(method::cg, 106, preconditioner::ilu0)), unsupported_error);
    EXPECT_THROW(solve(system, with(method::direct, 106, preconditioner::jacobi)), unsupported_error);
    EXPECT_THROW(solve(system, with(method::cg, 5000)), unsupported_error);
    EXPECT_THROW(solve(system_of(from_rows({{1, 2, 3}, {4, 5, 6}})), with(method::cg, 106)), dimension_error);
    solve_options wrong_guess;
    wrong_guess.initial_guess = ones(3);
    EXPECT_THROW(solve(system, wrong_guess), dimension_error);
}

TEST(solve_limits_test, refuses_a_system_too_large_for_memory_with_the_bytes_it_needs)
{
    if (!address_space_can_be_limited) {
        GTEST_SKIP() << "the address space cannot be limited";
    }
    const linear_system system = system_of(poisson_2d(300));
    const address_space_limit limit(500L << 20);  // the factors take three times as much
    try {
        solve(system, with(method::direct, 4096));
        FAIL() << "not refused";
    } catch (const resource_error& e) {
        EXPECT_NE(std::string(e.what()).find("bytes"), std::string::npos) << e.what();
    }
}
