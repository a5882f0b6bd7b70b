// What a solver tells by its factors: determinant, inertia, entries of the inverse, and factors of other values.
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/base/random.hpp>
#include <residua/solvers/gallery/gallery.hpp>
#include <residua/solvers/solver.hpp>

#include "tests/support/eigen_reference.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

solve_options wanting(int digits)
{
    solve_options options;
    options.digits = digits;
    return options;
}

/// Numbers in [-1, 1] at about `per_row` places of each row and on the diagonal, rows in units of up to 2^range.
io::coo<double> any_matrix(index_t n, index_t per_row, int range, bool symmetric, std::uint64_t seed)
{
    splitmix64 random{seed};
    const auto number = [&] { return static_cast<double>(random() % 2000001) / 1e6 - 1.0; };
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n),
                                          std::vector<double>(static_cast<std::size_t>(n)));
    for (index_t i = 0; i < n; ++i) {
        rows[i][i] = number();
        for (index_t k = 0; k < per_row; ++k) {
            const auto j = static_cast<index_t>(random() % static_cast<std::uint64_t>(n));
            rows[i][j] = number();
            if (symmetric) {
                rows[j][i] = rows[i][j];
            }
        }
    }
    std::vector<int> unit(static_cast<std::size_t>(n));
    for (int& e : unit) {
        e = range > 0 ? static_cast<int>(random() % static_cast<std::uint64_t>(range)) : 0;
    }
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            rows[i][j] = std::ldexp(rows[i][j], symmetric ? unit[i] + unit[j] : unit[i]);
        }
    }
    return from_rows(rows);
}

/// The claimed error is above the true one, and below what was asked for.
void expect_determinant(const linear_system& system, int digits)
{
    const std::optional<determinant_estimate> found = solver(system, wanting(digits)).determinant();
    ASSERT_TRUE(found.has_value());
    const real det = eigen_entries(system, 4000).partialPivLu().determinant();
    const real error = abs(found->value / det - real(1.0, 4000));
    EXPECT_LE(error, found->relative_error) << digits << " digits of " << det;
    EXPECT_LE(found->relative_error, pow(real(10.0), -std::max(digits, 3)));
}

/// By elimination without pivoting in so many bits that it does not matter: no leading minor is zero by accident.
inertia inertia_by_minors(const linear_system& system)
{
    eigen_matrix a = eigen_entries(system, 4000);
    inertia result;
    for (index_t k = 0; k < a.rows(); ++k) {
        ++(real(0.0) < a(k, k) ? result.positive : result.negative);
        for (index_t i = k + 1; i < a.rows(); ++i) {
            const real multiple = a(i, k) / a(k, k);
            for (index_t j = k + 1; j < a.rows() && !is_zero(multiple); ++j) {
                a(i, j) -= multiple * a(k, j);
            }
        }
    }
    return result;
}

void expect_inertia(const linear_system& system)
{
    const std::optional<inertia> found = solver(system).inertia(), expected = inertia_by_minors(system);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->positive, expected->positive);
    EXPECT_EQ(found->negative, expected->negative);
    EXPECT_EQ(found->zero, 0);
}

}  // namespace

TEST(determinant_estimate_test, a_decimal_has_an_error_of_its_own)
{
    const determinant_estimate det{.value = real("671088640.5", 200), .relative_error = real(1e-15)};
    const real error = abs(real("6.71e8", 200) / det.value - real(1.0));
    const real of_decimal = det.relative_error_of("6.71e+08");
    EXPECT_GE(of_decimal, error + det.relative_error);
    EXPECT_LE(of_decimal, error * real(1.001));
    EXPECT_GE(real(to_string(of_decimal, 6), 200), error + det.relative_error);
    EXPECT_LE(det.relative_error_of("6.710886405e+08"), real(1.1e-15));
    const determinant_estimate zero{.value = real(0.0), .relative_error = real(0.0)};
    EXPECT_TRUE(is_zero(zero.relative_error_of("0")));
}

TEST(solver_factors_test, determinants_have_the_digits_that_are_claimed)
{
    for (const int digits : {0, 10, 100, 400}) {
        for (const index_t n : {index_t{1}, index_t{2}, index_t{9}, index_t{40}}) {
            for (std::uint64_t seed = 1; seed <= 4; ++seed) {
                expect_determinant(system_of(any_matrix(n, 3, 0, false, seed)), digits);
                expect_determinant(system_of(any_matrix(n, 3, 300, false, seed)), digits);
                expect_determinant(system_of(any_matrix(n, n, 30, false, seed)), digits);
                expect_determinant(system_of(any_matrix(n, 2, 200, true, seed)), digits);
                expect_determinant(system_of(any_matrix(n, n, 20, true, seed)), digits);
                ASSERT_FALSE(HasFailure()) << "n " << n << ", seed " << seed;
            }
        }
        expect_determinant(system_of(scaled_hilbert(12)), digits);
        expect_determinant(system_of(poisson_2d(12)), digits);
    }
}

TEST(solver_factors_test, determinants_of_entries_that_are_not_of_binary64)
{
    io::coo<real> a{3, 3, {0, 0, 1, 1, 1, 2, 2}, {0, 1, 0, 1, 2, 1, 2}, {}};
    for (const char* decimal : {"0.1", "1e-400", "3e500", "0.3", "-7e20", "1.7", "1e-30"}) {
        a.value.push_back(real(decimal, 600));
    }
    expect_determinant(make_system(a, ones(3)), 50);
}

TEST(solver_factors_test, determinants_that_are_zero_or_out_of_range_of_binary64)
{
    // the third column has entries in the row of the second one only
    const auto structural = solver(system_of(from_rows({{1, 2, 0}, {0, 3, 4}, {5, 0, 0}}))).determinant();
    ASSERT_TRUE(structural.has_value());
    EXPECT_EQ(structural->value, real(40.0));
    for (const auto& rows : {std::vector<std::vector<double>>{{1, 2, 0}, {0, 3, 0}, {5, 0, 0}},
                             {{0.0}},
                             {{1, 2, 3}, {0, 0, 4}, {0, 0, 5}}}) {
        const auto zero = solver(system_of(from_rows(rows))).determinant();
        ASSERT_TRUE(zero.has_value());
        EXPECT_TRUE(is_zero(zero->value));
        EXPECT_TRUE(is_zero(zero->relative_error));
    }
    // entries that are stored zeros
    const auto stored =
        solver(system_of({3, 3, {0, 0, 1, 1, 2, 2}, {0, 1, 0, 1, 0, 2}, {1, 2, 0, 3, 0, 0}})).determinant();
    ASSERT_TRUE(stored.has_value());
    EXPECT_TRUE(is_zero(stored->value));
    const auto dependent = solver(system_of(from_rows({{1, 2}, {2, 4}}))).determinant();
    ASSERT_TRUE(dependent.has_value());
    EXPECT_TRUE(is_zero(dependent->value));
    EXPECT_TRUE(is_zero(dependent->relative_error));
    EXPECT_EQ(solver(make_system(io::coo<double>{0, 0, {}, {}, {}}, {})).determinant()->value, real(1.0));

    io::coo<double> large{1200, 1200, {}, {}, {}};
    for (index_t i = 0; i < 1200; ++i) {
        large.row.push_back(i);
        large.col.push_back(1199 - i);
        large.value.push_back(-0x1p100);
    }
    EXPECT_EQ(solver(system_of(large)).determinant()->value, ldexp(real(1.0), 120000));  // 600 swaps
    EXPECT_THROW(solver(make_system(from_rows({{1, 2, 3}}), ones(1))).determinant(), dimension_error);
}

TEST(solver_factors_test, the_inertia_is_that_of_the_eigenvalues)
{
    for (const index_t n : {index_t{1}, index_t{2}, index_t{7}, index_t{30}, index_t{60}}) {
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            expect_inertia(system_of(any_matrix(n, 2, 0, true, seed)));
            expect_inertia(system_of(any_matrix(n, 2, 60, true, seed)));
            expect_inertia(system_of(any_matrix(n, n, 0, true, seed)));
            ASSERT_FALSE(HasFailure()) << "n " << n << ", seed " << seed;
        }
    }
    expect_inertia(system_of(poisson_2d(8)));
    // binary64 does not see the sign of the smallest eigenvalue of these
    expect_inertia(system_of(scaled_hilbert(15)));
    io::coo<double> nearly = scaled_hilbert(15);
    nearly.value.back() -= 1.0;
    expect_inertia(system_of(nearly));
}

TEST(solver_factors_test, the_inertia_of_a_singular_matrix_counts_zeros_and_others_are_refused)
{
    const auto singular = solver(system_of(from_rows({{1, 2}, {2, 4}}))).inertia();
    ASSERT_TRUE(singular.has_value());
    EXPECT_EQ(singular->positive, 1);
    EXPECT_EQ(singular->negative, 0);
    EXPECT_EQ(singular->zero, 1);
    EXPECT_EQ(solver(make_system(io::coo<double>{0, 0, {}, {}, {}}, {})).inertia()->positive, 0);
    EXPECT_THROW(solver(system_of(from_rows({{1, 2}, {3, 4}}))).inertia(), unsupported_error);
    EXPECT_THROW(solver(make_system(from_rows({{1, 2, 3}}), ones(1))).inertia(), dimension_error);
}

TEST(solver_factors_test, entries_of_the_inverse_are_those_of_eigen)
{
    for (const auto& a : {any_matrix(50, 3, 8, false, 3), any_matrix(80, 80, 0, true, 5), scaled_hilbert(10)}) {
        const linear_system system = system_of(a);
        const eigen_matrix inverse = eigen_entries(system, 2000).inverse();
        solver kept(system, wanting(40));
        std::vector<std::pair<index_t, index_t>> places;
        for (index_t i = 0; i < system.rows; ++i) {
            places.emplace_back(i, (7 * i + 3) % system.rows);
            places.emplace_back(0, i);
        }
        places.push_back(places.front());
        const std::vector<inverse_entry> found = kept.inverse_entries(places);
        ASSERT_EQ(found.size(), places.size());
        for (std::size_t k = 0; k < places.size(); ++k) {
            const auto [i, j] = places[k];
            EXPECT_EQ(found[k].status, solve_status::converged);
            ASSERT_TRUE(found[k].error.has_value());
            EXPECT_LE(abs(found[k].value.with_precision(2000) - inverse(i, j)), *found[k].error);
            EXPECT_LE(*found[k].error, inverse.col(j).cwiseAbs().maxCoeff() * real(1e-40));
        }
    }
    solver small(system_of(from_rows({{2, 1}, {0, 4}})));
    EXPECT_TRUE(small.inverse_entries({}).empty());
    for (const auto& [i, j] : {std::pair{-1, 0}, {0, -1}, {2, 0}, {0, 2}}) {
        EXPECT_THROW(small.inverse_entries({{0, 0}, {i, j}}), dimension_error);
    }
    EXPECT_THROW(solver(make_system(from_rows({{1, 2, 3}}), ones(1))).inverse_entries({}), dimension_error);
}

TEST(solver_factors_test, several_transposed_systems_have_the_bits_of_each_alone)
{
    const linear_system system = system_of(any_matrix(60, 3, 10, false, 11));
    std::vector<std::vector<real>> b(5, ones(60));
    for (std::size_t k = 0; k < b.size(); ++k) {
        b[k][7 * k] = real(static_cast<double>(k) + 0.5);
    }
    const std::vector<solve_result> together = solver(system, wanting(20)).solve_transposed(b);
    for (std::size_t k = 0; k < b.size(); ++k) {
        EXPECT_EQ(together[k].x, solver(system, wanting(20)).solve_transposed(b[k]).x);
    }
}

TEST(solver_factors_test, other_values_of_sparse_matrices_give_what_a_new_solver_gives)
{
    for (const bool symmetric : {false, true}) {
        const linear_system first = system_of(any_matrix(120, 3, 3, symmetric, 21));
        solver kept(first, wanting(30));
        kept.solve(first.b);
        splitmix64 random{5};
        for (int change = 0; change < 4; ++change) {
            // small changes keep the matching of rows and columns, large ones do not; both keep the symmetry
            std::vector<double> factor(120);
            for (double& f : factor) {
                f = change < 2 ? 1.0 + 0x1p-20 * static_cast<double>(random() % 5)
                               : static_cast<double>(random() % 2000) - 999.5;
            }
            linear_system second = first;
            for (index_t i = 0; i < 120; ++i) {
                for (index_t k = second.row_begin[i]; k < second.row_begin[i + 1]; ++k) {
                    second.values.own()[k] *= factor[i] * factor[second.column[k]];
                }
            }
            kept.update_values(second.values);
            kept.update_values(second.values);  // what nobody has looked at passes on what it was given
            solver fresh(second, wanting(30));
            EXPECT_EQ(kept.solve(first.b).x, fresh.solve(first.b).x);
            EXPECT_EQ(kept.determinant()->value, fresh.determinant()->value);
            EXPECT_EQ(kept.solve_transposed(first.b).x, fresh.solve_transposed(first.b).x);
        }
    }
}
