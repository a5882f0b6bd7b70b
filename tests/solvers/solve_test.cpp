#include <string>

#include <gtest/gtest.h>

#include <residua/solvers/solve.hpp>
#include <residua/solvers/space/true_residual.hpp>

#include "tests/support/address_space.hpp"
#include "tests/support/eigen_reference.hpp"
#include "tests/support/scale.hpp"
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

TEST(solve_test, every_method_solves_what_binary64_cannot)
{
    const linear_system system = with_solution_ones(scaled_hilbert(12));  // condition 2e16
    for (const method m :
         {method::automatic, method::cg, method::minres, method::gmres, method::bicgstab, method::bicgstabl,
          method::idr, method::tfqmr, method::bicg, method::lsqr, method::gmres_ir, method::direct}) {
        const solve_result result = solve(system, with(m, 212));

        EXPECT_EQ(result.report.status, solve_status::converged) << to_string(m);
        EXPECT_GT(agreeing_digits(result.x, ones(12)), 38.0) << to_string(m);
        EXPECT_LE(result.report.relative_residual, result.report.rtol) << to_string(m);
        EXPECT_EQ(result.report.forward_kind, m == method::lsqr ? error_kind::compared : error_kind::estimated);
        EXPECT_LE(result.report.digits, agreeing_digits(result.x, ones(12)) + 0.5) << to_string(m);
    }
}

TEST(solve_test, refinement_by_binary64_factors_stops_where_the_theory_says)
{
    EXPECT_EQ(solve(with_solution_ones(scaled_hilbert(9)), with(method::refine, 212)).report.status,
              solve_status::converged);

    solve_options options = with(method::refine, 212);
    options.factor_bits = 53;
    const solve_result beyond = solve(with_solution_ones(scaled_hilbert(16)), options);

    EXPECT_NE(beyond.report.status, solve_status::converged);
    EXPECT_FALSE(beyond.report.message.empty());
}

TEST(solve_test, reaches_the_tolerance_although_x_needs_more_bits_than_the_method_has)
{
    solve_options options = with(method::cg, 53);
    options.rtol = real(1e-25);

    linear_system system = system_of(poisson_1d(50));
    for (real& b : system.b) {
        b = real(1.0, 300) / real(3.0);  // so that x is no binary64 vector
    }

    const solve_result result = solve(system, options);

    EXPECT_EQ(result.report.status, solve_status::converged);
    EXPECT_GT(result.report.corrections, 1);
    EXPECT_EQ(result.report.solution_bits, 106);
    EXPECT_GT(agreeing_digits(result.x, eigen_reference(system, 300)), 21.0);
}

TEST(solve_test, raises_the_precision_until_the_wanted_digits_are_there)
{
    for (const int digits : {10, 30, 60, 100, 150}) {
        solve_options options;
        options.digits = digits;

        const solve_result result = solve(with_solution_ones(scaled_hilbert(14)), options);

        EXPECT_EQ(result.report.status, solve_status::converged) << digits;
        EXPECT_GE(result.report.digits, digits);
        EXPECT_GE(agreeing_digits(result.x, ones(14)), digits);
    }
}

TEST(solve_test, advice_is_not_what_was_tried)
{
    // binary64 factors of a matrix with condition 1e23 refine nothing
    solve_options options = with(method::refine, 424);
    options.factor_bits = 53;
    const solve_result result = solve(system_of(scaled_hilbert(16)), options);

    EXPECT_EQ(result.report.status, solve_status::stagnated);
    EXPECT_EQ(result.report.verdict.limit, limit::factors);
    EXPECT_EQ(result.report.verdict.bits, 53);
    EXPECT_EQ(result.report.verdict.tries, (std::vector<suggestion>{{remedy::factors, 106}, {remedy::direct}}));
    EXPECT_NE(result.report.message.find("try factor_bits = 106 or method::direct"), std::string::npos)
        << result.report.message;
}

TEST(solve_test, estimates_errors_beyond_the_range_of_a_double)
{
    // diag(1, 1e-250) [[2, 1], [1, 2]] diag(1, 1e-250)
    io::coo<real> a{2, 2, {0, 0, 1, 1}, {0, 1, 0, 1}, {}};
    a.value = {real(2.0), real("1e-250", 106), real("1e-250", 106), real("2e-500", 106)};
    linear_system system = make_system(a, {real(0.0), real(0.0)});
    system.b = row_sums(system);
    solve_options options = with(method::automatic, 106);

    const solve_result loose = solve(system, options);  // the residual cannot see x_2
    options.digits = 20;
    const solve_result tight = solve(system, options);

    EXPECT_EQ(loose.report.forward_kind, error_kind::estimated);
    EXPECT_EQ(loose.report.digits, 0);
    EXPECT_GT(*loose.report.condition, real("1e490", 64));
    EXPECT_EQ(tight.report.status, solve_status::converged);
    EXPECT_GE(tight.report.digits, 20);
    EXPECT_GT(agreeing_digits(tight.x, ones(2)), 20.0);
}

TEST(solve_test, a_fixed_precision_that_is_too_low_is_named_as_the_limit)
{
    // b = ones: x is huge, so that a small residual needs a correct x
    const solve_result result = solve(system_of(scaled_hilbert(18)), with(method::direct, 53));

    EXPECT_NE(result.report.status, solve_status::converged);
    EXPECT_EQ(result.report.verdict.limit, limit::precision);
    EXPECT_NE(result.report.message.find("precision_bits = 159"), std::string::npos) << result.report.message;
}

TEST(solve_test, singular_systems_break_down)
{
    for (const method m : {method::automatic, method::refine, method::gmres_ir, method::direct}) {
        EXPECT_EQ(solve(system_of(from_rows({{1, 2}, {2, 4}})), with(m, 106)).report.status, solve_status::breakdown)
            << to_string(m);
    }
    EXPECT_EQ(solve(system_of(from_rows({{1, 2}, {0, 0}})), with(method::automatic, 106)).report.status,
              solve_status::breakdown);
}

TEST(solve_test, cg_breaks_down_on_an_indefinite_matrix)
{
    linear_system system = system_of(from_rows({{1, 2}, {2, 1}}));
    system.b = {real(1.0), real(-2.0)};

    EXPECT_EQ(solve(system, with(method::cg, 106, preconditioner::none)).report.status, solve_status::breakdown);
}

TEST(solve_test, more_bits_are_not_tried_against_an_indefinite_matrix)
{
    const solve_result result =
        solve(system_of(from_rows({{1, 2}, {2, 1}})), with(method::cg, 0, preconditioner::none));
    const solve_result incomplete =
        solve(system_of(from_rows({{1, 2}, {2, 1}})), with(method::cg, 0, preconditioner::ic0));

    EXPECT_EQ(result.report.status, solve_status::converged);  // b = ones is an eigenvector
    EXPECT_EQ(incomplete.report.status, solve_status::breakdown);
    EXPECT_TRUE(incomplete.report.escalations.empty());
}

TEST(solve_test, a_zero_right_hand_side_has_the_zero_solution)
{
    linear_system system = system_of(poisson_1d(3));
    system.b.assign(3, real(0.0));

    const solve_result result = solve(system);

    EXPECT_EQ(result.report.status, solve_status::converged);
    EXPECT_TRUE(is_zero(norm_inf(result.x)));
}

TEST(solve_test, an_exact_initial_guess_is_returned_at_once)
{
    solve_options options = with(method::cg, 106);
    options.initial_guess = ones(10);

    const solve_result result = solve(with_solution_ones(poisson_1d(10)), options);

    EXPECT_EQ(result.report.status, solve_status::converged);
    EXPECT_EQ(result.report.iterations, 0);
    EXPECT_EQ(result.x, ones(10));
}

TEST(solve_test, solves_one_by_one_and_empty_systems)
{
    const solve_result one = solve(system_of(from_rows({{3}})), with(method::automatic, 212));
    EXPECT_EQ(one.report.status, solve_status::converged);
    EXPECT_GT(agreeing_digits(one.x, {real(1.0, 300) / real(3.0)}), 60.0);

    EXPECT_EQ(solve(system_of(io::coo<double>{})).report.status, solve_status::converged);
}

TEST(solve_test, serves_numbers_outside_the_range_of_binary64)
{
    io::coo<real> a;
    a.rows = a.cols = 2;
    a.row = {0, 0, 1, 1};
    a.col = {0, 1, 0, 1};
    a.value = {real("3e-400", 500), real("1e-400", 500), real("1e+400", 500), real("2e+400", 500)};
    linear_system system = make_system(a, ones(2));
    system.b = row_sums(system);
    for (const method m : {method::automatic, method::gmres, method::direct, method::refine}) {
        const solve_result result = solve(system, with(m, 212));

        EXPECT_EQ(result.report.status, solve_status::converged) << to_string(m);
        EXPECT_GT(agreeing_digits(result.x, ones(2)), 55.0) << to_string(m);
    }
}

TEST(solve_test, reaches_residuals_of_1e_minus_400)
{
    linear_system system = system_of(poisson_1d(20));
    for (real& b : system.b) {
        b = real("1e-350", 400);
    }
    const std::vector<real> exact = eigen_reference(system, 500);
    for (const method m :
         {method::cg, method::minres, method::gmres, method::bicgstab, method::bicgstabl, method::idr, method::tfqmr,
          method::bicg, method::lsqr, method::refine, method::gmres_ir, method::direct}) {
        solve_options options = with(m, 424);
        options.rtol = real(0.0);
        options.atol = real("1e-400", 64);

        const solve_result result = solve(system, options);

        EXPECT_EQ(result.report.status, solve_status::converged) << to_string(m);
        EXPECT_GT(agreeing_digits(result.x, exact), 48.0) << to_string(m);
    }
}

TEST(solve_test, reports_every_iteration_in_the_history)
{
    solve_options options = with(method::cg, 106, preconditioner::none);
    index_t calls = 0;
    options.on_history = [&calls](const history_entry&) { ++calls; };

    const solve_result result = solve(with_solution_ones(poisson_1d(60)), options);

    EXPECT_EQ(calls, static_cast<index_t>(result.report.history.size()));
    EXPECT_EQ(result.report.history.front().iteration, 0);
    EXPECT_TRUE(result.report.history.front().exact.has_value());
    EXPECT_TRUE(result.report.history.back().exact.has_value());
    EXPECT_EQ(result.report.history.back().iteration, result.report.iterations);
}

TEST(solve_test, tells_the_condition_that_cg_or_minres_saw_where_there_are_no_factors)
{
    if (!address_space_can_be_limited) {
        GTEST_SKIP() << "the address space cannot be limited";
    }
    solve(system_of(poisson_2d(150)), with(method::cg, 53, preconditioner::none));  // threads have their memory then
    const index_t side = 40;
    io::coo<double> a{side * side * side, side * side * side, {}, {}, {}};  // in space, eigenvalues from 4 to 16
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t j = 0; j < a.rows; j = j == 0 && i > side * side ? i - side * side : j + 1) {
            const index_t x = i % side - j % side, y = i / side % side - j / side % side,
                          z = i / (side * side) - j / (side * side);
            if (x * x + y * y + z * z <= 1) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(i == j ? 10.0 : -1.0);
            }
            if (j > i + side * side) {
                break;
            }
        }
    }
    for (const method m : {method::cg, method::minres}) {
        const address_space_limit limit(200L << 20);  // too little for factors: they may take half
        const solve_result result = solve(system_of(a), with(m, 53, preconditioner::none));

        EXPECT_EQ(result.report.status, solve_status::converged);
        EXPECT_EQ(result.report.condition_source, condition_source::method);
        ASSERT_TRUE(result.report.condition && result.report.spectrum);
        EXPECT_TRUE(result.report.spectrum_of_a);
        EXPECT_LE(*result.report.condition, real(5.01));
        EXPECT_GE(*result.report.condition, real(2.0));
        EXPECT_EQ(result.report.forward_kind, error_kind::unknown);
    }
}

TEST(solve_test, measures_its_parts_where_that_is_asked_for)
{
    const linear_system system = with_solution_ones(poisson_1d(300));
    for (const method m : {method::cg, method::minres, method::gmres, method::bicgstab, method::refine,
                           method::gmres_ir, method::direct}) {
        solve_options options = with(m, 106);
        const solve_report without = solve(system, options).report;
        options.profile = profiling::host;
        const solve_result result = solve(system, options);

        EXPECT_FALSE(without.parts || without.used_bytes);
        EXPECT_GT(without.predicted_bytes, 0.0);
        ASSERT_TRUE(result.report.parts.has_value());
        const part_seconds& p = *result.report.parts;
        EXPECT_EQ(p.products > 0.0, m != method::direct) << to_string(m);
        EXPECT_GT(p.preconditioner, 0.0) << to_string(m);
        for (const double seconds : {p.methods, p.transfers, p.true_residuals, p.estimates}) {
            EXPECT_GT(seconds, 0.0) << to_string(m);
        }
        EXPECT_EQ(result.x, solve(system, with(m, 106)).x) << "a clock changes no bit";
    }
}

TEST(solve_test, solves_the_public_matrices_to_30_digits)
{
    const auto dir = matrix_dir();
    if (!dir) {
        GTEST_SKIP() << "RESIDUA_MATRIX_DIR is not set";
    }
    for (const std::string name : {"bcsstk01", "nos1", "west0479", "lns_131", "plskz362", "fs_183_1"}) {
        const std::string stem = (*dir / "public" / name).string();
        const std::string ref = (*dir / "public/ref" / name).string();
        const linear_system system = make_system(read_binary64(stem + ".mtx"), read_decimal(ref + "_b.mtx", 200).value);

        const solve_result result = solve(system, with(method::automatic, 212));

        EXPECT_EQ(result.report.status, solve_status::converged) << name << result.report.message;
        EXPECT_GT(agreeing_digits(result.x, read_decimal(ref + "_x_f64.mtx", 200).value), 30.0) << name;
    }
}
