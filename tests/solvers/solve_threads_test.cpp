// Threads of a solve: its bits do not know them, and neither does the caller.
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/io/team.hpp>
#include <residua/solvers/solve.hpp>

#include "tests/support/systems.hpp"

// OpenBLAS's own; absent in other libraries
extern "C" int openblas_get_num_threads() __attribute__((weak));
extern "C" void openblas_set_num_threads(int threads) __attribute__((weak));

using namespace residua;
using namespace residua::support;

namespace {

solve_options with(method m, long bits)
{
    solve_options options;
    options.method = m;
    options.precision_bits = bits;
    return options;
}

std::vector<std::pair<linear_system, solve_options>> cases()
{
    std::vector<std::pair<linear_system, solve_options>> all;
    all.emplace_back(with_solution_ones(poisson_2d(60)), with(method::cg, 212));
    all.emplace_back(with_solution_ones(poisson_2d(60)), with(method::refine, 424));
    all.emplace_back(with_solution_ones(poisson_2d(25)), with(method::direct, 212));
    return all;
}

}  // namespace

TEST(solve_threads_test, have_the_same_bits_in_any_number)
{
    for (auto& [system, options] : cases()) {
        options.threads = 1;
        const std::vector<real> one = solve(system, options).x;
        for (const int threads : {0, 2, 5}) {
            options.threads = threads;
            EXPECT_EQ(solve(system, options).x, one) << threads << " threads, " << to_string(options.method);
        }
    }
}

TEST(solve_threads_test, have_the_same_bits_inside_a_parallel_region_and_in_several_threads)
{
    for (const auto& problem : cases()) {
        const auto& system = problem.first;  // a lambda of a parallel region cannot take structured bindings
        const auto& options = problem.second;
        const std::vector<real> alone = solve(system, options).x;
        std::atomic<int> different = 0;
        const auto work = [&] { different += solve(system, options).x == alone ? 0 : 1; };
#pragma omp parallel num_threads(3)
        work();
        std::vector<std::thread> callers;
        for (int k = 0; k < 4; ++k) {
            callers.emplace_back(work);
        }
        for (std::thread& each : callers) {
            each.join();
        }
        EXPECT_EQ(different, 0) << to_string(options.method);
    }
}

TEST(solve_threads_test, leave_the_callers_as_they_are)
{
    const int before = omp_get_max_threads();
    const bool is_openblas = openblas_get_num_threads != nullptr && openblas_set_num_threads != nullptr;
    if (is_openblas) {
        openblas_set_num_threads(2);
    }
    const int of_blas = is_openblas ? openblas_get_num_threads() : 0;
    omp_set_num_threads(3);
    const int available = io::available_threads();
    for (auto& [system, options] : cases()) {
        options.threads = 2;
        solve(system, options);
        EXPECT_EQ(omp_get_max_threads(), 3);
        EXPECT_EQ(io::available_threads(), available);
        if (is_openblas) {
            EXPECT_EQ(openblas_get_num_threads(), of_blas);
        }
    }
    omp_set_num_threads(before);
}

TEST(solve_threads_test, cannot_be_negative)
{
    solve_options options;
    options.threads = -1;
    EXPECT_THROW(solve(with_solution_ones(poisson_1d(3)), options), unsupported_error);
}
