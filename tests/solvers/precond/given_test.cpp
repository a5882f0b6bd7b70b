// Preconditioners of the caller's, beside a stored matrix: the digits of the solve, and what comes of a bad M.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/solver.hpp>

#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using doubles = std::vector<double>;

doubles diagonal_of(const linear_system& a)
{
    doubles diagonal(static_cast<std::size_t>(a.rows), 0.0);
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            if (a.column[k] == i) {
                diagonal[static_cast<std::size_t>(i)] = a.values[k];
            }
        }
    }
    return diagonal;
}

/// Jacobi, which counts its calls.
preconditioner_function jacobi_of(const linear_system& a, std::shared_ptr<int> calls = std::make_shared<int>(0))
{
    return [d = diagonal_of(a), calls](std::span<const double> r, std::span<double> z) {
        ++*calls;
        for (std::size_t i = 0; i < r.size(); ++i) {
            z[i] = r[i] / d[i];
        }
    };
}

solve_options with(preconditioner_function m, method by = method::automatic)
{
    solve_options options;
    options.method = by;
    options.preconditioner = preconditioner::given;
    options.given.m = std::move(m);
    return options;
}

const linear_system& poisson()
{
    static const linear_system system = with_solution_ones(poisson_2d(12));
    return system;
}

/// -u'' + u' on a line: not symmetric.
const linear_system& convection()
{
    static const linear_system system = [] {
        io::coo<double> a = poisson_1d(60);
        for (std::size_t k = 0; k < a.value.size(); ++k) {
            a.value[k] += a.row[k] < a.col[k] ? 0.25 : a.row[k] > a.col[k] ? -0.25 : 0.0;
        }
        return with_solution_ones(a);
    }();
    return system;
}

/// A matrix with a condition of 3, and a right-hand side without symmetries: CG takes as many iterations as the condition says, and
/// not as many as there are different eigenvalues, which a rounded M spreads. D A D for D_ii = 2^power(i).
template <class Power>
linear_system well_conditioned(const Power& power)
{
    io::coo<double> a = poisson_2d(30);
    for (std::size_t k = 0; k < a.value.size(); ++k) {
        a.value[k] = std::ldexp(a.row[k] == a.col[k] ? 8.0 : a.value[k], power(a.row[k]) + power(a.col[k]));
    }
    linear_system system = system_of(a);
    for (index_t i = 0; i < system.rows; ++i) {
        system.b[i] = ldexp(real(1.0, 600) / real(i + 3), power(i));
    }
    return system;
}

}  // namespace

TEST(given_test, the_diagonal_by_a_function_takes_the_iterations_of_jacobi)
{
    const linear_system a = well_conditioned([](index_t) { return 0; });
    for (const long bits : {53L, 106L, 212L, 424L}) {
        const auto calls = std::make_shared<int>(0);
        solve_options options = with(jacobi_of(a, calls), method::cg);
        options.precision_bits = bits;
        const solve_result given = solve(a, options);
        options.given = {};
        options.preconditioner = preconditioner::jacobi;
        const solve_result named = solve(a, options);
        EXPECT_EQ(given.report.status, solve_status::converged) << given.report.message;
        EXPECT_EQ(given.report.preconditioner, preconditioner::given);
        EXPECT_NEAR(static_cast<double>(given.report.iterations), static_cast<double>(named.report.iterations), 3.0)
            << bits;
        EXPECT_GE(*calls, given.report.iterations);
        EXPECT_GT(agreeing_digits(given.x, named.x), 0.27 * static_cast<double>(bits) - 2.0);
    }
}

TEST(given_test, every_method_that_takes_it_reaches_the_digits)
{
    for (const method_traits& each : all_methods()) {
        if (!fits(each.method, preconditioner::given)) {
            continue;
        }
        for (const linear_system* a : {&poisson(), &convection()}) {
            if (each.symmetric && a != &poisson()) {
                continue;
            }
            solve_options options = with(jacobi_of(*a), each.method);
            options.given.m_t = options.given.m;
            options.digits = 40;
            const solve_result result = solve(*a, options);
            EXPECT_EQ(result.report.status, solve_status::converged) << each.name << " " << result.report.message;
            EXPECT_GE(result.report.digits, 40) << each.name;
            EXPECT_GT(agreeing_digits(result.x, ones(a->cols)), 40.0) << each.name;
        }
    }
}

TEST(given_test, in_every_format)
{
    for (const number_format format : {number_format::expansion, number_format::multidigit, number_format::rns}) {
        for (const method by : {method::cg, method::gmres}) {
            solve_options options = with(jacobi_of(poisson()), by);
            options.format = format;
            options.precision_bits = 200;
            const solve_result result = solve(poisson(), options);
            EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
            EXPECT_GT(agreeing_digits(result.x, ones(poisson().cols)), 50.0) << to_string(format);
        }
    }
}

TEST(given_test, a_plan_takes_methods_that_use_it)
{
    for (const linear_system* a : {&poisson(), &convection()}) {
        const auto calls = std::make_shared<int>(0);
        solve_options options = with(jacobi_of(*a, calls));
        options.digits = 30;
        solver s(*a, options);
        for (const candidate& each : s.plan().candidates) {
            EXPECT_EQ(each.preconditioner, preconditioner::given);
        }
        const solve_result result = s.solve(a->b);
        EXPECT_EQ(result.report.method, a == &poisson() ? method::cg : method::gmres);
        EXPECT_GE(result.report.digits, 30) << result.report.message;
        EXPECT_GT(*calls, 0);
    }
}

TEST(given_test, it_sees_residuals_of_a_size_about_one)
{
    double least = 2.0, largest = 0.0;
    solve_options options = with(
        [&](std::span<const double> r, std::span<double> z) {
            double sum = 0.0;
            for (std::size_t i = 0; i < r.size(); ++i) {
                sum += r[i] * r[i];
                z[i] = 0.25 * r[i];
            }
            least = std::min(least, std::sqrt(sum));
            largest = std::max(largest, std::sqrt(sum));
        },
        method::cg);
    options.rtol = real("1e-250", 64);
    options.precision_bits = 848;
    linear_system a = poisson();
    for (real& each : a.b) {
        each = ldexp(each, -3000);
    }
    EXPECT_EQ(solve(a, options).report.status, solve_status::converged);
    EXPECT_GT(least, 0.499);
    EXPECT_LT(largest, 1.001);
}

TEST(given_test, it_may_be_another_map_in_every_step)
{
    // 1 to 4 steps of Jacobi, in turn
    const linear_system& a = poisson();
    int call = 0;
    const auto m = [&](std::span<const double> r, std::span<double> z) {
        std::fill(z.begin(), z.end(), 0.0);
        doubles next(r.size());
        for (int step = call++ % 4; step >= 0; --step) {
            for (index_t i = 0; i < a.rows; ++i) {
                double sum = r[i];
                for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
                    sum -= a.values[k] * z[a.column[k]];
                }
                next[i] = z[i] + 0.7 * sum / 4.0;
            }
            std::copy(next.begin(), next.end(), z.begin());
        }
    };
    for (const method by : {method::cg, method::gmres}) {
        solve_options options = with(m, by);
        options.digits = 30;
        const solve_result result = solve(a, options);
        EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
        EXPECT_GE(result.report.digits, 30);
        EXPECT_LT(result.report.iterations, 200) << to_string(by);
    }
}

TEST(given_test, it_is_for_the_matrix_as_it_is_given_where_that_is_scaled)
{
    const linear_system system = well_conditioned([](index_t i) { return static_cast<int>(i % 18) * 40 - 340; });
    solve_options options = with(jacobi_of(system), method::cg);
    options.digits = 20;
    const solve_result given = solve(system, options);
    options.given = {};
    options.preconditioner = preconditioner::jacobi;
    const solve_result named = solve(system, options);
    EXPECT_EQ(given.report.status, solve_status::converged) << given.report.message;
    EXPECT_GE(given.report.digits, 20);
    EXPECT_LT(given.report.iterations, 3 * named.report.iterations / 2);
}

TEST(given_test, a_wrong_one_costs_iterations_and_no_digit)
{
    solve_options options = with(
        [](std::span<const double> r, std::span<double> z) {
            for (std::size_t i = 0; i < r.size(); ++i) {
                z[i] = r[i] * (1.0 + 100.0 * static_cast<double>(i % 7));
            }
        },
        method::cg);
    options.digits = 30;
    const solve_result slow = solve(poisson(), options);
    EXPECT_EQ(slow.report.status, solve_status::converged) << slow.report.message;
    EXPECT_GT(agreeing_digits(slow.x, ones(poisson().cols)), 30.0);
    options.given.m = jacobi_of(poisson());
    EXPECT_GT(slow.report.iterations, 2 * solve(poisson(), options).report.iterations);
}

TEST(given_test, one_that_is_not_definite_breaks_cg_and_not_the_plan)
{
    const auto negative = [](std::span<const double> r, std::span<double> z) {
        for (std::size_t i = 0; i < r.size(); ++i) {
            z[i] = -r[i];
        }
    };
    solve_options options = with(negative, method::cg);
    options.precision_bits = 106;
    const solve_result broken = solve(poisson(), options);
    EXPECT_EQ(broken.report.status, solve_status::breakdown);
    EXPECT_NE(broken.report.message.find("the preconditioner is not positive definite"), std::string::npos)
        << broken.report.message;
    options.method = method::automatic;
    const solve_result planned = solve(poisson(), options);
    EXPECT_EQ(planned.report.status, solve_status::converged) << planned.report.message;
    EXPECT_EQ(planned.report.method, method::gmres);
}

TEST(given_test, what_it_throws_ends_the_solve_and_leaves_the_solver_as_it_was)
{
    struct own_error : std::runtime_error {
        using std::runtime_error::runtime_error;
    };
    int calls = 0;
    const auto m = [&, jacobi = jacobi_of(poisson())](std::span<const double> r, std::span<double> z) {
        if (++calls == 5) {
            throw own_error("mine");
        }
        jacobi(r, z);
    };
    for (const method by : {method::cg, method::gmres, method::idr}) {
        calls = 0;
        solve_options options = with(m, by);
        options.precision_bits = 212;
        solver s(poisson(), options);
        EXPECT_THROW((void)s.solve(poisson().b), own_error);
        const solve_result again = s.solve(poisson().b);
        const solve_result alone = solve(poisson(), options);
        EXPECT_EQ(again.report.status, solve_status::converged);
        EXPECT_EQ(again.x, alone.x);
        EXPECT_EQ(again.report.iterations, alone.report.iterations);
    }
}

TEST(given_test, a_nan_of_it_ends_every_method_with_a_verdict_that_names_it)
{
    for (const method_traits& each : all_methods()) {
        if (!fits(each.method, preconditioner::given)) {
            continue;
        }
        for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
            int calls = 0;
            const auto m = [&, jacobi = jacobi_of(poisson())](std::span<const double> r, std::span<double> z) {
                jacobi(r, z);
                z[3] = ++calls > 4 ? bad : z[3];
            };
            solve_options options = with(m, each.method);
            options.given.m_t = m;
            options.digits = 30;
            const solve_result result = solve(poisson(), options);
            EXPECT_EQ(result.report.status, solve_status::breakdown) << each.name;
            EXPECT_EQ(result.report.verdict.limit, limit::breakdown) << each.name;
            EXPECT_NE(result.report.message.find("the preconditioner M gave a NaN or an infinity"), std::string::npos)
                << each.name << ": " << result.report.message;
            EXPECT_TRUE(result.report.escalations.empty()) << each.name;
            EXPECT_LT(calls, 1000) << each.name;
        }
    }
}

TEST(given_test, systems_with_the_transposed_matrix_take_the_transposed_one)
{
    solve_options options = with(jacobi_of(convection()), method::gmres);
    options.precision_bits = 106;
    EXPECT_THROW((void)solver(convection(), options).solve_transposed(convection().b), unsupported_error);
    const auto calls = std::make_shared<int>(0);
    options.given.m_t = jacobi_of(convection(), calls);
    EXPECT_EQ(solver(convection(), options).solve_transposed(convection().b).report.status, solve_status::converged);
    EXPECT_GT(*calls, 0);
    solve_options symmetric = with(jacobi_of(poisson()), method::cg);
    EXPECT_EQ(solver(poisson(), symmetric).solve_transposed(poisson().b).report.status, solve_status::converged);
}

TEST(given_test, requests_that_make_no_sense_are_refused)
{
    const auto refused = [](solve_options options, const linear_system& a = poisson()) {
        EXPECT_THROW((void)solve(a, options), unsupported_error);
    };
    refused(with({}));
    solve_options options = with(jacobi_of(poisson()), method::direct);
    refused(options);
    options.method = method::refine;
    refused(options);
    options.method = method::bicg;  // which takes M' too
    refused(options);
    options.method = method::cg;
    options.preconditioner = preconditioner::automatic;
    refused(options);
    refused(with(jacobi_of(poisson())), with_solution_ones(from_rows({{1, 2}, {3, 4}, {5, 6}})));
}
