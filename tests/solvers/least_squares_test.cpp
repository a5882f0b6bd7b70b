// Least squares through solve(): which test an x passes, and what the report says of it.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/session/analyze.hpp>
#include <residua/solvers/solver.hpp>

#include "tests/support/adjoint.hpp"
#include "tests/support/eigen_reference.hpp"

using namespace residua;
using namespace residua::support;

namespace {

solve_options in_bits(long bits, method m = method::automatic)
{
    solve_options options;
    options.method = m;
    options.precision_bits = bits;
    return options;
}

/// Vandermonde's matrix on m points of [0, 1], n powers.
io::coo<double> vandermonde(int m, int n)
{
    std::vector<std::vector<double>> rows;
    for (int i = 0; i < m; ++i) {
        std::vector<double> row;
        for (int j = 0; j < n; ++j) {
            row.push_back(std::pow((i + 1.0) / (m + 1.0), j));
        }
        rows.push_back(row);
    }
    return from_rows(rows);
}

/// ||A'(b - A x)|| / (||A||_F ||b - A x||)
double normal_residual(const io::coo<double>& a, const std::vector<real>& b, const std::vector<real>& x)
{
    const real_space space{1000};
    const real_space wide{4000};
    const std::vector<real> r = exact_residual(space, a, b, x);
    std::vector<real> z = wide.make_vector(a.cols);
    real_matrix{transposed(a)}.apply(wide, r, z);
    std::vector<real> entries;
    for (const double each : a.value) {
        entries.push_back(wide.make_scalar(each));
    }
    return to_double(wide.norm2(z) / (wide.norm2(entries) * wide.norm2(r)));
}

}  // namespace

TEST(least_squares_test, an_inconsistent_system_converges_by_the_normal_residual_and_says_so)
{
    const io::coo<double> a = vandermonde(30, 8);
    const linear_system system = make_system(a, waves({53}, 30));
    const std::vector<real> exact = eigen_reference(system, 2000);
    for (const long bits : {53L, 106L, 212L, 500L, 1272L}) {
        for (const method m : {method::automatic, method::lsqr}) {
            const solve_result result = solve(system, in_bits(bits, m));
            const solve_report& report = result.report;

            EXPECT_EQ(report.status, solve_status::converged) << bits << " " << report.message;
            EXPECT_EQ(report.method, m == method::automatic ? method::direct : method::lsqr);
            EXPECT_TRUE(report.least_squares) << bits;
            ASSERT_TRUE(report.normal_residual.has_value());
            EXPECT_LE(*report.normal_residual, report.rtol) << bits;
            EXPECT_GT(agreeing_digits(result.x, exact), 0.27 * static_cast<double>(bits) - 9.0) << bits;
            EXPECT_GT(report.relative_residual, real(0.1)) << bits;
            EXPECT_NE(report.message.find("least-squares solution"), std::string::npos) << report.message;
            EXPECT_EQ(report.forward_kind, m == method::automatic ? error_kind::estimated : error_kind::compared);
            if (bits < 1000) {
                const double truth = normal_residual(a, system.b, result.x);
                EXPECT_NEAR(to_double(*report.normal_residual) / truth, 1.0, 1e-4) << bits;
            }
        }
    }
}

TEST(least_squares_test, a_consistent_system_converges_by_its_residual)
{
    const linear_system system = with_solution_ones(vandermonde(30, 8));
    for (const long bits : {106L, 424L}) {
        const solve_result result = solve(system, in_bits(bits));

        EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
        EXPECT_FALSE(result.report.least_squares);
        EXPECT_LE(result.report.relative_residual, result.report.rtol);
        EXPECT_GT(agreeing_digits(result.x, ones(8)), 20.0);
        EXPECT_TRUE(result.report.message.empty()) << result.report.message;
    }
}

TEST(least_squares_test, an_underdetermined_system_gets_its_shortest_solution)
{
    const linear_system system = make_system(from_rows({{1, 1, 0, 0}, {0, 0, 2, 2}}), {real(6.0), real(-4.0)});
    const solve_result result = solve(system, in_bits(212));
    EXPECT_EQ(result.report.status, solve_status::converged);
    EXPECT_FALSE(result.report.least_squares);
    EXPECT_GT(agreeing_digits(result.x, {real(3.0), real(3.0), real(-1.0), real(-1.0)}), 55.0);

    solve_options options = in_bits(212);
    options.initial_guess = {real(1.0), real(-1.0), real(0.0), real(0.0)};
    const solve_result from_guess = solve(system, options);
    EXPECT_EQ(from_guess.report.status, solve_status::converged);
    EXPECT_GT(agreeing_digits(from_guess.x, {real(4.0), real(2.0), real(-1.0), real(-1.0)}), 55.0);
}

TEST(least_squares_test, zero_rows_and_columns_are_no_obstacle_to_lsqr)
{
    const linear_system system =
        make_system(from_rows({{1, 0, 2}, {0, 0, 0}, {3, 0, 0}}), {real(5.0), real(1.0), real(3.0)});
    const solve_result result = solve(system, in_bits(106, method::lsqr));
    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_TRUE(result.report.least_squares);
    EXPECT_GT(agreeing_digits(result.x, {real(1.0), real(0.0), real(2.0)}), 25.0);
    EXPECT_EQ(solve(system, in_bits(106, method::gmres)).report.status, solve_status::breakdown);
}

TEST(least_squares_test, a_right_hand_side_orthogonal_to_all_columns_has_the_zero_solution)
{
    const linear_system system = make_system(from_rows({{1, 2}, {1, 2}, {0, 0}}), {real(1.0), real(-1.0), real(4.0)});
    const solve_result result = solve(system, in_bits(106));
    EXPECT_EQ(result.report.status, solve_status::converged);
    EXPECT_TRUE(result.report.least_squares);
    EXPECT_TRUE(is_zero(*result.report.normal_residual));
    EXPECT_EQ(result.x, (std::vector<real>{real(0.0), real(0.0)}));
    EXPECT_EQ(result.report.relative_residual, real(1.0));
}

TEST(least_squares_test, the_normal_residual_is_told_where_its_first_evaluation_is_noise)
{
    struct column {
        double a[2], b[2];
    };
    for (const column& each : {column{{1, 1}, {-5, 2}}, column{{-3, -1}, {-9, 8}}, column{{3, 7}, {1, -2}}}) {
        const io::coo<double> a = from_rows({{each.a[0]}, {each.a[1]}});
        for (const long bits : {106L, 424L, 1000L}) {
            const solve_result result =
                solve(make_system(a, {real(each.b[0]), real(each.b[1])}), in_bits(bits, method::lsqr));
            EXPECT_EQ(result.report.status, solve_status::converged) << bits;
            ASSERT_TRUE(result.report.normal_residual.has_value());
            const auto wide = [](double x) { return real(x, 8000); };
            real z = wide(0), r2 = wide(0), a2 = wide(0);
            for (int i = 0; i < 2; ++i) {
                const real r = wide(each.b[i]) - wide(each.a[i]) * result.x[0];
                z += wide(each.a[i]) * r;
                r2 += r * r;
                a2 += wide(each.a[i]) * wide(each.a[i]);
            }
            const real truth = abs(z) / sqrt(a2 * r2);
            if (is_zero(truth)) {
                EXPECT_TRUE(is_zero(*result.report.normal_residual)) << bits;
                continue;
            }
            EXPECT_NEAR(to_double(*result.report.normal_residual / truth), 1.0, 1e-4)
                << bits << ": " << to_string(*result.report.normal_residual, 4) << ", not " << to_string(truth, 4);
        }
    }
}

TEST(least_squares_test, residuals_of_1e_minus_400_and_scaled_matrices)
{
    io::coo<real> a{3, 2, {0, 0, 1, 2}, {0, 1, 1, 0}, {}};
    for (const char* each : {"1e-420", "3e-420", "2e-430", "5e-425"}) {
        a.value.emplace_back(each, 300);
    }
    linear_system system = make_system(a, ones(3));
    system.b = row_sums(system);
    solve_options options = in_bits(212);
    options.rtol = real("1e-40", 64);
    const solve_result consistent = solve(system, options);
    EXPECT_EQ(consistent.report.status, solve_status::converged) << consistent.report.message;
    EXPECT_GT(agreeing_digits(consistent.x, ones(2)), 25.0);

    system.b[2] *= real(2.0);
    const solve_result inconsistent = solve(system, options);
    EXPECT_EQ(inconsistent.report.status, solve_status::converged) << inconsistent.report.message;
    EXPECT_TRUE(inconsistent.report.least_squares);
    EXPECT_LE(*inconsistent.report.normal_residual, real("1e-40", 64));
}

TEST(least_squares_test, one_row_one_column_and_no_row)
{
    const solve_result row = solve(make_system(from_rows({{3, 0, 4}}), {real(50.0)}), in_bits(106));
    EXPECT_EQ(row.report.status, solve_status::converged);
    EXPECT_GT(agreeing_digits(row.x, {real(6.0), real(0.0), real(8.0)}), 28.0);

    const solve_result column = solve(make_system(from_rows({{3}, {4}}), {real(1.0), real(2.0)}), in_bits(106));
    EXPECT_EQ(column.report.status, solve_status::converged);
    EXPECT_GT(agreeing_digits(column.x, {real(11.0, 200) / real(25.0, 200)}), 28.0);

    io::coo<double> none;
    none.cols = 3;
    const solve_result empty = solve(make_system(none, {}), in_bits(106));
    EXPECT_EQ(empty.report.status, solve_status::converged);
    EXPECT_EQ(empty.x.size(), 3u);

    none.cols = 0;
    none.rows = 3;
    EXPECT_THROW(solve(make_system(none, ones(3)), in_bits(106)), dimension_error);
}

TEST(least_squares_test, several_right_hand_sides_get_what_they_get_alone)
{
    const io::coo<double> a = vandermonde(12, 5);
    const linear_system system = with_solution_ones(a);
    const std::vector<std::vector<real>> b{system.b, waves({53}, 12), std::vector<real>(12, real(0.0))};
    const std::vector<solve_result> together = solver(system, in_bits(106)).solve(b);
    ASSERT_EQ(together.size(), 3u);
    for (std::size_t j = 0; j < b.size(); ++j) {
        linear_system alone = system;
        alone.b = b[j];
        const solve_result single = solve(alone, in_bits(106));
        EXPECT_EQ(together[j].x, single.x) << j;
        EXPECT_EQ(together[j].report.least_squares, single.report.least_squares) << j;
        EXPECT_EQ(together[j].report.least_squares, j == 1) << j;
    }
}

TEST(least_squares_test, a_precision_that_is_too_low_is_left_or_named)
{
    const linear_system system = make_system(vandermonde(40, 20), waves({53}, 40));  // condition near 1e15
    solve_options options = in_bits(53);
    options.rtol = real("1e-30", 64);
    const solve_result fixed = solve(system, options);
    EXPECT_NE(fixed.report.status, solve_status::converged);
    EXPECT_FALSE(fixed.report.least_squares);
    EXPECT_FALSE(fixed.report.message.empty());

    options.precision_bits = 0;
    const solve_result raised = solve(system, options);
    EXPECT_EQ(raised.report.status, solve_status::converged) << raised.report.message;
    EXPECT_LE(*raised.report.normal_residual, options.rtol);
}

TEST(least_squares_test, other_methods_refuse_a_rectangular_matrix_in_one_line)
{
    const linear_system system = system_of(from_rows({{1, 2, 3}, {4, 5, 6}}));
    for (const method m : {method::cg, method::minres, method::gmres, method::bicgstab, method::tfqmr, method::bicg,
                           method::refine, method::gmres_ir}) {
        try {
            solve(system, in_bits(106, m));
            FAIL() << "not refused: " << to_string(m);
        } catch (const dimension_error& e) {
            EXPECT_EQ(e.what(), "the method " + std::string(to_string(m)) +
                                    " needs a square matrix, and this one is 2 x 3: use lsqr, direct or auto");
        }
    }
    solve_options options = in_bits(106);
    options.initial_guess = ones(2);
    EXPECT_THROW(solve(system, options), dimension_error);
}

TEST(least_squares_test, memory_counts_the_transpose)
{
    const linear_system system = system_of(poisson_1d(1000));
    EXPECT_GT(
        predicted_bytes(system, in_bits(106, method::bicg)),
        predicted_bytes(system, in_bits(106, method::bicgstab)) + static_cast<double>(system.nonzeros()) * 2.0 * 12.0);
    EXPECT_GT(predicted_bytes(system_of(vandermonde(4, 300)), in_bits(106)), 1200.0 * 24.0);
}

TEST(least_squares_test, analysis_picks_qr_for_a_dense_matrix_and_lsqr_for_a_sparse_one)
{
    const analysis sparse = analyze(system_of(from_rows({{1, 0, 0, 0, 0}, {0, 0, 0, 0, 6}})));
    ASSERT_TRUE(sparse.picks.has_value());
    EXPECT_EQ(sparse.picks->first.choice.method, method::lsqr);
    const analysis wide = analyze(system_of(from_rows({{1, 2, 3}, {4, 5, 6}})));
    ASSERT_TRUE(wide.picks.has_value());
    EXPECT_EQ(wide.picks->first.choice.method, method::direct);
    EXPECT_EQ(wide.picks->first.choice.preconditioner, preconditioner::none);
    EXPECT_EQ(wide.picks->first.in.bits, 106);
    EXPECT_FALSE(wide.positive_definite.has_value());
    EXPECT_FALSE(wide.condition.has_value());
}
