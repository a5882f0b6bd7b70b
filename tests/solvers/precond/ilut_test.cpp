// ILUT against whole factors, against its dropping rules, and against units.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <residua/solvers/precond/factors.hpp>

#include "tests/support/dense.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// R A C as the factors scale it.
dense scaled(const sparse_rows& a, const triangular_factors& f)
{
    dense d = to_dense(a);
    for (std::size_t i = 0; i < d.size(); ++i) {
        for (std::size_t j = 0; j < d.size(); ++j) {
            d[i][j] = std::ldexp(d[i][j], f.row_exponent[i] + f.column_exponent[j]);
        }
    }
    return d;
}

double largest_difference(const dense& x, const dense& y)
{
    double largest = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = 0; j < x.size(); ++j) {
            largest = std::max(largest, std::abs(x[i][j] - y[i][j]));
        }
    }
    return largest;
}

/// Entries of row i on either side of the diagonal.
index_t lower_entries(const sparse_rows& a, index_t i)
{
    return std::count_if(a.column.begin() + a.row_begin[i], a.column.begin() + a.row_begin[i + 1],
                         [i](std::int32_t j) { return j < i; });
}
index_t upper_entries(const sparse_rows& a, index_t i)
{
    return std::count_if(a.column.begin() + a.row_begin[i], a.column.begin() + a.row_begin[i + 1],
                         [i](std::int32_t j) { return j > i; });
}

}  // namespace

TEST(ilut_test, keeps_the_larger_of_two_fills)
{
    // Row 4 gets fill from row 1 in columns 2 and 3: -0.25 and -0.5. The other rows lose theirs.
    const sparse_rows a = rows_of(from_rows({{1, 0.5, 1, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0.5, 0, 0, 1}}));

    const triangular_factors factors = factorize_ilut(a, {.fill = 1, .drop = 0.0});

    // scaled by 1/2, rows and columns alike, up to the power of two
    const dense lower = to_dense(factors.lower);
    EXPECT_EQ(lower[3][0], 0.5);
    EXPECT_EQ(lower[3][1], 0.0);
    EXPECT_EQ(lower[3][2], -0.5);
    EXPECT_EQ(factorize_ilut(a, {.fill = 0, .drop = 0.0}).lower.column, (std::vector<std::int32_t>{0, 1, 2, 0, 3}));
}

TEST(ilut_test, without_dropping_is_the_whole_factorisation)
{
    for (unsigned seed = 1; seed <= 10; ++seed) {
        const sparse_rows a = random_rows(40, 0.1, seed % 2 == 0, seed);

        const triangular_factors factors = factorize_ilut(a, {.fill = a.n, .drop = 0.0});

        ASSERT_TRUE(factors.failure.empty());
        const dense product = multiply(to_dense(factors.lower), to_dense(factors.upper));
        EXPECT_LT(largest_difference(product, scaled(a, factors)), 1e-13) << "seed " << seed;
    }
}

TEST(ilut_test, keeps_no_more_than_it_is_allowed)
{
    const sparse_rows a = random_rows(60, 0.1, false, 17);
    for (const index_t fill : {0, 1, 5}) {
        for (const double drop : {0.0, 0.01, 0.3}) {
            const triangular_factors factors = factorize_ilut(a, {.fill = fill, .drop = drop});

            ASSERT_TRUE(factors.failure.empty());
            const dense s = scaled(a, factors);
            bool filled = false;
            for (index_t i = 0; i < a.n; ++i) {
                double square = 0.0;
                for (const double x : s[i]) {
                    square += x * x;
                }
                EXPECT_LE(lower_entries(factors.lower, i), lower_entries(a, i) + fill);
                EXPECT_LE(upper_entries(factors.upper, i), upper_entries(a, i) + fill);
                filled = filled || lower_entries(factors.lower, i) > lower_entries(a, i);
                for (const sparse_rows* side : {&factors.lower, &factors.upper}) {
                    for (index_t p = side->row_begin[i]; p < side->row_begin[i + 1]; ++p) {
                        EXPECT_TRUE(side->column[p] == i ||
                                    std::abs(side->value[p]) >= 0.999 * drop * std::sqrt(square));
                        EXPECT_TRUE(p == side->row_begin[i] || side->column[p - 1] < side->column[p]);
                    }
                }
            }
            EXPECT_TRUE(filled || fill == 0 || drop > 0.0) << fill << ' ' << drop;
        }
    }
}

TEST(ilut_test, comes_closer_with_more_fill_and_smaller_thresholds)
{
    const sparse_rows a = random_rows(80, 0.05, true, 5);
    const auto error = [&](index_t fill, double drop) {
        const triangular_factors f = factorize_ilut(a, {.fill = fill, .drop = drop});
        return largest_difference(multiply(to_dense(f.lower), to_dense(f.upper)), scaled(a, f));
    };

    EXPECT_LT(error(a.n, 1e-4), 1e-3);
    EXPECT_LT(error(a.n, 1e-4), error(a.n, 1e-2));
    EXPECT_LT(error(a.n, 1e-4), error(0, 1e-4));
}

TEST(ilut_test, does_not_depend_on_the_units_of_rows)
{
    const sparse_rows a = random_rows(50, 0.1, false, 23);
    sparse_rows other = a;
    for (index_t i = 0; i < a.n; ++i) {
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            other.value[p] = std::ldexp(a.value[p], static_cast<int>(3 * (i % 7) - 10));
        }
    }

    const triangular_factors expected = factorize_ilut(a);
    const triangular_factors factors = factorize_ilut(other);

    EXPECT_EQ(factors.upper.column, expected.upper.column);
    EXPECT_EQ(factors.upper.value, expected.upper.value);
    EXPECT_EQ(factors.lower.value, expected.lower.value);
}

TEST(ilut_test, says_which_row_has_no_pivot)
{
    for (const auto& rows : {dense{{1, 1}, {1, 1}}, dense{{1, 1}, {0, 0}}, dense{{1, 0}, {1, 0}}}) {
        EXPECT_NE(factorize_ilut(rows_of(from_rows(rows))).failure.find("row 2"), std::string::npos);
    }
}

TEST(ilut_test, takes_matrices_of_one_row_and_of_none)
{
    const triangular_factors one = factorize_ilut(rows_of(from_rows({{3}})));
    EXPECT_EQ(to_dense(one.upper), (dense{{0.75}}));
    EXPECT_EQ(one.row_exponent.front() + one.column_exponent.front(), -2);
    const triangular_factors none = factorize_ilut(rows_of(from_rows({})));
    EXPECT_TRUE(none.failure.empty());
    EXPECT_EQ(none.upper.row_begin, std::vector<index_t>{0});
}
