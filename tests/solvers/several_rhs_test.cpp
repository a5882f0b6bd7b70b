#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/solvers/files/load.hpp>
#include <residua/solvers/solver.hpp>
#include <residua/solvers/space/true_residual.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/right_sides.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

TEST(several_rhs_test, the_inverse_of_a_small_matrix)
{
    const linear_system system = system_of(from_rows({{2, 1}, {1, 1}}));

    solve_options options;
    options.method = method::refine;
    options.preconditioner = preconditioner::lu;  // without square roots: x is exact

    const std::vector<solve_result> x =
        solver(system, options).solve(right_sides{unit_vector(2, 0), unit_vector(2, 1)});

    ASSERT_EQ(x.size(), 2u);
    EXPECT_EQ(x[0].x, (std::vector<real>{real(1.0), real(-1.0)}));
    EXPECT_EQ(x[1].x, (std::vector<real>{real(-1.0), real(2.0)}));
    EXPECT_EQ(worst_status(x), solve_status::converged);
}

TEST(several_rhs_test, columns_get_what_they_get_alone_by_every_method)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const io::coo<double>& a : {full_matrix(random, 24), poisson_1d(24)}) {
        const linear_system system = system_of(a);
        const right_sides b = mixed_columns(random, system);
        for (const long bits : {53, 106, 212, 300}) {
            for (const method m : {method::refine, method::cg, method::gmres, method::bicgstab, method::bicgstabl,
                                   method::idr, method::direct}) {
                for (const solve_result& each : expect_as_alone(system, b, with(m, bits))) {
                    EXPECT_EQ(each.report.status, solve_status::converged) << to_string(m);
                }
            }
        }
        expect_as_alone(system, b, with(method::automatic, 0));
        solve_options digits = with(method::automatic, 0);
        digits.digits = 70;
        for (const solve_result& each : expect_as_alone(system, b, digits)) {
            EXPECT_TRUE(each.report.digits >= 70 || is_zero(each.report.rhs_norm));
        }
        solve_options expansion = with(method::refine, 424);
        expansion.format = number_format::expansion;
        expect_as_alone(system, b, expansion);
        expansion.format = number_format::rns;
        expect_as_alone(system, b, expansion);
    }
}

TEST(several_rhs_test, sparse_factors_serve_all_columns)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const bool symmetric : {true, false}) {
        io::coo<double> a = poisson_2d(11);
        for (std::size_t k = 0; k < a.value.size(); ++k) {
            a.value[k] *= symmetric || a.row[k] <= a.col[k] ? 1.0 : 1.75;
        }
        const linear_system system = system_of(a);
        right_sides b = mixed_columns(random, system);
        for (index_t i = 0; i < 13; ++i) {
            b.push_back(unit_vector(system.rows, 9 * i));
        }
        for (const long bits : {53, 106, 212, 300}) {
            for (const method m : {method::refine, method::direct}) {
                for (const solve_result& each : expect_as_alone(system, b, with(m, bits))) {
                    EXPECT_EQ(each.report.status, solve_status::converged) << to_string(m);
                }
            }
        }
        solve_options long_factors = with(method::refine, 318);
        for (const long factor_bits : {106, 128}) {
            long_factors.factor_bits = factor_bits;
            expect_as_alone(system, b, long_factors);
        }
    }
}

TEST(several_rhs_test, each_column_escalates_for_itself)
{
    // the condition of the second block takes more than binary64 has, which only columns that reach into it see
    const io::coo<double> a = block_diagonal(from_rows({{2, 1}, {1, 3}}), hilbert(12));
    const linear_system system = system_of(a);
    right_sides b{unit_vector(14, 0), unit_vector(14, 5), unit_vector(14, 1), row_sums(system)};
    for (const int digits : {0, 10, 40}) {
        solve_options options;
        options.digits = digits;
        for (const solve_result& each : expect_as_alone(system, b, options)) {
            EXPECT_EQ(each.report.status, solve_status::converged);
        }
    }
}

TEST(several_rhs_test, a_column_that_stagnates_leaves_the_others_alone)
{
    const io::coo<double> a = block_diagonal(from_rows({{2, 1}, {1, 3}}), hilbert(16));
    const linear_system system = system_of(a);
    right_sides b;
    for (const index_t i : {0, 1, 9, 0, 1, 12}) {
        b.push_back(unit_vector(18, i));
    }

    solve_options options = with(method::refine, 212);
    options.factor_bits = 53;
    const std::vector<solve_result> x = expect_as_alone(system, b, options);

    for (const std::size_t j : {0, 1, 3, 4}) {
        EXPECT_EQ(x[j].report.status, solve_status::converged);
    }
    for (const std::size_t j : {2, 5}) {
        EXPECT_EQ(x[j].report.status, solve_status::stagnated);
    }
    EXPECT_EQ(worst_status(x), solve_status::stagnated);
}

TEST(several_rhs_test, singular_systems_break_down_in_every_column)
{
    for (const auto& rows : {std::vector<std::vector<double>>{{1, 2}, {2, 4}}, {{1, 2}, {0, 0}}}) {
        for (const method m : {method::automatic, method::refine, method::direct}) {
            const std::vector<solve_result> x =
                expect_as_alone(system_of(from_rows(rows)), {ones(2), unit_vector(2, 1)}, with(m, 106));
            EXPECT_EQ(worst_status(x), solve_status::breakdown);
        }
    }
}

TEST(several_rhs_test, more_columns_than_are_corrected_at_a_time)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    constexpr index_t n = 70;
    const linear_system system = system_of(full_matrix(random, n));
    right_sides b;
    for (index_t i = 0; i < n; ++i) {
        b.push_back(unit_vector(n, i));
    }

    const std::vector<solve_result> x = expect_as_alone(system, b, with(method::refine, 159));

    for (index_t j = 0; j < n; ++j) {  // A times its inverse
        for (index_t i = 0; i < n; ++i) {
            real sum(0.0, 400);
            for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
                sum += x[j].x[system.column[k]] * real(system.values[k], 400);
            }
            EXPECT_LT(abs(sum - real(i == j ? 1.0 : 0.0)), real(1e-40));
        }
    }
}

TEST(several_rhs_test, threads_change_no_bit)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const linear_system system = system_of(full_matrix(random, 200));
    const right_sides b = mixed_columns(random, system);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const std::vector<solve_result> one = solver(system, with(method::refine, 212)).solve(b);
    omp_set_num_threads(3);
    const std::vector<solve_result> three = solver(system, with(method::refine, 212)).solve(b);
    omp_set_num_threads(threads);
    for (std::size_t j = 0; j < b.size(); ++j) {
        expect_the_same(one[j], three[j], "column " + std::to_string(j + 1));
    }
}

TEST(several_rhs_test, an_initial_guess_has_numbers_for_each_column)
{
    const linear_system system = with_solution_ones(poisson_1d(5));
    std::vector<real> twice = system.b;
    for (real& b : twice) {
        b = b * real(2.0);
    }
    solve_options options = with(method::cg, 106);
    options.initial_guess = ones(10);

    const std::vector<solve_result> x = solver(system, options).solve(right_sides{system.b, twice});

    EXPECT_EQ(x[0].report.iterations, 0);
    EXPECT_EQ(x[0].x, ones(5));
    EXPECT_GT(x[1].report.iterations, 0);
    EXPECT_EQ(x[1].report.status, solve_status::converged);
    options.initial_guess = ones(5);
    EXPECT_THROW(solver(system, options).solve(right_sides{system.b, twice}), dimension_error);
}

TEST(several_rhs_test, histories_tell_their_column)
{
    const linear_system system = system_of(poisson_1d(9));
    solve_options options = with(method::refine, 106);
    std::vector<index_t> calls(3, 0);
    options.on_history = [&](const history_entry& entry) { ++calls.at(static_cast<std::size_t>(entry.column)); };

    const std::vector<solve_result> x =
        solver(system, options).solve(right_sides{ones(9), unit_vector(9, 3), unit_vector(9, 4)});

    for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_EQ(calls[j], static_cast<index_t>(x[j].report.history.size()));
        EXPECT_EQ(x[j].report.history.back().column, static_cast<index_t>(j));
    }
}

TEST(several_rhs_test, an_interrupt_ends_all_columns)
{
    solve_options options = with(method::cg, 106);
    options.estimate_condition = false;
    int asked = 0;
    options.interrupted = [&asked] { return ++asked > 40; };
    const linear_system system = system_of(poisson_1d(500));

    const std::vector<solve_result> x =
        solver(system, options).solve(right_sides{ones(500), unit_vector(500, 3), unit_vector(500, 7)});

    for (const solve_result& each : x) {
        EXPECT_EQ(each.report.status, solve_status::interrupted);
        EXPECT_EQ(each.x.size(), 500u);
    }
}

TEST(several_rhs_test, a_column_beside_one_that_was_rounded_has_its_own_figures)
{
    biased_random random(5);
    const linear_system alone = system_of(full_matrix(random, 7));
    linear_system system = alone;
    const long bits = decimal_bits();
    system.rhs_reading_errors = {real(0.0), ldexp(real(1.0), -bits)};
    right_sides b{ones(7), ones(7)};
    for (int i = 0; i < 7; ++i) {
        b[0][i] = real(static_cast<double>(i * i - 11), bits);
        b[1][i] = real("1e-30", bits);
    }
    solve_options options;
    options.digits = 20;
    const std::vector<solve_result> together = solver(system, options).solve(b);
    right_sides integers{ones(7)};
    std::transform(b[0].begin(), b[0].end(), integers[0].begin(), [](const real& x) { return x.with_precision(53); });
    const solve_result one = solver(alone, options).solve(integers[0]);
    EXPECT_EQ(together[0].x, one.x);
    EXPECT_EQ(together[0].report.relative_residual, one.report.relative_residual);
    EXPECT_EQ(together[0].report.backward_error, one.report.backward_error);
    EXPECT_EQ(together[0].report.componentwise_backward_error, one.report.componentwise_backward_error);
    EXPECT_EQ(together[0].report.forward_error, one.report.forward_error);
    EXPECT_EQ(together[0].report.rhs_norm, one.report.rhs_norm);
    EXPECT_GE(together[1].report.digits, 20);
}

TEST(several_rhs_test, bad_columns_are_named)
{
    const linear_system system = system_of(poisson_1d(3));
    right_sides b{ones(3), ones(3)};
    b[1][2] = real(std::numeric_limits<double>::quiet_NaN());
    const auto message = [&](auto kind) -> std::string {
        try {
            solver(system).solve(b);
        } catch (const decltype(kind)& e) {
            return e.what();
        }
        return "nothing thrown";
    };
    EXPECT_EQ(message(unsupported_error("")), "right-hand side 2 has an entry that is not a finite number");
    b[1] = ones(4);
    EXPECT_EQ(message(dimension_error("")), "right-hand side 2 has 4 entries, the matrix 3 rows");
}

TEST(several_rhs_test, none_and_empty_ones_are_solved)
{
    EXPECT_TRUE(solver(system_of(poisson_1d(3))).solve(right_sides{}).empty());
    EXPECT_EQ(worst_status({}), solve_status::converged);
    const std::vector<solve_result> x = solver(system_of(io::coo<double>{})).solve(right_sides(2));
    ASSERT_EQ(x.size(), 2u);
    EXPECT_EQ(worst_status(x), solve_status::converged);
    EXPECT_EQ(worst_status(solver(system_of(poisson_1d(2))).solve(right_sides(2, std::vector<real>(2)))),
              solve_status::converged);
}

TEST(several_rhs_test, the_worst_status_is_that_of_the_whole)
{
    std::vector<solve_result> all(2);
    for (solve_result& each : all) {
        each.report.status = solve_status::converged;
    }
    for (const solve_status status : {solve_status::converged, solve_status::not_converged, solve_status::time_limit,
                                      solve_status::stagnated, solve_status::breakdown, solve_status::interrupted}) {
        solve_result next;
        next.report.status = status;
        all.insert(all.begin() + 1, next);
        EXPECT_EQ(worst_status(all), status);
    }
}

TEST(several_rhs_test, columns_take_memory)
{
    const linear_system system = system_of(poisson_1d(1000));
    const solve_options options = with(method::refine, 106);
    EXPECT_EQ(predicted_bytes(system, options), predicted_bytes(system, options, 1));
    EXPECT_GT(predicted_bytes(system, options, 100), predicted_bytes(system, options) + 100 * 1000 * 100.0);
    // however short they are, by their reports and results
    EXPECT_GT(predicted_bytes(system_of(poisson_1d(1)), options, 1'000'000), 1e6 * 2.0 * sizeof(solve_report));
}
