// Matchings by hand, against all permutations, against matrices whose largest product is known, and their scaling.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/matrix/matching.hpp>

#include "tests/support/biased_random.hpp"
#include "tests/support/matching.hpp"
#include "tests/support/scale.hpp"

using namespace residua;
using namespace residua::support;

TEST(matching_test, gives_up_the_largest_entry_for_a_larger_product)
{
    // 8 and 1, or 4 and 4
    const sparse_matrix a = dense_rows({{8, -4}, {4, 1}});

    const row_matching m = match_rows(a);

    EXPECT_EQ(m.row_of_column, (order{1, 0}));
    EXPECT_EQ(m.size, 2);
    expect_contract_of_powers(a, m);
}

TEST(matching_test, moves_several_columns_for_one)
{
    // The largest entries of columns 1, 2 and 3 are in rows 1, 1 and 2. Only column 3 has an entry in row 3.
    const sparse_matrix a = dense_rows({{16, 8, absent}, {2, absent, 64}, {absent, absent, 0x1p-30}});

    const row_matching m = match_rows(a);

    EXPECT_EQ(m.row_of_column, (order{1, 0, 2}));
    expect_contract_of_powers(a, m);
}

TEST(matching_test, leaves_a_column_without_a_row)
{
    // columns 1 and 3 have entries in row 2 only, and column 2 in rows 1 and 3
    const sparse_matrix a = dense_rows({{absent, 2, 0.0}, {3, absent, 5}, {absent, 7, absent}});

    const row_matching m = match_rows(a);

    EXPECT_EQ(m.size, 2);
    EXPECT_TRUE(m.row_of_column[1] == 0 || m.row_of_column[1] == 2);
    EXPECT_EQ(m.row_of_column[0] + m.row_of_column[2], 0);  // 1 and -1
    expect_contract(a, m);
}

TEST(matching_test, takes_matrices_of_one_row_and_of_none)
{
    const row_matching one = match_rows(dense_rows({{-6}}));
    EXPECT_EQ(one.row_of_column, order{0});
    EXPECT_EQ(one.size, 1);
    EXPECT_LE(std::abs(one.row_exponent[0] + one.column_exponent[0] + 2.5), 0.5);
    for (const dense& zero : {dense{{0.0}}, dense{{absent}}}) {
        const row_matching m = match_rows(dense_rows(zero));
        EXPECT_EQ(m.row_of_column, order{-1});
        EXPECT_EQ(m.size, 0);
        EXPECT_EQ(m.row_exponent, std::vector<int>{0});
        EXPECT_EQ(m.column_exponent, std::vector<int>{0});
    }
    for (const sparse_matrix& nothing : {dense_rows({}), sparse_matrix{}}) {
        const row_matching m = match_rows(nothing);
        EXPECT_TRUE(m.row_of_column.empty() && m.row_exponent.empty() && m.column_exponent.empty());
        EXPECT_EQ(m.size, 0);
    }
}

TEST(matching_test, does_not_match_stored_zeros)
{
    const sparse_matrix a = dense_rows({{0.0, 1e-300, 0.0}, {-0.0, 0.0, 1e300}, {5e-324, 0.0, 0.0}});

    const row_matching m = match_rows(a);

    EXPECT_EQ(m.row_of_column, (order{2, 0, 1}));
    expect_contract(a, m);
}

TEST(matching_test, scales_around_rows_and_columns_of_zeros)
{
    const dense rows = {{absent, 0x1p900, 0.0, 0x1p-900},
                        {absent, absent, absent, absent},
                        {0.0, 0.0, 0.0, 0.0},
                        {absent, 0x1p-1000, absent, 0x1p1000}};
    const sparse_matrix a = dense_rows(rows);

    const row_matching m = match_rows(a);

    EXPECT_EQ(m.row_of_column, (order{-1, 0, -1, 3}));
    expect_contract_of_powers(a, m);
}

TEST(matching_test, finds_a_permuted_diagonal)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const index_t n : {1, 2, 17, 200}) {
        for (const bool identity : {true, false}) {
            const order row_of_column = random_order(random, n);
            dense d(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n), absent));
            for (index_t j = 0; j < n; ++j) {
                d[identity ? j : row_of_column[j]][j] = identity ? 1.0 : random.full(-1074, 1023);
            }
            const sparse_matrix a = dense_rows(d);

            const row_matching m = match_rows(a);

            EXPECT_EQ(m.size, n);
            expect_contract(a, m);
            if (identity) {
                EXPECT_EQ(m.row_exponent, std::vector<int>(static_cast<std::size_t>(n), 0));
                EXPECT_EQ(m.column_exponent, std::vector<int>(static_cast<std::size_t>(n), 0));
            } else {
                EXPECT_EQ(m.row_of_column, row_of_column);
            }
        }
    }
}

TEST(matching_test, finds_the_diagonal_of_a_permuted_triangle)
{
    // the only matching there is, with the smallest entries
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const index_t n : {2, 3, 20, 150}) {
        const order rows = random_order(random, n);
        const order columns = random_order(random, n);
        dense d(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n), absent));
        order expected(static_cast<std::size_t>(n));
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = i; j < n; ++j) {
                d[rows[i]][columns[j]] = i == j ? random.full(-300, -200) : random.full(0, 100);
            }
            expected[columns[i]] = rows[i];
        }
        const sparse_matrix a = dense_rows(d);

        const row_matching m = match_rows(a);

        EXPECT_EQ(m.row_of_column, expected);
        expect_contract(a, m);
    }
}

TEST(matching_test, has_the_largest_product_of_all_permutations)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    index_t singular = 0, regular = 0;
    for (std::int64_t k = scaled(1500); k > 0; --k) {
        const index_t n = k % 10 == 0 ? 7 : random.integer(1, 6);
        // few different entries have ties, extreme ones are subnormal and huge, close ones have close products
        const int kind = random.integer(0, 4);
        const sparse_matrix a = random_sparse(random, n, random.integer(1, 4), [&](index_t, index_t) {
            switch (kind) {
                case 0:
                    return random.sign() * random.integer(1, 3);
                case 1:
                    return random.any();
                case 2:
                    return random.value(-400, 400);
                case 3:
                    return 1.0 + random.integer(0, 1000) * 0x1p-36;
                default:
                    return random.full(-2, 2);
            }
        });

        const row_matching m = match_rows(a);

        const best_of_all best = try_all(a, m.row_of_column);
        ASSERT_EQ(m.size, best.size) << "matrix " << k;
        // a few units of the long double for the oracle's own sum
        ASSERT_GE(log2_product(a, m.row_of_column), best.log2_product - product_bound(n) - 1e-14L) << "matrix " << k;
        expect_contract(a, m);
        ASSERT_FALSE(HasFailure()) << "matrix " << k;
        (m.size == n ? regular : singular) += 1;
    }
    EXPECT_GT(std::min(singular, regular), 0);
}

TEST(matching_test, finds_a_product_that_is_known_to_be_largest)
{
    // 2^-(p_i + q_j) in the places of a permutation, and no more than that elsewhere: no other has a larger product
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (std::int64_t k = scaled(60); k > 0; --k) {
        const index_t n = random.integer(2, 300);
        const order row_of_column = random_order(random, n);
        const int range = random.integer(0, 1) * 200;
        const int excess = random.integer(1, 5);  // often no slack, so that many products are largest
        std::vector<int> p(static_cast<std::size_t>(n)), q(static_cast<std::size_t>(n));
        std::generate(p.begin(), p.end(), [&] { return random.integer(-range, range); });
        std::generate(q.begin(), q.end(), [&] { return random.integer(-range, range); });
        sparse_matrix a = random_sparse(random, n, random.integer(1, 40), [&](index_t i, index_t j) {
            return std::ldexp(random.sign(), -(p[i] + q[j]) - random.integer(0, excess) / 2);
        });
        long double largest = 0.0L;
        dense d(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n), absent));
        for (index_t i = 0; i < n; ++i) {
            for (index_t t = a.row_begin[i]; t < a.row_begin[i + 1]; ++t) {
                d[i][a.column[t]] = a.values[t];
            }
        }
        for (index_t j = 0; j < n; ++j) {
            d[row_of_column[j]][j] = std::ldexp(random.sign(), -(p[row_of_column[j]] + q[j]));
            largest -= p[row_of_column[j]] + q[j];
        }
        a = dense_rows(d);

        const row_matching m = match_rows(a);

        ASSERT_EQ(m.size, n);
        ASSERT_EQ(log2_product(a, m.row_of_column), largest) << "matrix " << k;
        expect_contract_of_powers(a, m);
        ASSERT_FALSE(HasFailure()) << "matrix " << k;
    }
}

TEST(matching_test, scales_matrices_of_any_range)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    index_t singular = 0, regular = 0;
    for (std::int64_t k = scaled(60); k > 0; --k) {
        const index_t n = random.integer(1, 300);
        const int kind = random.integer(0, 2);
        const sparse_matrix a = random_sparse(random, n, random.integer(1, 60), [&](index_t, index_t) {
            return kind == 0 ? random.any() : kind == 1 ? random.value(-400, 400) : random.full(-1, 0);
        });

        const row_matching m = match_rows(a);

        expect_contract(a, m);
        ASSERT_FALSE(HasFailure()) << "matrix " << k;
        (m.size == n ? regular : singular) += 1;
        // the same again
        const row_matching again = match_rows(a);
        EXPECT_EQ(again.row_of_column, m.row_of_column);
        EXPECT_EQ(again.row_exponent, m.row_exponent);
        EXPECT_EQ(again.column_exponent, m.column_exponent);
    }
    EXPECT_GT(std::min(singular, regular), 0);
}

TEST(matching_test, matches_all_columns_but_an_empty_one)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (std::int64_t k = scaled(60); k > 0; --k) {
        const index_t n = random.integer(2, 200);
        const order row_of_column = random_order(random, n);
        dense d(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n), absent));
        for (index_t j = 1; j < n; ++j) {
            d[row_of_column[j]][j] = random.full(-400, 0);
            for (int t = random.integer(0, 3); t > 0; --t) {
                d[random.integer(0, static_cast<int>(n) - 1)][j] = random.full(-400, 400);
            }
        }
        const sparse_matrix a = dense_rows(d);

        const row_matching m = match_rows(a);

        EXPECT_EQ(m.size, n - 1);
        EXPECT_EQ(m.row_of_column[0], -1);
        expect_contract(a, m);
        ASSERT_FALSE(HasFailure()) << "matrix " << k;
    }
}

TEST(matching_test, matches_most_columns_of_many_without_rows)
{
    // 3000 columns share 1000 rows
    biased_random random;
    SCOPED_TRACE(random.trace());
    sparse_matrix a;
    a.rows = a.cols = 3000;
    a.row_begin.push_back(0);
    for (std::int32_t i = 0; i < a.rows; ++i) {
        for (std::int32_t j = 0; i % 3 == 0 && j < a.rows; j += random.integer(1, 40)) {
            a.column.push_back(j);
            a.values.push_back(random.full(-50, 50));
        }
        a.row_begin.push_back(static_cast<index_t>(a.column.size()));
    }

    const row_matching m = match_rows(a);

    EXPECT_EQ(m.size, 1000);
    expect_contract(a, m);
}

TEST(matching_test, keeps_the_diagonal_where_all_entries_are_alike)
{
    const dense ones(5, std::vector<double>(5, -1.0));
    EXPECT_EQ(match_rows(dense_rows(ones)).row_of_column, (order{0, 1, 2, 3, 4}));
}

TEST(matching_test, matches_a_large_grid)
{
    // five points of a grid, every entry of its own size, rows permuted
    biased_random random;
    SCOPED_TRACE(random.trace());
    const std::int32_t width = 200;
    for (const int range : {0, 40}) {
        const order point_of_row = random_order(random, width * width);
        sparse_matrix a;
        a.rows = a.cols = width * width;
        a.row_begin.push_back(0);
        for (const std::int32_t k : point_of_row) {
            const std::int32_t x = k % width, y = k / width;
            for (const auto& [there, column] :
                 {std::pair(y > 0, k - width), std::pair(x > 0, k - 1), std::pair(true, k),
                  std::pair(x + 1 < width, k + 1), std::pair(y + 1 < width, k + width)}) {
                if (there) {
                    a.column.push_back(column);
                    a.values.push_back(random.full(-range, range));
                }
            }
            a.row_begin.push_back(static_cast<index_t>(a.column.size()));
        }

        const row_matching m = match_rows(a);

        EXPECT_EQ(m.size, a.rows);
        expect_contract(a, m);
    }
}

TEST(matching_test, refuses_exponents_that_an_int_may_not_hold)
{
    // a bidiagonal matrix: the exponents of neighbouring rows differ by 2000
    const auto bidiagonal = [](index_t n) {
        sparse_matrix a;
        a.rows = a.cols = n;
        a.row_begin.push_back(0);
        for (std::int32_t i = 0; i < n; ++i) {
            for (std::int32_t j = std::max(0, i - 1); j <= i; ++j) {
                a.column.push_back(j);
                a.values.push_back(i == j ? 0x1p-1000 : 0x1p1000);
            }
            a.row_begin.push_back(static_cast<index_t>(a.column.size()));
        }
        return a;
    };

    const row_matching m = match_rows(bidiagonal(1000));
    EXPECT_EQ(m.size, 1000);
    EXPECT_EQ(m.row_exponent.front() - m.row_exponent.back(), 999 * 2000);
    EXPECT_THROW(match_rows(bidiagonal(1200000)), unsupported_error);
}
