#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/solvers/solver.hpp>

#include "tests/solvers/processes/shared_solves.hpp"
#include "tests/support/nonsymmetric.hpp"

// solve() with processes that share its work: the same x and figures on any number of them, and the same end.
namespace residua {

using namespace support;

TEST(solve_on_processes, has_the_bits_and_the_figures_of_one)
{
    // 4900 unknowns are three blocks of rows of multi-digit floats, and ten of others
    const std::vector<shared_case> cases{{method::cg, preconditioner::jacobi, 53, 70, 0},
                                         {method::cg, preconditioner::automatic, 212, 70, 0, {1, 2, 3, 4}},
                                         {method::cg, preconditioner::chebyshev, 424, 50, 12, {2, 4}},
                                         {method::cg, preconditioner::block_jacobi, 106, 70, 40},
                                         {method::cg, preconditioner::none, 636, 50, 0},
                                         {method::minres, preconditioner::jacobi, 106, 50, 40},
                                         {method::gmres, preconditioner::block_jacobi, 159, 50, 60},
                                         {method::bicgstab, preconditioner::none, 212, 50, 40},
                                         {method::bicgstabl, preconditioner::jacobi, 106, 50, 40},
                                         {method::idr, preconditioner::none, 106, 50, 40},
                                         {method::tfqmr, preconditioner::jacobi, 424, 50, 10},
                                         {method::cocg, preconditioner::block_jacobi, 212, 50, 40},
                                         {method::cocr, preconditioner::jacobi, 212, 50, 40, {1, 2, 3, 4, 7}}};
    for (const shared_case& each : cases) {
        expect_bits_of_one(each,
                           system_of(traits_of(each.m).symmetric ? poisson_2d(each.side) : convection(each.side)));
    }
}

TEST(solve_on_processes, takes_systems_that_are_smaller_than_processes_are_many)
{
    for (const index_t side : {1, 2, 3}) {
        for (const long bits : {106, 424}) {
            const linear_system a = system_of(poisson_2d(side));
            const solve_options options = options_of(method::cg, preconditioner::jacobi, bits);
            expect_equal(solve_on(3, a, options), solve(a, options));
        }
    }
}

TEST(solve_on_processes, leaves_products_with_a_full_matrix_of_doubles_to_process_0)
{
    const linear_system a = system_of(full_matrix(40));
    for (const long bits : {106, 424}) {
        const solve_options options = options_of(method::gmres, preconditioner::none, bits);
        const solve_result found = solve_on(3, a, options);
        expect_equal(found, solve(a, options));
        EXPECT_EQ(found.report.processes, bits == 106 ? 1 : 3);
    }
}

TEST(solve_on_processes, takes_decimals_scaled_rows_a_guess_and_several_right_hand_sides)
{
    io::coo<double> of = poisson_2d(50);
    io::coo<real> a;
    a.rows = a.cols = of.rows;
    a.row = of.row;
    a.col = of.col;
    for (std::size_t k = 0; k < of.value.size(); ++k) {
        const long scale = of.row[k] % 2 == 0 ? 700 : 0;  // beyond what residua takes unscaled
        a.value.push_back(ldexp(real(of.value[k], 300) + real("1e-40", 300), scale));
    }
    const auto system = std::make_shared<const linear_system>(make_system(a, ones(a.rows)));
    solve_options options = options_of(method::bicgstab, preconditioner::jacobi, 212, 30);
    options.initial_guess = std::vector<real>(static_cast<std::size_t>(2 * a.rows), real(0.5));
    const std::vector<std::vector<real>> b{ones(a.rows),
                                           std::vector<real>(static_cast<std::size_t>(a.rows), real(3.0))};
    const std::vector<solve_result> expected = solver(system, options).solve(b);
    run_with(3, [&](processes& all) {
        options.processes = &all;
        const std::vector<solve_result> found = solver(system, options).solve(b);
        for (std::size_t j = 0; j < b.size(); ++j) {
            expect_equal(found[j], expected[j]);
        }
        return code;
    });
}

TEST(solve_on_processes, estimates_the_error_and_reaches_digits_as_one_does)
{
    const linear_system a = with_solution_ones(poisson_2d(50));
    solve_options options;
    options.method = method::cg;
    options.preconditioner = preconditioner::jacobi;
    options.digits = 40;
    const solve_result expected = solve(a, options);
    const solve_result found = solve_on(2, a, options);
    expect_equal(found, expected);
    EXPECT_GE(found.report.digits, 40);
    EXPECT_EQ(to_string(found.report.condition.value(), 20), to_string(expected.report.condition.value(), 20));
}

TEST(solve_on_processes, refuses_by_name_what_is_not_shared)
{
    const linear_system a = system_of(poisson_2d(3));
    const auto why = [&](const std::function<void(solve_options&)>& change) {
        solve_options options = options_of(method::cg, preconditioner::jacobi, 106);
        change(options);
        std::string words;
        run_with(2, [&](processes& all) {
            options.processes = &all;
            try {
                solve(a, options);
            } catch (const error& e) {
                words = e.what();
            }
            return code;
        });
        return words;
    };
    EXPECT_EQ(why([](solve_options& o) { o.method = method::automatic, o.preconditioner = preconditioner::automatic; }),
              "2 processes do not share the method auto: they take cg, minres, gmres, bicgstab, bicgstabl, idr, tfqmr, "
              "cocg or cocr; "
              "one process takes all");
    EXPECT_EQ(why([](solve_options& o) { o.preconditioner = preconditioner::ic0; }),
              "2 processes do not share the preconditioner ic0: they take none, jacobi, block-jacobi or chebyshev; one "
              "process takes all");
    EXPECT_EQ(why([](solve_options& o) {
                  o.method = method::idr;
                  o.preconditioner = preconditioner::automatic;
              }).find("2 processes do not share the preconditioner ilu0"),
              0U);
    EXPECT_EQ(
        why([](solve_options& o) { o.format = number_format::rns; }).find("2 processes do not share the format rns"),
        0U);
    if (cuda_devices().empty()) {
        EXPECT_EQ(why([](solve_options& o) { o.executor = executor::cuda; }),
                  "no CUDA device can be used: " + why_no_cuda_device());
    }
    EXPECT_EQ(why([](solve_options&) {}), "");
}

TEST(solve_on_processes, ends_on_all_when_one_of_them_has_to_end)
{
    const linear_system a = system_of(poisson_2d(70));
    solve_options options = options_of(method::cg, preconditioner::none, 212);

    options.time_limit_seconds = 1e-3;
    EXPECT_EQ(solve_on(3, a, options).report.status, solve_status::time_limit);

    options.time_limit_seconds = 0.0;
    solve_result result;
    int asked = 0;
    run_with(
        3,
        [&](processes& all) {
            options.processes = &all;
            result = solve(a, options);
            return code;
        },
        [&](index_t rank) { return rank == 2 && ++asked > 20; });
    EXPECT_EQ(result.report.status, solve_status::interrupted);
    EXPECT_GE(result.report.iterations, 20);
    EXPECT_LT(result.report.iterations, 25);
}

TEST(solve_on_processes, throws_what_a_function_of_the_caller_throws_and_goes_on_after_it)
{
    const linear_system a = system_of(poisson_2d(70));
    const solve_options given = options_of(method::cg, preconditioner::none, 212);
    const solve_result expected = solve(a, given);
    run_with(3, [&](processes& all) {
        solve_options options = given;
        options.processes = &all;
        options.on_history = [](const history_entry& at) {
            if (at.iteration == 5) {
                throw std::runtime_error("enough");
            }
        };
        EXPECT_THROW((void)solve(a, options), std::runtime_error);
        options.on_history = {};
        expect_equal(solve(a, options), expected);
        return code;
    });
    const auto fails = [](thread_process& all) {
        EXPECT_EQ(lead_or_serve(all, []() -> int { throw std::runtime_error("at the end"); }), 1);
    };
    EXPECT_THROW(run_processes(2, fails), std::runtime_error);
}

TEST(solve_on_processes, ends_on_all_by_a_fault_of_one)
{
    const linear_system a = system_of(poisson_2d(70));
    solve_options options = options_of(method::cg, preconditioner::none, 212);
    int asked = 0;
    const auto fault = [&](index_t rank) {
        if (rank == 1 && ++asked > 10) {
            throw std::runtime_error("a fault on purpose");
        }
        return false;
    };
    try {
        run_with(
            3,
            [&](processes& all) {
                options.processes = &all;
                (void)solve(a, options);
                return code;
            },
            fault);
        FAIL() << "the fault was lost";
    } catch (const std::exception& e) {
        EXPECT_STREQ(e.what(), "a fault on purpose");
    }
}

TEST(solve_on_processes, goes_on_from_a_checkpoint_on_another_number_of_them)
{
    const linear_system a = system_of(poisson_2d(50));
    for (const shared_case& each : {shared_case{method::cg, preconditioner::jacobi, 212, 50, 0},
                                    shared_case{method::gmres, preconditioner::none, 424, 50, 20},
                                    shared_case{method::idr, preconditioner::none, 106, 50, 40}}) {
        expect_to_go_on(each, a);
    }
}

TEST(solve_on_processes, refuses_a_damaged_state_and_goes_on)
{
    struct killed {};
    const linear_system a = system_of(poisson_2d(70));
    solve_options options = options_of(method::cg, preconditioner::none, 212);
    const solve_result expected = solve(a, options);
    run_with(3, [&](processes& all) {
        options.processes = &all;
        solve_options kept = options;
        kept.checkpoint = unique_path();
        kept.checkpoint_seconds = 0.0;
        kept.on_history = [](const history_entry& at) {
            if (at.iteration > 20) {
                throw killed{};
            }
        };
        EXPECT_THROW((void)solve(a, kept), killed);
        std::fstream file(kept.checkpoint, std::ios::in | std::ios::out | std::ios::binary);
        const std::vector<char> other(4900 * 8, 'x');  // some of a vector
        file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(kept.checkpoint) / 2));
        file.write(other.data(), static_cast<std::streamsize>(other.size()));
        file.close();
        kept.resume = true;
        kept.on_history = {};
        EXPECT_THROW((void)solve(a, kept), input_error);
        std::filesystem::remove(kept.checkpoint);
        expect_equal(solve(a, options), expected);
        return code;
    });
}

}  // namespace residua
