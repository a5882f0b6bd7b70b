// A solver object: what it keeps, and that keeping it changes nothing.
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/base/random.hpp>
#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/solver.hpp>

#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// Whole numbers from -9 to 9 at about `per_row` random places of a row and on the diagonal.
io::coo<double> random_sparse(index_t n, index_t per_row, std::uint64_t seed, double diagonal = 0.0)
{
    splitmix64 random{seed};
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n));
    io::coo<double> a;
    a.rows = a.cols = n;
    for (index_t i = 0; i < n; ++i) {
        std::vector<double> row(static_cast<std::size_t>(n), 0.0);
        for (index_t k = 0; k < per_row; ++k) {
            row[random() % static_cast<std::uint64_t>(n)] = static_cast<double>(random() % 19) - 9.0;
        }
        row[static_cast<std::size_t>(i)] = diagonal + static_cast<double>(random() % 9) + 1.0;
        for (index_t j = 0; j < n; ++j) {
            if (row[static_cast<std::size_t>(j)] != 0.0) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(row[static_cast<std::size_t>(j)]);
            }
        }
    }
    return a;
}

/// The inverse of this bidiagonal matrix has entries up to 2^chain: the condition of an integer matrix times it.
linear_system with_chain(const io::coo<double>& a, index_t chain)
{
    io::coo<real> result{a.rows, a.cols, {}, {}, {}};
    std::vector<std::vector<double>> dense(static_cast<std::size_t>(a.rows),
                                           std::vector<double>(static_cast<std::size_t>(a.cols), 0.0));
    for (std::size_t k = 0; k < a.value.size(); ++k) {
        const auto i = static_cast<std::size_t>(a.row[k]);
        const auto j = static_cast<std::size_t>(a.col[k]);
        dense[i][j] += a.value[k];
        if (a.col[k] < chain) {
            dense[i][j + 1] -= 2.0 * a.value[k];
        }
    }
    io::coo<double> product{a.rows, a.cols, {}, {}, {}};
    for (std::size_t i = 0; i < dense.size(); ++i) {
        for (std::size_t j = 0; j < dense.size(); ++j) {
            if (dense[i][j] != 0.0) {
                product.row.push_back(static_cast<index_t>(i));
                product.col.push_back(static_cast<index_t>(j));
                product.value.push_back(dense[i][j]);
            }
        }
    }
    return with_solution_ones(product);
}

solve_options wanting(int digits)
{
    solve_options options;
    options.digits = digits;
    return options;
}

/// The report claims what was asked for, and no more than is true.
void expect_true_digits(const solve_result& result, const std::vector<real>& x, int digits)
{
    EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
    EXPECT_GE(result.report.digits, digits);
    EXPECT_LE(result.report.digits, agreeing_digits(result.x, x));
}

std::vector<real> scaled(const std::vector<real>& b, double factor)
{
    std::vector<real> result = b;
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = result[i] * real(factor + static_cast<double>(i % 3), 200);
    }
    return result;
}

}  // namespace

TEST(solver_test, gives_each_right_hand_side_what_a_new_solver_gives_it)
{
    for (const linear_system& system : {with_chain(random_sparse(40, 5, 1), 0), with_chain(random_sparse(40, 5, 2), 30),
                                        with_chain(random_sparse(30, 4, 3), 29), system_of(poisson_1d(60))}) {
        solver kept(system, wanting(25));
        for (const double factor : {1.0, 3.0, -7.5}) {
            linear_system fresh = system;
            fresh.b = scaled(system.b, factor);
            const solve_result expected = solve(fresh, wanting(25));
            const solve_result result = kept.solve(fresh.b);
            EXPECT_EQ(result.x, expected.x);
            EXPECT_EQ(result.report.status, expected.report.status);
            EXPECT_EQ(result.report.digits, expected.report.digits);
            EXPECT_EQ(result.report.iterations, expected.report.iterations);
            EXPECT_EQ(result.report.forward_error, expected.report.forward_error);
        }
    }
}

TEST(solver_test, factors_that_estimates_have_made_change_no_later_solve)
{
    // D M D is graded by 2^514, so that CG stagnates in some precisions, in which x may have the digits already.
    const int exponent[] = {-9, -266, -42};
    const double m[] = {7, 0, 5, 0, 15, 7, 5, 7, 18};
    io::coo<double> entries{3, 3, {}, {}, {}};
    for (index_t i = 0; i < 3; ++i) {
        for (index_t j = 0; j < 3; ++j) {
            entries.row.push_back(i);
            entries.col.push_back(j);
            entries.value.push_back(std::ldexp(m[3 * i + j], exponent[i] + exponent[j]));
        }
    }
    const linear_system system = make_system(entries, {});
    const std::vector<real> b = {real(-2.0), real(-8.0), real(-4.0)};
    for (const method by : {method::cg, method::minres, method::gmres, method::bicgstab, method::automatic}) {
        const solve_options options{.method = by, .precision_bits = 53, .digits = 16};
        solver kept(system, options);
        const solve_result first = kept.solve(b), again = kept.solve(b);
        EXPECT_EQ(first.x, again.x) << to_string(by);
        EXPECT_EQ(first.report.precision_bits, again.report.precision_bits) << to_string(by);
        EXPECT_EQ(first.report.forward_error, again.report.forward_error) << to_string(by);
    }
}

TEST(solver_test, solves_with_the_transposed_matrix)
{
    for (const index_t chain : {index_t{0}, index_t{30}, index_t{39}}) {
        const linear_system system = with_chain(random_sparse(40, 5, 4), chain);
        const std::vector<real> b = row_sums(transpose(system));
        solver kept(system, wanting(30));
        expect_true_digits(kept.solve(system.b), ones(40), 30);
        expect_true_digits(kept.solve_transposed(b), ones(40), 30);
        expect_true_digits(kept.solve_transposed(b), ones(40), 30);
    }
    linear_system wide = make_system(from_rows({{1, 2, 3}}), {real(1.0)});
    EXPECT_THROW(solver(wide).solve_transposed({real(1.0)}), dimension_error);
}

TEST(solver_test, takes_other_values_for_the_same_pattern)
{
    const linear_system first = with_chain(random_sparse(30, 4, 5), 10);
    solver kept(first, wanting(20));
    expect_true_digits(kept.solve(first.b), ones(30), 20);

    linear_system second = first;
    for (std::size_t k = 0; k < second.values.size(); ++k) {
        second.values.own()[k] *= k % 2 == 0 ? 3.0 : -2.0;
    }
    second.b = row_sums(second);
    kept.update_values(std::span<const double>(second.values));
    expect_true_digits(kept.solve(second.b), ones(30), 20);

    EXPECT_THROW(kept.update_values(std::vector<float>(3, 1.0F)), dimension_error);
    expect_true_digits(kept.solve(second.b), ones(30), 20);

    std::vector<real> tenths;
    for (const double a : first.values) {
        tenths.push_back(real(a, 400) / real(10.0, 400));
    }
    linear_system rounded = first;
    rounded.reading_error = real(0.25);
    solver of_rounded(rounded, wanting(20));
    of_rounded.update_values(tenths);  // which mean what they hold
    expect_true_digits(of_rounded.solve(row_sums(first)), std::vector<real>(30, real(10.0)), 20);
    kept.update_values(tenths);
    linear_system third = first;
    third.exact = tenths;
    expect_true_digits(kept.solve(row_sums(third)), ones(30), 20);
}

TEST(solver_test, options_are_set_by_name_and_the_others_left_out)
{
    solver kept(make_system(from_rows({{2, 0}, {0, 4}}), {}), {.digits = 30});  // without a warning
    EXPECT_EQ(kept.options().digits, 30);
    kept.update_values(std::vector<int>{8, 16});
    EXPECT_EQ(kept.system().values, (std::vector<double>{8, 16}));
}

TEST(solver_test, tells_condition_and_plan_without_a_right_hand_side)
{
    solver diagonal(make_system(from_rows({{4, 0}, {0, 0.5}}), std::vector<real>(2)));
    ASSERT_TRUE(diagonal.condition().has_value());
    EXPECT_NEAR(to_double(diagonal.condition()->condition), 8.0, 1e-12);
    EXPECT_EQ(diagonal.plan().candidates.front().method, method::refine);

    solver hard(with_chain(random_sparse(40, 5, 2), 39), wanting(16));
    EXPECT_GT(hard.condition()->condition, real(0x1p39));
    solver singular(make_system(from_rows({{1, 2}, {2, 4}}), std::vector<real>(2)));
    EXPECT_FALSE(singular.condition().has_value());
}

TEST(solver_test, refuses_what_does_not_fit_and_goes_on)
{
    const linear_system system = with_chain(random_sparse(10, 3, 6), 0);
    solver kept(system);
    EXPECT_THROW(kept.solve(ones(9)), dimension_error);
    EXPECT_THROW(kept.solve({ones(10), ones(11)}), dimension_error);
    EXPECT_EQ(kept.solve(system.b).report.status, solve_status::converged);
    solver moved = std::move(kept);
    EXPECT_EQ(moved.solve(system.b).report.status, solve_status::converged);

    linear_system broken = system;
    broken.column.own().front() = 100;
    EXPECT_THROW(solver{broken}, dimension_error);
    solve_options unknown;
    unknown.method = static_cast<method>(99);
    EXPECT_THROW(solver(system, unknown).solve(system.b), unsupported_error);
    unknown = {};
    unknown.precision_bits = -5;
    EXPECT_THROW(solver(system, unknown).solve(system.b), unsupported_error);
}

TEST(solver_test, digits_are_known_where_binary64_factors_of_a_large_full_matrix_do_not_suffice)
{
    for (const index_t chain : {index_t{60}, index_t{130}}) {
        const linear_system system = with_chain(random_sparse(2100, 700, 7, 10.0), chain);
        solver kept(system, wanting(16));
        const solve_result result = kept.solve(system.b);
        expect_true_digits(result, ones(2100), 16);
        EXPECT_EQ(result.report.condition_source, condition_source::factors);
        EXPECT_GT(*result.report.condition, ldexp(real(1.0), chain));
        EXPECT_LT(*result.report.condition, ldexp(real(1.0), chain + 40));
    }
}

TEST(solver_test, least_squares_have_digits_by_qr_or_by_the_augmented_system)
{
    // x = 1 solves A'A x = A'b exactly: b = A 1 + r with A'r = 0
    io::coo<double> a{4, 2, {0, 0, 1, 1, 2, 2, 3, 3}, {0, 1, 0, 1, 0, 1, 0, 1}, {1, 1, 1, 2, 1, 3, 1, 4}};
    const std::vector<double> r{1.0, -1.0, -1.0, 1.0};
    std::vector<real> b = row_sums(make_system(a, std::vector<real>(4)));
    for (std::size_t i = 0; i < 4; ++i) {
        b[i] = b[i] + real(r[i]);
    }
    const linear_system tall = make_system(a, b);
    for (const int digits : {5, 20, 60}) {
        const solve_result result = solve(tall, wanting(digits));
        expect_true_digits(result, ones(2), digits);
        EXPECT_EQ(result.report.forward_kind, error_kind::estimated);
        EXPECT_TRUE(result.report.least_squares);
    }
    // the shortest of all solutions: x = A'(A A')^-1 b
    const solve_result wide = solve(make_system(from_rows({{3, 0, 4}}), {real(25.0)}), wanting(30));
    expect_true_digits(wide, {real(3.0), real(0.0), real(4.0)}, 30);
    // of rank 1: the augmented system is singular, and its shortest solution has the shortest x
    const solve_result rank =
        solve(make_system(from_rows({{1, 2}, {2, 4}, {3, 6}}), {real(5.0), real(10.0), real(15.0)}), wanting(10));
    expect_true_digits(rank, {real(1.0), real(2.0)}, 10);
}

TEST(solver_test, what_reading_has_rounded_is_part_of_the_residual_and_of_the_error)
{
    // [1 1; 1 1 + 2^-70], read with 80 bits: the last entry's distance to 1 is right to 10 bits
    linear_system system =
        make_system(io::coo<real>{2,
                                  2,
                                  {0, 0, 1, 1},
                                  {0, 1, 0, 1},
                                  {real(1.0), real(1.0), real(1.0), real(1.0, 200) + ldexp(real(1.0, 200), -70)}},
                    {real(3.0), real(7.0)});
    const solve_result exact = solve(system, wanting(10));
    EXPECT_EQ(exact.report.status, solve_status::converged);
    system.reading_error = ldexp(real(1.0), -80);
    const solve_result read = solve(system, wanting(10));
    EXPECT_NE(read.report.status, solve_status::converged);
    EXPECT_LE(read.report.digits, 3);
}
