// Figures of a report against what is true: conditions, bounds, digits of systems that look hopeless and are not.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/assess/inverse.hpp>
#include <residua/solvers/gallery/gallery.hpp>
#include <residua/solvers/session/analyze.hpp>
#include <residua/solvers/session/factor_store.hpp>
#include <residua/solvers/solver.hpp>
#include <residua/solvers/space/true_residual.hpp>

#include "tests/support/eigen_reference.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using rows = std::vector<std::vector<real>>;

linear_system system_of(const rows& a, std::vector<real> b)
{
    std::vector<real> entries;
    for (const std::vector<real>& row : a) {
        entries.insert(entries.end(), row.begin(), row.end());
    }
    const auto cols = static_cast<index_t>(a.front().size());
    linear_system system = make_system(dense_view<real>{static_cast<index_t>(a.size()), cols, entries});
    system.b = std::move(b);
    return system;
}

linear_system hilbert(int n)
{
    rows a(n, std::vector<real>(n));
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            a[i][j] = real(1, 2000) / real(i + j + 1);
        }
    }
    linear_system system = system_of(a, std::vector<real>(n, real(1.0)));
    system.b = row_sums(system);
    return system;
}

/// 10^e in so many bits that it is exact up to e = 1000.
real power_of_ten(int e) { return real(("1e" + std::to_string(e)).c_str(), 4096); }

real largest_distance(const std::vector<real>& x, const std::vector<real>& y)
{
    real largest(0.0, 64);
    for (std::size_t i = 0; i < x.size(); ++i) {
        largest = max(largest, abs(x[i].with_precision(9000) - y[i].with_precision(9000)).with_precision(64));
    }
    return largest;
}

rows random_integers(std::mt19937& random, int m, int n)
{
    std::uniform_int_distribution<int> integer(-9, 9);
    rows a(m, std::vector<real>(n));
    for (std::vector<real>& row : a) {
        for (real& value : row) {
            value = real(static_cast<double>(integer(random)));
        }
    }
    return a;
}

}  // namespace

TEST(true_figures_test, the_condition_comes_from_the_factors_that_direct_has)
{
    solve_options options;
    options.method = method::direct;
    options.precision_bits = 212;
    const solve_report report = solve(hilbert(20), options).report;
    EXPECT_EQ(report.condition_source, condition_source::factors);
    EXPECT_LT(real(5e28), *report.condition);
    EXPECT_LT(*report.condition, real(7e28));
}

TEST(true_figures_test, factors_that_do_not_suffice_give_a_lower_bound)
{
    for (const int n : {13, 16, 20}) {
        for (const bool graded : {false, true}) {
            linear_system system = hilbert(n);
            if (graded) {
                rows a(n, std::vector<real>(n));
                for (int i = 0; i < n; ++i) {
                    for (int j = 0; j < n; ++j) {
                        a[i][j] = real(1, 2000) / real(i + j + 1) * power_of_ten(20 * (i % 3));
                    }
                }
                system = system_of(a, std::vector<real>(n, real(1.0)));
            }
            const std::optional<condition_estimate> truth = solver(system).condition();
            ASSERT_TRUE(truth.has_value());
            const scaled_matrix matrix = scale(system, false);
            sparse_analyses analyses;
            const factor_level short_ones = make_binary64_level(system, matrix, preconditioner::lu, true, analyses);
            if (!short_ones.condition) {
                continue;
            }
            const real bound = condition_lower_bound(system, matrix, *short_ones.condition, 53);
            EXPECT_LE(bound, truth->condition) << n << graded;
            EXPECT_LE(real(1.0), bound) << n << graded;
        }
    }
}

TEST(true_figures_test, factors_are_sought_in_all_bits_that_exist)
{
    const real one(1.0, 2000);
    const linear_system near = system_of({{one, one}, {one, one + power_of_ten(-300)}}, {one, one});
    solve_options options;
    options.digits = 16;
    const solve_result result = solve(near, options);
    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_GE(result.report.digits, 16);
    EXPECT_LE(largest_distance(result.x, {one, real(0.0)}), real(1e-16));

    const linear_system far = hilbert(180);  // a condition of 3e273
    const solve_result of_far = solve(far, options);
    EXPECT_GE(of_far.report.digits, 16) << of_far.report.message;
    EXPECT_LE(largest_distance(of_far.x, std::vector<real>(180, real(1.0))), real(1e-16));
    const analysis looked_at = analyze(far, 16);
    EXPECT_EQ(looked_at.positive_definite, true);
    ASSERT_TRUE(looked_at.condition.has_value());
    EXPECT_LT(real("1e273", 64), *looked_at.condition);
}

TEST(true_figures_test, more_digits_make_the_test_of_least_squares_tighter)
{
    rows a;
    std::vector<real> b;
    for (int year = 1990; year <= 2020; ++year) {
        std::vector<real> row;
        for (int k = 0; k <= 8; ++k) {
            row.push_back(pow(real(static_cast<double>(year), 128), k));
        }
        a.push_back(row);
        b.push_back(real(static_cast<double>((year * 7919) % 1009)));
    }
    const linear_system system = system_of(a, b);
    solve_options options;
    options.digits = 60;
    const solve_result best = solve(system, options);
    ASSERT_GE(best.report.digits, 60) << best.report.message;
    for (const int digits : {8, 16, 30}) {
        options.digits = digits;
        const solve_result result = solve(system, options);
        EXPECT_EQ(result.report.status, solve_status::converged) << digits << ": " << result.report.message;
        EXPECT_GE(result.report.digits, digits);
        EXPECT_LE(largest_distance(result.x, best.x), *result.report.forward_error * norm_inf(best.x)) << digits;
    }
}

TEST(true_figures_test, rows_of_any_size_do_not_hide_the_digits)
{
    const int count = static_cast<int>(scaled(60));
    for (int seed = 0; seed < count; ++seed) {
        std::mt19937 random(static_cast<unsigned>(seed));
        const int n = 2 + seed % 5;
        const rows plain = random_integers(random, n, n);
        const std::vector<real> b = random_integers(random, 1, n).front();
        solve_options options;
        options.digits = 60;
        const solve_result reference = solve(system_of(plain, b), options);
        if (reference.report.digits < 60 || is_zero(norm_inf(b))) {
            continue;  // singular
        }
        rows graded = plain;
        std::vector<real> graded_b = b, x = reference.x;
        const bool with_b = seed % 2 == 0;
        for (int i = 0; i < n; ++i) {
            const real factor = power_of_ten(std::vector<int>{-1000, 0, 1000, 400}[random() % 4]);
            for (real& value : graded[i]) {
                value = value.with_precision(4096) * factor;
            }
            graded_b[i] = b[i].with_precision(4096) * factor;
        }
        linear_system system = system_of(graded, graded_b);
        if (!with_b) {
            system.b = b;
        }
        options.digits = 20;
        const solve_result result = solve(system, options);
        EXPECT_EQ(result.report.status, solve_status::converged) << seed << ": " << result.report.message;
        EXPECT_GE(result.report.digits, 20) << seed;
        if (with_b) {
            EXPECT_LE(largest_distance(result.x, x), real(1e-20) * norm_inf(x)) << seed;
        }
    }
}

TEST(true_figures_test, the_second_solve_with_the_transposed_has_the_bits_of_the_first)
{
    for (const int n : {8, 12, 14, 16, 18, 20}) {
        for (const int digits : {10, 25, 40}) {
            linear_system system = hilbert(n);
            solve_options options;
            options.digits = digits;
            for (const bool solved_before : {false, true}) {
                solver s(system, options);
                if (solved_before) {
                    s.solve(system.b);
                }
                const std::vector<real> c(static_cast<std::size_t>(n), real(1.0));
                const solve_result first = s.solve_transposed(c);
                const solve_result second = s.solve_transposed(c);
                EXPECT_EQ(first.x, second.x) << n << ", " << digits;
                EXPECT_EQ(first.report.digits, second.report.digits) << n << ", " << digits;
                EXPECT_EQ(first.report.rtol, second.report.rtol) << n << ", " << digits;
            }
        }
    }
}

TEST(true_figures_test, errors_are_relative_to_the_solution_and_not_to_x)
{
    const int count = static_cast<int>(scaled(300));
    for (int seed = 0; seed < count; ++seed) {
        std::mt19937 random(static_cast<unsigned>(seed));
        const int n = 2 + seed % 4;
        const linear_system system =
            system_of(random_integers(random, n + 3, n), random_integers(random, 1, n + 3).front());
        solve_options options;
        options.digits = 30;
        const solve_result exact = solve(system, options);
        if (exact.report.digits < 30 || is_zero(norm_inf(exact.x))) {
            continue;
        }
        options.digits = 1;
        options.rtol = real(1e-3);
        const solve_result rough = solve(system, options);
        ASSERT_TRUE(rough.report.forward_error.has_value()) << seed;
        EXPECT_LE(largest_distance(rough.x, exact.x), *rough.report.forward_error * norm_inf(exact.x)) << seed;
    }
}

TEST(true_figures_test, zero_is_the_shortest_least_squares_solution_for_b_zero)
{
    solve_options options;
    options.digits = 16;
    const rows tall{{real(1.0), real(2.0)}, {real(3.0), real(4.0)}, {real(5.0), real(7.0)}};
    const rows square{{real(1.0), real(2.0)}, {real(3.0), real(4.0)}};
    for (const rows& a : {tall, square}) {
        options.method = method::lsqr;
        const solve_result result = solve(system_of(a, std::vector<real>(a.size(), real(0.0))), options);
        EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
        EXPECT_GE(result.report.digits, 16);
        EXPECT_TRUE(is_zero(norm_inf(result.x)));
    }
}
