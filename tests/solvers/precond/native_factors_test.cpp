// Complete factors in binary64 and binary32: as fronts and as triangles they are the same ones.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/base/memory.hpp>
#include <residua/solvers/precond/factorize.hpp>

#include "tests/support/dense.hpp"
#include "tests/support/sparse.hpp"
#include "tests/support/stopping.hpp"
#include "tests/support/symmetric_matrices.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

struct precision {
    long bits;
    double unit;
};
constexpr precision both[] = {{24, 0x1p-24}, {53, 0x1p-53}};

std::vector<double> right_hand_side(index_t n)
{
    std::vector<double> b;
    for (index_t i = 0; i < n; ++i) {
        b.push_back(std::sin(static_cast<double>(3 * i + 1)));
    }
    return b;
}

std::vector<double> solve(const factorization& factors, const std::vector<double>& b, bool transposed)
{
    auto x = host_space<double>{}.make_vector(b);
    factors.solve(x, transposed);
    std::vector<double> result;
    for (index_t i = 0; i < x.size(); ++i) {
        result.push_back(x.get(i));
    }
    return result;
}

double largest(const std::vector<double>& x)
{
    return std::abs(
        *std::max_element(x.begin(), x.end(), [](double y, double z) { return std::abs(y) < std::abs(z); }));
}

double largest_difference(std::vector<double> x, const std::vector<double>& y)
{
    std::transform(x.begin(), x.end(), y.begin(), x.begin(), std::minus<>());
    return largest(x);
}

factorization made(const sparse_matrix& a, factor_kind kind, const factor_options& options)
{
    sparse_analyses analyses;
    return factorize_native(a, kind, analyses, options);
}

/// max |b - A x| or |b - A' x|, over max |x|
double residual(const sparse_matrix& a, const std::vector<double>& x, std::vector<double> b, bool transposed)
{
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            const index_t j = a.column[p];
            b[transposed ? j : i] -= a.values[p] * x[transposed ? i : j];
        }
    }
    return largest(b) / largest(x);
}

}  // namespace

TEST(native_factors_test, fronts_and_triangles_solve_the_same)
{
    for (const auto& [bits, unit] : both) {
        for (const bool definite : {true, false}) {
            const sparse_matrix a = definite ? grid(13, 12) : grid(13, 12, 1, 3.0);
            const std::vector<double> b = right_hand_side(a.rows);
            const auto factors = made(a, definite ? factor_kind::cholesky : factor_kind::lu, {.bits = bits});
            ASSERT_EQ(factors.failure(), "");
            ASSERT_TRUE(factors.are_fronts());
            EXPECT_EQ(factors.size(), a.rows);
            const factorization triangles = by_triangles(factors.triangles());
            ASSERT_FALSE(triangles.are_fronts());
            for (const bool transposed : {false, true}) {
                const std::vector<double> x = solve(factors, b, transposed);
                EXPECT_LE(residual(a, x, b, transposed), 1000.0 * unit) << bits;
                EXPECT_GE(residual(a, x, b, transposed), 0.01 * unit) << bits;  // the factors are no better than that
                // kappa is below 200, and both solve in binary64
                EXPECT_LE(largest_difference(x, solve(triangles, b, transposed)), 1e-12 * largest(x));
                EXPECT_EQ(solve(factors.transposed(), b, transposed), solve(factors, b, !transposed));
                EXPECT_LE(largest_difference(solve(by_triangles(factors.transposed().triangles()), b, transposed),
                                             solve(factors, b, !transposed)),
                          1e-12 * largest(x));
            }
            EXPECT_LE(abs(*factors.find_determinant() / *triangles.find_determinant() - real(1.0)), real(1e-13));
            EXPECT_GE(factors.entries(), triangles.entries() / (definite ? 2.0 : 1.0) - static_cast<double>(a.rows));
        }
    }
}

TEST(native_factors_test, entries_are_numbers_of_the_precision_that_was_asked_for)
{
    for (const factor_kind kind : {factor_kind::cholesky, factor_kind::lu}) {
        const sparse_matrix a = grid(9, 8);
        const auto wide = made(a, kind, {.bits = 53}), narrow = made(a, kind, {.bits = 24}),
                   half = made(a, kind, {.bits = 11});
        EXPECT_EQ(narrow.entries(), wide.entries());
        EXPECT_EQ(narrow.lower_entries(), wide.lower_entries());
        EXPECT_EQ(narrow.triangles().lower.column, wide.triangles().lower.column);
        EXPECT_NE(narrow.triangles().lower.values, wide.triangles().lower.values);
        for (const double each : narrow.triangles().lower.values) {
            EXPECT_EQ(each, static_cast<double>(static_cast<float>(each)));
        }
        EXPECT_EQ(half.triangles().lower.values, narrow.triangles().lower.values);
        EXPECT_EQ(half.triangles().upper.values, narrow.triangles().upper.values);
    }
}

TEST(native_factors_test, several_right_hand_sides_have_the_bits_of_one)
{
    const sparse_matrix a = grid(15, 14, 1, 3.0);
    for (const auto& each : both) {
        const auto factors = made(a, factor_kind::lu, {.bits = each.bits});
        const std::vector<double> b = right_hand_side(a.rows);
        std::vector<vector<host_executor, double>> x(19, host_space<double>{}.make_vector(b));
        columns<host_space<double>> all;
        for (auto& column : x) {
            all.push_back(&column);
        }
        factors.solve(all);
        const std::vector<double> alone = solve(factors, b, false);
        for (const auto& column : x) {
            for (index_t i = 0; i < a.rows; ++i) {
                EXPECT_EQ(column.get(i), alone[static_cast<std::size_t>(i)]);
            }
        }
    }
}

TEST(native_factors_test, dense_matrices_have_triangles)
{
    const sparse_matrix a = rows_of(any_matrix(20, 1.0, 3));
    for (const auto& each : both) {
        const auto factors = made(a, factor_kind::lu, {.bits = each.bits});
        ASSERT_EQ(factors.failure(), "");
        EXPECT_FALSE(factors.are_fronts());
        EXPECT_EQ(factors.entries(), 20.0 * 21.0);
    }
}

TEST(native_factors_test, of_symmetric_matrices_that_are_not_definite)
{
    const sparse_matrix sparse = saddle_point(9, 20, 3);  // definite with constraints: as many negative eigenvalues
    const sparse_matrix dense = rows_of(from_rows({{1, 2, 3}, {2, 1, 2}, {3, 2, 0}}));  // of determinant 11
    for (const auto& [bits, unit] : both) {
        for (const sparse_matrix* a : {&sparse, &dense}) {
            const auto factors = made(*a, factor_kind::ldl, {.bits = bits});
            ASSERT_EQ(factors.failure(), "");
            EXPECT_EQ(factors.are_fronts(), a == &sparse);
            EXPECT_EQ(factors.lower_entries(), (a == &sparse ? 1.0 : 0.5) * factors.entries());
            const std::vector<double> b = right_hand_side(a->rows);
            for (const bool transposed : {false, true}) {
                const std::vector<double> x = solve(factors, b, transposed);
                EXPECT_LE(residual(*a, x, b, transposed), 1000.0 * unit) << bits;
            }
            const auto signs = factors.find_inertia();
            ASSERT_TRUE(signs.has_value());
            EXPECT_EQ(signs->negative, a == &sparse ? 20 : 2);
            EXPECT_EQ(signs->positive, a == &sparse ? 81 : 1);
        }
        EXPECT_LE(abs(*made(dense, factor_kind::ldl, {.bits = bits}).find_determinant() - real(11.0)),
                  real(1000.0 * unit));
        EXPECT_FALSE(made(dense, factor_kind::lu, {.bits = bits}).find_inertia().has_value());
    }
}

TEST(native_factors_test, stop_when_asked)
{
    for (const auto& each : both) {
        const sparse_matrix a = grid(20, 20);
        EXPECT_TRUE(is_stopped([] { return true; }, [&] { made(a, factor_kind::lu, {.bits = each.bits}); }));
    }
    EXPECT_THROW(made(grid(4, 4), factor_kind::lu, {.bits = 25}), unsupported_error);
}

TEST(native_factors_test, of_24_bits_fit_where_those_of_53_do_not)
{
    const sparse_matrix a = grid(40, 40, 1, 3.0);
    const sparse_analysis analysis = analyze_for_factors(a, factor_kind::lu);
    const memory_limit limit(0.5 * (bytes_of_fronts(analysis, 4.0) + bytes_of_fronts(analysis, 8.0)));

    EXPECT_EQ(made(a, factor_kind::lu, {.bits = 24}).failure(), "");
    EXPECT_THROW(made(a, factor_kind::lu, {.bits = 53}), resource_error);
}
