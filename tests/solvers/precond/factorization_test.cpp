// One type of factors, whatever is behind it: triangles, fronts and dense matrices in every kind of format.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/base/arithmetic.hpp>
#include <residua/solvers/precond/factorize.hpp>

#include "tests/support/dense.hpp"
#include "tests/support/sparse.hpp"
#include "tests/support/symmetric_matrices.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

constexpr long exact_bits = 3000;

struct made_factors {
    std::string what;
    scaled_matrix matrix;
    factorization factors;
};

/// Factors of a sparse and of a dense matrix, neither of them symmetric, in all kinds of formats.
std::vector<made_factors> all_factors()
{
    std::vector<made_factors> all;
    for (const bool dense : {false, true}) {
        const scaled_matrix m = unscaled(dense ? rows_of(any_matrix(23, 1.0, 5)) : grid(6, 5, 1, 3.0), false);
        const std::string size = dense ? "dense" : "sparse";
        sparse_analyses analyses;
        for (const long bits : {24L, 53L}) {
            all.push_back({size + ", native, " + std::to_string(bits), m,
                           factorize_native(m, factor_kind::lu, analyses, {.bits = bits})});
        }
        for (const arithmetic& in : {arithmetic{number_format::native, 53}, arithmetic{number_format::expansion, 212},
                                     arithmetic{number_format::multidigit, 300}, arithmetic{number_format::rns, 200}}) {
            all.push_back({size + ", own, " + std::to_string(in.bits), m, factorize_long(in, m)});
        }
    }
    return all;
}

std::vector<real> right_hand_side(index_t n, double phase)
{
    std::vector<real> b;
    for (index_t i = 0; i < n; ++i) {
        b.push_back(real(std::sin(static_cast<double>(3 * i) + phase)));
    }
    return b;
}

/// max |b - S x| or |b - S' x|, over max |x|
real residual(const sparse_matrix& s, const std::vector<real>& x, std::vector<real> b, bool transposed)
{
    for (real& each : b) {
        each = each.with_precision(exact_bits);
    }
    for (index_t i = 0; i < s.rows; ++i) {
        for (index_t k = s.row_begin[i]; k < s.row_begin[i + 1]; ++k) {
            const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(s.column[k]);
            b[transposed ? column : row] -= x[transposed ? row : column] * real(s.values[k], exact_bits);
        }
    }
    real largest(0.0), of_x(0.0);
    for (std::size_t i = 0; i < b.size(); ++i) {
        largest = max(largest, abs(b[i]));
        of_x = max(of_x, abs(x[i]));
    }
    return largest / of_x;
}

std::vector<std::vector<real>> solve(const factorization& factors, const std::vector<std::vector<real>>& b,
                                     bool transposed)
{
    std::vector<long_vector> r(b.begin(), b.end());
    long_columns all;
    for (long_vector& each : r) {
        all.push_back(&each);
    }
    std::vector<std::vector<real>> x;
    for (const long_vector& each : factors.solve(all, transposed)) {
        x.push_back(each.numbers());
    }
    return x;
}

}  // namespace

TEST(factorization_test, all_kinds_solve_to_their_precision)
{
    for (const auto& [what, matrix, factors] : all_factors()) {
        ASSERT_EQ(factors.failure(), "") << what;
        ASSERT_TRUE(factors.exist());
        EXPECT_EQ(factors.size(), matrix.rows) << what;
        const real unit = ldexp(real(1.0), -factors.bits());
        const std::vector<std::vector<real>> b{right_hand_side(matrix.rows, 1.0), right_hand_side(matrix.rows, 2.0)};
        for (const bool transposed : {false, true}) {
            const auto x = solve(factors, b, transposed);
            for (std::size_t j = 0; j < b.size(); ++j) {
                EXPECT_LE(residual(matrix, x[j], b[j], transposed), real(1e4) * unit) << what;
                EXPECT_EQ(solve(factors, {b[j]}, transposed).front(), x[j]) << what << ": alone";
            }
            EXPECT_EQ(solve(factors.transposed(), b, transposed), solve(factors, b, !transposed)) << what;
            EXPECT_EQ(solve(factors.transposed().transposed(), b, transposed), x) << what;
        }
    }
}

TEST(factorization_test, residuals_and_corrections_are_scaled_by_powers_of_two)
{
    for (const auto& [what, matrix, factors] : all_factors()) {
        scaled_matrix scaled = matrix;
        for (std::size_t i = 0; i < scaled.row_exponent.size(); ++i) {
            scaled.row_exponent[i] = static_cast<int>(i % 7) - 3;
            scaled.column_exponent[i] = static_cast<int>(i % 5) - 2;
        }
        std::vector<real> b = right_hand_side(matrix.rows, 3.0), by_hand = b;
        for (std::size_t i = 0; i < b.size(); ++i) {
            by_hand[i] = ldexp(b[i], scaled.row_exponent[i]);
        }
        std::vector<real> expected = solve(factors, {by_hand}, false).front();
        for (std::size_t i = 0; i < b.size(); ++i) {
            expected[i] = ldexp(expected[i], scaled.column_exponent[i]);
        }
        long_vector r(b);
        method_seconds seconds;
        EXPECT_EQ(factors.solve(long_columns{&r}, scaled, &seconds).front().numbers(), expected) << what;
        EXPECT_GT(seconds.preconditioner, 0.0);
        EXPECT_GT(seconds.transfers, 0.0);
    }
}

TEST(factorization_test, what_a_kind_does_not_have_is_refused)
{
    for (const auto& [what, matrix, factors] : all_factors()) {
        vector<host_executor, double> x(matrix.rows);
        if (factors.bits() > binary64_bits) {
            EXPECT_THROW(static_cast<void>(factors.triangles()), unsupported_error) << what;
            EXPECT_THROW(factors.solve(x), unsupported_error) << what;
            EXPECT_NO_THROW(static_cast<void>(factors.numbers())) << what;
        } else if (what.find("native") != std::string::npos) {
            EXPECT_EQ(factors.triangles().lower.rows, matrix.rows) << what;
            EXPECT_NO_THROW(factors.solve(x)) << what;
        }
    }
    const factorization none("no room");
    EXPECT_FALSE(none.exist());
    EXPECT_FALSE(factorization().exist());
    EXPECT_FALSE(none.transposed().exist());
    EXPECT_EQ(none.transposed().failure(), "no room");
    EXPECT_FALSE(none.find_determinant().has_value());
    EXPECT_FALSE(none.find_inertia().has_value());
}

TEST(factorization_test, growth_of_entries)
{
    sparse_analyses analyses;
    std::vector<std::vector<double>> wilkinson(12, std::vector<double>(12, 0.0));
    for (std::size_t i = 0; i < 12; ++i) {
        for (std::size_t j = 0; j < 12; ++j) {
            wilkinson[i][j] = i == j || j == 11 ? 1.0 : i > j ? -1.0 : 0.0;
        }
    }
    const sparse_matrix w = rows_of(from_rows(wilkinson));
    EXPECT_EQ(factorize_native(w, factor_kind::lu, analyses).growth(w), 0x1p11);
    for (const arithmetic& in : {arithmetic{number_format::expansion, 106}, arithmetic{number_format::multidigit, 300},
                                 arithmetic{number_format::rns, 200}}) {
        EXPECT_EQ(factorize_long(in, unscaled(w, false)).growth(w), 0x1p11);
    }
    // [e, 1; 1, 0] is one pivot, and rows of any size keep their growth
    const sparse_matrix pair = rows_of(from_rows({{0x1p-40, 1, 1}, {1, 0, 1}, {1, 1, 2}}));
    const sparse_matrix scaled =
        rows_of(from_rows({{0x1p20, 0x1p50, 0x1p30}, {0x1p50, 0, 0x1p20}, {0x1p30, 0x1p20, 2}}));
    for (const sparse_matrix* a : {&pair, &scaled}) {
        const double growth = factorize_native(*a, factor_kind::ldl, analyses).growth(*a);
        EXPECT_GE(growth, 1.0);
        EXPECT_LE(growth, 4.0);
    }
    for (const factor_kind kind : {factor_kind::lu, factor_kind::ldl}) {
        sparse_analyses of_a;
        const sparse_matrix a = kind == factor_kind::ldl ? zero_diagonal(120, 5) : grid(13, 12, 1, 3.0);
        const factorization by_fronts = factorize_native(a, kind, of_a);
        ASSERT_TRUE(by_fronts.exist() && by_fronts.are_fronts());
        const double one = by_fronts.growth(a), other = by_triangles(by_fronts.triangles()).growth(a);
        EXPECT_LE(one,
                  (kind == factor_kind::lu ? 1.0 : 4.0) * other);  // pivots of two columns are factorised once more
        EXPECT_LE(other, (kind == factor_kind::lu ? 1.0 : 4.0) * one);
    }
}
