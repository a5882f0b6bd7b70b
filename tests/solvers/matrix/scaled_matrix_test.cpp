// Rows and columns in units that have nothing to do with each other.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/matrix/structure.hpp>
#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/solve.hpp>
#include <residua/solvers/space/true_residual.hpp>

#include "tests/support/complex_symmetric.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr index_t order = 24;

struct units {
    bool rows = false;
    bool columns = false;
    bool symmetric = false;
};

/// diag(10^e) M diag(10^f) rounded to binary64, e and f from -30 to 30, M with a condition of some hundreds; x = ones.
linear_system uneven(const units& in, unsigned seed)
{
    std::mt19937_64 random(seed);
    const auto power = [&] { return std::pow(10.0, static_cast<double>(random() % 61) - 30.0); };
    std::vector<std::vector<double>> m(order, std::vector<double>(order));
    std::vector<double> e(order), f(order);
    for (index_t i = 0; i < order; ++i) {
        e[i] = in.rows ? power() : 1.0;
        f[i] = in.symmetric ? e[i] : in.columns ? power() : 1.0;
    }
    for (index_t i = 0; i < order; ++i) {
        for (index_t j = 0; j < order; ++j) {
            m[i][j] = static_cast<double>(random() % 19) - 9.0;
            m[j][i] = in.symmetric ? m[i][j] : m[j][i];
        }
    }
    for (index_t i = 0; i < order; ++i) {
        m[i][(i + 5) % order] += 40.0;  // large off the diagonal, which pivoting has to find
        if (in.symmetric) {
            m[(i + 5) % order][i] = m[i][(i + 5) % order];
        }
    }
    for (index_t i = 0; i < order; ++i) {
        for (index_t j = 0; j < order; ++j) {
            m[i][j] *= in.symmetric ? e[std::min(i, j)] * e[std::max(i, j)] : e[i] * f[j];
        }
    }
    return with_solution_ones(from_rows(m));
}

const std::vector<units> kinds{
    {.rows = true}, {.columns = true}, {.rows = true, .columns = true}, {.rows = true, .symmetric = true}};

/// Both backward errors of x, by numbers of 4000 bits.
void expect_true_backward_errors(const linear_system& system, const solve_result& result)
{
    const residual_evaluation exact = evaluate_residual(system, result.x, real("1e-1000", 64));
    const real x_norm = norm_inf(result.x);
    const real normwise = exact.norm_inf / (to_real(matrix_norm_inf(system)) * x_norm + norm_inf(system.b));
    const std::vector<real> r = exact.r.numbers();
    real by_rows(0.0);
    for (index_t i = 0; i < system.rows; ++i) {
        real size = abs(system.b[i]).with_precision(4000);
        for (index_t k = system.row_begin[i]; k < system.row_begin[i + 1]; ++k) {
            size += abs(result.x[system.column[k]] * real(system.values[k], 4000));
        }
        by_rows = max(by_rows, (abs(r[i]) / size).with_precision(64));
    }
    EXPECT_LE(abs(result.report.backward_error - normwise), normwise * real(1e-5));
    EXPECT_LE(abs(result.report.componentwise_backward_error - by_rows), by_rows * real(1e-5));
    EXPECT_LE(normwise, by_rows * real(1.0001));
}

solve_options by(method m)
{
    solve_options options;
    options.method = m;
    return options;
}

}  // namespace

TEST(scaled_matrix_test, is_the_matrix_where_rows_and_columns_are_even)
{
    EXPECT_FALSE(scale(system_of(poisson_1d(5)), true).is_scaled());
    EXPECT_FALSE(scale(system_of(from_rows({{1, 1e-30}, {0x1p-40, 1}})), false).is_scaled());  // small entries alone
    EXPECT_FALSE(scale(system_of(from_rows({{1, 0}, {0, 0x1p-40}})), false).is_scaled());
    EXPECT_FALSE(scale(system_of(from_rows({{0, 0}, {0, 0}})), false).is_scaled());
}

TEST(scaled_matrix_test, has_rows_and_columns_near_one_where_they_are_not)
{
    for (const units& in : kinds) {
        const linear_system system = uneven(in, 5);
        const scaled_matrix m = scale(system, in.symmetric);
        EXPECT_TRUE(m.is_scaled());
        EXPECT_FALSE(m.out_of_range);
        EXPECT_EQ(m.symmetric, in.symmetric);
        std::vector<double> row(order, 0.0), column(order, 0.0);
        for (index_t i = 0; i < order; ++i) {
            for (index_t k = m.row_begin[i]; k < m.row_begin[i + 1]; ++k) {
                const index_t j = m.column[k];
                EXPECT_EQ(m.values[k], std::ldexp(system.values[k], m.row_exponent[i] + m.column_exponent[j]));
                row[i] = std::max(row[i], std::abs(m.values[k]));
                column[j] = std::max(column[j], std::abs(m.values[k]));
            }
        }
        const double least = in.symmetric ? 0.125 : 0.25;
        EXPECT_GE(*std::min_element(column.begin(), column.end()), least);
        EXPECT_GE(*std::min_element(row.begin(), row.end()), 1.0 / 64.0);
        EXPECT_LE(*std::max_element(row.begin(), row.end()), 2.0);
    }
    EXPECT_TRUE(scale(system_of(from_rows({{1, 0}, {0, 0x1p-42}})), true).is_scaled());
    EXPECT_TRUE(scale(system_of(from_rows({{1, 0x1p-42}, {0x1p-3, 0}})), false).is_scaled());  // a column
}

TEST(scaled_matrix_test, keeps_complex_symmetry)
{
    const linear_system system = any_complex_symmetric(20, 0.2, 60, 5).form();
    const scaled_matrix m = scale(system, false, true);
    EXPECT_TRUE(m.is_scaled());
    EXPECT_TRUE(m.complex_symmetric);
    EXPECT_EQ(m.row_exponent, m.column_exponent);
    EXPECT_TRUE(inspect(m).complex_symmetric);
    EXPECT_TRUE(scale_transposed(transpose(system), m).complex_symmetric);
    EXPECT_FALSE(scale(system, true, true).complex_symmetric);  // symmetric as it is
}

TEST(uneven_systems_test, have_the_digits_asked_for_and_true_backward_errors)
{
    for (const method m : {method::automatic, method::refine, method::gmres_ir, method::direct}) {
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            SCOPED_TRACE(std::string(to_string(m)) + " " + std::to_string(k));
            const linear_system system = uneven(kinds[k], 7 + static_cast<unsigned>(k));
            solve_options options = by(m);
            options.digits = 30;

            const solve_result result = solve(system, options);

            EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
            EXPECT_GE(result.report.digits, 30);
            EXPECT_GE(agreeing_digits(result.x, ones(order)), result.report.digits);
            expect_true_backward_errors(system, result);
        }
    }
}

TEST(uneven_systems_test, small_rows_cost_no_digit_and_no_bit)
{
    for (const method m : {method::refine, method::gmres_ir, method::direct}) {
        const linear_system system = uneven({.rows = true}, 11);

        const solve_result result = solve(system, by(m));

        EXPECT_EQ(result.report.status, solve_status::converged) << to_string(m);
        EXPECT_EQ(result.report.precision_bits, 106) << to_string(m);
        EXPECT_GE(result.report.digits, 16) << to_string(m);
        EXPECT_GE(agreeing_digits(result.x, ones(order)), result.report.digits) << to_string(m);
        EXPECT_LE(result.report.componentwise_backward_error, real(1e-25)) << to_string(m);
        expect_true_backward_errors(system, result);
    }
}

TEST(uneven_systems_test, a_tolerance_that_is_looser_than_the_rows_are_apart_is_reached)
{
    const linear_system system = system_of(from_rows({{1e40, 2e40}, {3, 1}}));
    for (const method m : {method::refine, method::gmres_ir, method::gmres, method::bicgstab}) {
        for (const bool asks_digits : {false, true}) {
            solve_options options;
            options.method = m;
            if (asks_digits) {
                options.digits = 16;
            } else {
                options.rtol = real(1e-10);
            }
            const solve_result result = solve(system, options);

            EXPECT_EQ(result.report.status, solve_status::converged) << to_string(m) << result.report.message;
            EXPECT_LE(result.report.precision_bits, 212) << to_string(m);
            EXPECT_GE(result.report.digits, 10) << to_string(m);
        }
    }
}

TEST(uneven_systems_test, asked_digits_replace_tolerances_that_are_looser)
{
    const linear_system system = system_of(from_rows({{-3e1, -5e1}, {1e-17, 6e-17}}));
    for (const method m : {method::automatic, method::direct, method::gmres}) {
        for (const bool relative : {false, true}) {
            solve_options options;
            options.method = m;
            options.precision_bits = 53;
            options.digits = 30;
            (relative ? options.rtol : options.atol) = real(2.0);  // x = 0 passes
            const solve_result result = solve(system, options);

            EXPECT_EQ(result.report.status, solve_status::converged) << to_string(m) << result.report.message;
            EXPECT_GE(result.report.digits, 30) << to_string(m);
            EXPECT_EQ(result.report.solution_bits, result.x.front().precision()) << to_string(m);
        }
    }
}

TEST(uneven_systems_test, a_row_that_the_stopping_test_does_not_see_is_told_by_the_componentwise_error)
{
    // a guess that solves all but the smallest row, to 40 digits
    linear_system system = system_of(from_rows({{1, 1, 0}, {1, -1, 0}, {0, 0, 0x1p-140}}));
    system.b = {real(2.0), real(0.0), real(0x1p-140)};
    solve_options options = by(method::direct);
    options.precision_bits = 53;
    options.initial_guess = {real(1.0), real(1.0), real(2.0)};

    const solve_result result = solve(system, options);

    EXPECT_EQ(result.report.status, solve_status::converged);
    EXPECT_LT(result.report.backward_error, real(1e-40));
    EXPECT_NEAR(to_double(result.report.componentwise_backward_error), 1.0 / 3.0, 1e-9);
    EXPECT_EQ(result.report.digits, 0);
}

TEST(uneven_systems_test, beyond_dense_inverses_the_digits_are_known_too)
{
    constexpr index_t n = 1200;
    io::coo<double> a = poisson_1d(n);
    std::mt19937_64 random(3);
    std::vector<double> unit(n);
    for (double& u : unit) {
        u = std::pow(10.0, static_cast<double>(random() % 61) - 30.0);
    }
    for (std::size_t k = 0; k < a.value.size(); ++k) {
        a.value[k] *= (a.row[k] == a.col[k] ? 1.5 : 1.0) * unit[a.row[k]];
    }
    solve_options options = by(method::refine);
    options.digits = 25;

    const solve_result result = solve(with_solution_ones(a), options);

    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_GE(result.report.digits, 25);
    EXPECT_GE(agreeing_digits(result.x, ones(n)), 25.0);
}
