// ILU(k) against the levels of fill worked out on dense matrices, and against elimination on their pattern.
#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <residua/solvers/precond/factors.hpp>

#include "tests/support/dense.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// A = L U where both are made by Gaussian elimination that leaves out entries of a level above `most`.
dense eliminated(const sparse_matrix& a, long most)
{
    constexpr long never = std::numeric_limits<long>::max() / 4;
    const std::size_t n = static_cast<std::size_t>(a.rows);
    dense u = to_dense(a);
    std::vector<std::vector<long>> level(n, std::vector<long>(n, never));
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            level[i][a.column[p]] = 0;
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            if (level[i][k] > most) {
                continue;
            }
            u[i][k] /= u[k][k];
            for (std::size_t j = k + 1; j < n; ++j) {
                u[i][j] -= u[i][k] * u[k][j];
                level[i][j] = std::min(level[i][j], level[i][k] + level[k][j] + 1);
            }
        }
        for (std::size_t j = 0; j < n; ++j) {
            u[i][j] = level[i][j] > most ? 0.0 : u[i][j];
        }
    }
    return u;
}

/// Both factors in one matrix, without the ones of L.
dense together(const triangular_factors& f)
{
    dense all = to_dense(f.upper);
    const dense lower = to_dense(f.lower);
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(lower[i][i], 1.0);
        for (std::size_t j = 0; j < i; ++j) {
            all[i][j] = lower[i][j];
        }
    }
    return all;
}

}  // namespace

TEST(iluk_test, keeps_the_fill_of_an_arrow_at_level_1)
{
    const sparse_matrix a = rows_of(from_rows({{4, 1, 2}, {1, 4, 0}, {2, 0, 4}}));

    EXPECT_EQ(together(factorize_iluk(a, 0)), (dense{{4, 1, 2}, {0.25, 3.75, 0}, {0.5, 0, 3}}));
    const dense whole = together(factorize_iluk(a, 1));
    EXPECT_EQ(whole[1][2], -0.5);
    EXPECT_EQ(whole[2][1], -0.5 / 3.75);
}

TEST(iluk_test, of_level_0_is_ilu0)
{
    const sparse_matrix a = random_rows(40, 0.1, false, 21);

    const triangular_factors expected = factorize_ilu0(a);
    const triangular_factors factors = factorize_iluk(a, 0);

    EXPECT_EQ(factors.lower.column, expected.lower.column);
    EXPECT_EQ(factors.upper.column, expected.upper.column);
    EXPECT_EQ(factors.lower.values, expected.lower.values);
    EXPECT_EQ(factors.upper.values, expected.upper.values);
}

TEST(iluk_test, has_the_bits_of_elimination_by_levels)
{
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const sparse_matrix a = random_rows(30, 0.08, seed % 2 == 0, seed);
        for (const long level : {0L, 1L, 2L, 3L, 28L}) {
            const triangular_factors factors = factorize_iluk(a, level);

            ASSERT_TRUE(factors.failure.empty());
            EXPECT_EQ(together(factors), eliminated(a, level)) << "seed " << seed << ", level " << level;
        }
    }
}

TEST(iluk_test, with_all_levels_is_the_whole_factorisation)
{
    const sparse_matrix a = random_rows(50, 0.1, false, 3);

    for (const index_t level : {index_t{48}, std::numeric_limits<index_t>::max() / 4}) {
        const triangular_factors factors = factorize_iluk(a, level);

        const dense product = multiply(to_dense(factors.lower), to_dense(factors.upper));
        const dense expected = to_dense(a);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            for (std::size_t j = 0; j < expected.size(); ++j) {
                EXPECT_NEAR(product[i][j], expected[i][j], 1e-12);
            }
        }
    }
}

TEST(iluk_test, fills_a_missing_diagonal_entry)
{
    const sparse_matrix a = rows_of(from_rows({{2, 1}, {1, 0}}));

    EXPECT_FALSE(factorize_iluk(a, 0).failure.empty());
    EXPECT_EQ(together(factorize_iluk(a, 1)), (dense{{2, 1}, {0.5, -0.5}}));
}

TEST(iluk_test, says_which_row_has_no_pivot)
{
    EXPECT_NE(factorize_iluk(rows_of(from_rows({{1, 1}, {1, 1}})), 1).failure.find("row 2"), std::string::npos);
    EXPECT_NE(factorize_iluk(rows_of(from_rows({{1, 1, 0}, {0, 0, 0}, {0, 1, 1}})), 1).failure.find("row 2"),
              std::string::npos);
}

TEST(iluk_test, takes_matrices_of_one_row_and_of_none)
{
    EXPECT_EQ(together(factorize_iluk(rows_of(from_rows({{3}})), 1)), (dense{{3}}));
    const triangular_factors none = factorize_iluk(rows_of(from_rows({})), 1);
    EXPECT_TRUE(none.failure.empty());
    EXPECT_EQ(none.upper.row_begin, std::vector<index_t>{0});
}
