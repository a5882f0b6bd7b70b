// solve() with processes that compute on one device: the x and the figures of one process on the host.
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/base/cuda_executor.hpp>

#include "tests/solvers/processes/shared_solves.hpp"
#include "tests/support/complex_sparse.hpp"
#include "tests/support/nonsymmetric.hpp"
#include "tests/support/on_cuda.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using solve_on_devices = on_cuda<double>;

}  // namespace

TEST_F(solve_on_devices, has_the_bits_and_the_figures_of_one_process_on_the_host)
{
    // so few iterations that the plan does not prefer the host
    const std::vector<shared_case> cases{{method::cg, preconditioner::jacobi, 53, 90, 200, {2, 7}},
                                         {method::cg, preconditioner::jacobi, 106, 90, 200, {1, 2, 3, 4, 7}},
                                         {method::cg, preconditioner::automatic, 212, 90, 200, {1, 2, 3, 4, 7}},
                                         {method::cg, preconditioner::none, 424, 90, 60, {1, 2, 3, 4, 7}},
                                         {method::cg, preconditioner::jacobi, 848, 90, 40, {1, 2, 3, 4, 7}},
                                         {method::cg, preconditioner::chebyshev, 424, 90, 12, {3}},
                                         {method::cg, preconditioner::block_jacobi, 106, 90, 40, {2, 3}},
                                         {method::minres, preconditioner::jacobi, 106, 90, 40, {3}},
                                         {method::minres, preconditioner::none, 424, 90, 20, {3}},
                                         {method::gmres, preconditioner::block_jacobi, 159, 90, 60, {3}},
                                         {method::gmres, preconditioner::jacobi, 424, 90, 20, {2}},
                                         {method::bicgstab, preconditioner::none, 212, 90, 40, {3}},
                                         {method::bicgstab, preconditioner::block_jacobi, 848, 90, 10, {2}},
                                         {method::bicgstabl, preconditioner::jacobi, 106, 90, 40, {3}},
                                         {method::idr, preconditioner::none, 106, 90, 40, {3}},
                                         {method::idr, preconditioner::jacobi, 424, 90, 20, {3}},
                                         {method::tfqmr, preconditioner::jacobi, 424, 90, 10, {3}},
                                         {method::tfqmr, preconditioner::none, 212, 90, 40, {3}}};
    for (const shared_case& each : cases) {
        const linear_system a = system_of(traits_of(each.m).symmetric ? poisson_2d(each.side) : convection(each.side));
        solve_options options = options_of(each.m, each.p, each.bits, each.iterations);
        options.executor = executor::host;
        const solve_result expected = solve(a, options);
        EXPECT_GT(expected.report.iterations, 5);
        options.executor = executor::cuda;
        for (const index_t count : each.counts) {
            SCOPED_TRACE(std::string(to_string(each.m)) + ", " + std::string(to_string(each.p)) + ", " +
                         std::to_string(each.bits) + " bits, " + std::to_string(count) + " processes");
            const solve_result found = solve_on(count, a, options);
            expect_equal(found, expected);
            EXPECT_EQ(found.report.processes, count);
            EXPECT_EQ(found.report.executor, executor::cuda) << found.report.kept_on_host;
            EXPECT_FALSE(found.report.device.empty());
        }
    }
}

TEST_F(solve_on_devices, has_the_bits_of_one_process_for_complex_systems)
{
    const std::vector<shared_case> cases{{method::gmres, preconditioner::block_jacobi, 159, 70, 30, {3}},
                                         {method::gmres, preconditioner::none, 424, 70, 10, {2}},
                                         {method::bicgstab, preconditioner::jacobi, 53, 70, 20, {3}},
                                         {method::bicgstab, preconditioner::jacobi, 212, 70, 20, {1, 2, 4, 7}},
                                         {method::bicgstabl, preconditioner::none, 106, 70, 20, {3}},
                                         {method::idr, preconditioner::jacobi, 318, 70, 20, {3}},
                                         {method::tfqmr, preconditioner::none, 636, 70, 10, {2}},
                                         {method::cg, preconditioner::jacobi, 106, 70, 20, {2}}};
    for (const shared_case& each : cases) {
        const linear_system a =
            complex_system_of(traits_of(each.m).symmetric ? hermitian_grid(each.side) : absorbing_grid(each.side));
        solve_options options = options_of(each.m, each.p, each.bits, each.iterations);
        options.executor = executor::host;
        const solve_result expected = solve(a, options);
        options.executor = executor::cuda;
        for (const index_t count : each.counts) {
            SCOPED_TRACE(std::string(to_string(each.m)) + ", " + std::to_string(each.bits) + " bits, " +
                         std::to_string(count) + " processes");
            const solve_result found = solve_on(count, a, options);
            expect_equal(found, expected);
            EXPECT_EQ(found.report.processes, count);
            EXPECT_EQ(found.report.executor, executor::cuda) << found.report.kept_on_host;
        }
    }
}

TEST_F(solve_on_devices, takes_systems_that_are_smaller_than_processes_are_many)
{
    for (const index_t side : {1, 2, 3}) {
        for (const long bits : {106, 424}) {
            const linear_system a = system_of(poisson_2d(side));
            solve_options options = options_of(method::cg, preconditioner::jacobi, bits);
            const solve_result expected = solve(a, options);
            options.executor = executor::cuda;
            expect_equal(solve_on(3, a, options), expected);
        }
    }
}

TEST_F(solve_on_devices, leaves_products_with_a_full_matrix_of_doubles_to_process_0)
{
    const linear_system a = system_of(full_matrix(40));
    solve_options options = options_of(method::gmres, preconditioner::none, 106);
    const solve_result expected = solve(a, options);
    options.executor = executor::cuda;
    const solve_result found = solve_on(3, a, options);
    expect_equal(found, expected);
    EXPECT_EQ(found.report.processes, 1);
}

TEST_F(solve_on_devices, takes_decimals_and_corrections_to_digits)
{
    linear_system a = with_solution_ones(poisson_2d(70));
    solve_options options;
    options.method = method::cg;
    options.preconditioner = preconditioner::jacobi;
    options.digits = 40;
    options.executor = executor::host;
    const solve_result expected = solve(a, options);
    options.executor = executor::cuda;
    expect_equal(solve_on(2, a, options), expected);

    io::coo<double> of = poisson_2d(70);
    io::coo<real> decimals;
    decimals.rows = decimals.cols = of.rows;
    decimals.row = of.row;
    decimals.col = of.col;
    for (const double value : of.value) {
        decimals.value.push_back(real(value, 300) + real("1e-40", 300));
    }
    const linear_system with_decimals = make_system(decimals, ones(of.rows));
    for (const long bits : {212, 424}) {
        options = options_of(method::bicgstab, preconditioner::jacobi, bits, 20);
        options.executor = executor::host;
        const solve_result by_one = solve(with_decimals, options);
        options.executor = executor::cuda;
        expect_equal(solve_on(3, with_decimals, options), by_one);
    }
}

TEST_F(solve_on_devices, does_not_take_a_device_that_nobody_asked_for)
{
    const linear_system a = system_of(poisson_2d(70));
    const solve_result found = solve_on(2, a, options_of(method::cg, preconditioner::jacobi, 106, 10));
    EXPECT_EQ(found.report.executor, executor::host);
    EXPECT_EQ(found.report.processes, 2);
}

TEST_F(solve_on_devices, refuses_what_is_not_shared)
{
    const linear_system a = system_of(poisson_2d(3));
    const auto refused = [&](method m, preconditioner p, number_format format) {
        solve_options options = options_of(m, p, 106);
        options.format = format;
        options.executor = executor::cuda;
        run_with(2, [&](processes& all) {
            options.processes = &all;
            EXPECT_THROW((void)solve(a, options), unsupported_error);
            return code;
        });
    };
    refused(method::direct, preconditioner::automatic, number_format::automatic);
    refused(method::refine, preconditioner::automatic, number_format::automatic);
    refused(method::cg, preconditioner::ic0, number_format::automatic);
    refused(method::cg, preconditioner::jacobi, number_format::rns);
}

TEST_F(solve_on_devices, goes_on_from_a_checkpoint_of_a_device_on_the_host_and_the_other_way_round)
{
    const linear_system a = system_of(poisson_2d(70));
    for (const long bits : {106, 424}) {
        expect_to_go_on({method::cg, preconditioner::jacobi, bits, 70, 40}, a, {executor::cuda, executor::host});
    }
}

TEST_F(solve_on_devices, ends_on_all_by_a_time_limit_and_by_a_fault_of_one)
{
    const linear_system a = system_of(poisson_2d(90));
    solve_options options = options_of(method::cg, preconditioner::none, 212);
    options.executor = executor::cuda;
    options.time_limit_seconds = 1e-3;
    EXPECT_EQ(solve_on(3, a, options).report.status, solve_status::time_limit);

    options.time_limit_seconds = 0.0;
    int asked = 0;
    const auto fault = [&](index_t rank) {
        if (rank == 1 && ++asked > 10) {
            throw std::runtime_error("a fault on purpose");
        }
        return false;
    };
    const auto lead = [&](processes& all) {
        options.processes = &all;
        (void)solve(a, options);
        return code;
    };
    try {
        run_with(3, lead, fault);
        FAIL() << "the fault was lost";
    } catch (const std::exception& e) {
        EXPECT_STREQ(e.what(), "a fault on purpose");
    }
}
