// ILUT against whole factors, against its dropping rules, and against units.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/precond/factors.hpp>

#include "tests/support/dense.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// P R A C Q by the definition of triangular_factors.
dense arranged_entries(const sparse_matrix& a, const triangular_factors& f)
{
    const dense entries = to_dense(a);
    dense d = entries;
    for (std::size_t i = 0; i < d.size(); ++i) {
        for (std::size_t j = 0; j < d.size(); ++j) {
            const std::int32_t row = f.row_order[i], column = f.column_order[j];
            d[i][j] = std::ldexp(entries[row][column], f.row_exponent[row] + f.column_exponent[column]);
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
index_t lower_entries(const dense& a, index_t i)
{
    return std::count_if(a[i].begin(), a[i].begin() + i, [](double x) { return x != 0.0; });
}
index_t upper_entries(const dense& a, index_t i)
{
    return std::count_if(a[i].begin() + i + 1, a[i].end(), [](double x) { return x != 0.0; });
}

}  // namespace

TEST(ilut_test, keeps_the_larger_of_two_fills)
{
    // A row of L, or of U, that has no entries of A there gets fill in two columns, and keeps the larger one.
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const sparse_matrix a = random_rows(12, 0.2, false, seed);
        const triangular_factors whole = factorize_ilut(a, {.fill = a.rows, .drop = 0.0});
        const triangular_factors factors = factorize_ilut(a, {.fill = 1, .drop = 0.0});
        ASSERT_TRUE(whole.failure.empty() && factors.failure.empty());
        const dense s = arranged_entries(a, factors), all = to_dense(whole.upper), kept = to_dense(factors.upper);

        // the first row in which something is dropped has the values of the whole factors up to there
        for (index_t i = 0; i < a.rows; ++i) {
            const index_t most = upper_entries(s, i) + 1;
            double least_kept = INFINITY, largest_dropped = 0.0;
            for (index_t j = i + 1; j < a.rows; ++j) {
                if (kept[i][j] != 0.0) {
                    EXPECT_EQ(kept[i][j], all[i][j]);
                    least_kept = std::min(least_kept, std::abs(kept[i][j]));
                } else {
                    largest_dropped = std::max(largest_dropped, std::abs(all[i][j]));
                }
            }
            EXPECT_EQ(upper_entries(kept, i), std::min(most, upper_entries(all, i)));
            EXPECT_GE(least_kept, largest_dropped) << "seed " << seed;
            if (to_dense(factors.lower)[i] != to_dense(whole.lower)[i] || largest_dropped > 0.0) {
                break;
            }
        }
    }
}

TEST(ilut_test, without_dropping_is_the_whole_factorisation)
{
    for (unsigned seed = 1; seed <= 10; ++seed) {
        const sparse_matrix a = random_rows(40, 0.1, seed % 2 == 0, seed);

        const triangular_factors factors = factorize_ilut(a, {.fill = a.rows, .drop = 0.0});

        ASSERT_TRUE(factors.failure.empty());
        const dense product = multiply(to_dense(factors.lower), to_dense(factors.upper));
        EXPECT_LT(largest_difference(product, arranged_entries(a, factors)), 1e-13) << "seed " << seed;
    }
}

TEST(ilut_test, keeps_no_more_than_it_is_allowed)
{
    const sparse_matrix a = random_rows(60, 0.1, false, 17);
    for (const index_t fill : {0, 1, 5}) {
        for (const double drop : {0.0, 0.01, 0.3}) {
            const triangular_factors factors = factorize_ilut(a, {.fill = fill, .drop = drop});

            ASSERT_TRUE(factors.failure.empty());
            const dense s = arranged_entries(a, factors);
            const dense lower = to_dense(factors.lower), upper = to_dense(factors.upper);
            bool filled = false;
            for (index_t i = 0; i < a.rows; ++i) {
                double square = 0.0;
                for (const double x : s[i]) {
                    square += x * x;
                }
                EXPECT_LE(lower_entries(lower, i), lower_entries(s, i) + fill);
                EXPECT_LE(upper_entries(upper, i), upper_entries(s, i) + fill);
                filled = filled || lower_entries(lower, i) > lower_entries(s, i);
                for (const sparse_matrix* side : {&factors.lower, &factors.upper}) {
                    for (index_t p = side->row_begin[i]; p < side->row_begin[i + 1]; ++p) {
                        EXPECT_TRUE(side->column[p] == i ||
                                    std::abs(side->values[p]) >= 0.999 * drop * std::sqrt(square));
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
    const sparse_matrix a = random_rows(80, 0.05, true, 5);
    const auto error = [&](index_t fill, double drop) {
        const triangular_factors f = factorize_ilut(a, {.fill = fill, .drop = drop});
        return largest_difference(multiply(to_dense(f.lower), to_dense(f.upper)), arranged_entries(a, f));
    };

    EXPECT_LT(error(a.rows, 1e-4), 1e-3);
    EXPECT_LT(error(a.rows, 1e-4), error(a.rows, 1e-2));
    EXPECT_LT(error(a.rows, 1e-4), error(0, 1e-4));
}

TEST(ilut_test, does_not_depend_on_the_units_of_rows)
{
    const sparse_matrix a = random_rows(50, 0.1, false, 23);
    sparse_matrix other = a;
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            other.values.own()[p] = std::ldexp(a.values[p], static_cast<int>(3 * (i % 7) - 10));
        }
    }

    const triangular_factors expected = factorize_ilut(a);
    const triangular_factors factors = factorize_ilut(other);

    EXPECT_EQ(factors.upper.column, expected.upper.column);
    EXPECT_EQ(factors.upper.values, expected.upper.values);
    EXPECT_EQ(factors.lower.values, expected.lower.values);
}

TEST(ilut_test, says_why_there_are_no_factors)
{
    for (const auto& rows : {dense{{1, 1}, {0, 0}}, dense{{1, 0}, {1, 0}}}) {
        EXPECT_NE(factorize_ilut(rows_of(from_rows(rows))).failure.find("column 2 has no row of its own"),
                  std::string::npos);
    }
    const std::string failure = factorize_ilut(rows_of(from_rows({{1, 1}, {1, 1}})), {.drop = 0.0}).failure;
    EXPECT_NE(failure.find("no usable pivot in row "), std::string::npos) << failure;
}

TEST(ilut_test, raises_a_pivot_that_is_smaller_than_what_is_dropped)
{
    const sparse_matrix a = rows_of(from_rows({{1, 1}, {1, 1}}));

    const triangular_factors factors = factorize_ilut(a, {.drop = 0.25});

    ASSERT_TRUE(factors.failure.empty());
    const dense s = arranged_entries(a, factors);
    const double norm = std::hypot(s[1][0], s[1][1]);
    EXPECT_DOUBLE_EQ(to_dense(factors.upper)[1][1], 0.25 * norm);
}

TEST(ilut_test, puts_the_matched_entries_on_the_diagonal)
{
    // a cycle of large entries, wherever they are, and units of rows and columns from 2^-200 to 2^200
    std::mt19937_64 random(3);
    std::uniform_int_distribution<int> unit(-200, 200);
    const index_t n = 30;
    std::vector<int> row(n), column(n);
    for (std::vector<int>* each : {&row, &column}) {
        std::generate(each->begin(), each->end(), [&] { return unit(random); });
    }
    dense a(n, std::vector<double>(n, 0.0));
    for (index_t i = 0; i < n; ++i) {
        for (const auto& [step, value] : {std::pair{7, 1.0}, {0, 0x1p-6}, {11, -0x1p-5}}) {
            const index_t j = (i + step) % n;
            a[i][j] = std::ldexp(value, row[i] + column[j]);
        }
    }
    const sparse_matrix rows = rows_of(from_rows(a));

    const triangular_factors factors = factorize_ilut(rows);

    ASSERT_TRUE(factors.failure.empty()) << factors.failure;
    const dense s = arranged_entries(rows, factors);
    for (index_t i = 0; i < n; ++i) {
        EXPECT_EQ(factors.column_order[i], (factors.row_order[i] + 7) % n);
        EXPECT_EQ(s[i][i], 1.0);
    }
    EXPECT_LT(largest_difference(multiply(to_dense(factors.lower), to_dense(factors.upper)), s), 1e-3);
}

TEST(ilut_test, takes_matrices_of_one_row_and_of_none)
{
    const sparse_matrix a = rows_of(from_rows({{3}}));
    const triangular_factors one = factorize_ilut(a);
    EXPECT_EQ(to_dense(one.upper), arranged_entries(a, one));
    EXPECT_EQ(to_dense(one.lower), (dense{{1.0}}));
    const triangular_factors none = factorize_ilut(rows_of(from_rows({})));
    EXPECT_TRUE(none.failure.empty());
    EXPECT_EQ(none.upper.row_begin, std::vector<index_t>{0});
}
