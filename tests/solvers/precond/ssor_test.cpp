// SSOR against its formula.
#include <cmath>

#include <gtest/gtest.h>

#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/precond/factors.hpp>

#include "tests/support/dense.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// (D + L) inverse(D) (D + U)
dense by_formula(const sparse_matrix& a)
{
    dense lower = to_dense(a);
    dense upper = lower;
    for (std::size_t i = 0; i < lower.size(); ++i) {
        for (std::size_t j = 0; j < lower.size(); ++j) {
            (j > i ? lower : upper)[i][j] = i == j ? upper[i][j] : 0.0;
            if (j <= i) {
                lower[i][j] /= to_dense(a)[j][j];
            }
        }
    }
    return multiply(lower, upper);
}

}  // namespace

TEST(ssor_test, is_its_formula_by_hand)
{
    const triangular_factors f = factorize_ssor(rows_of(from_rows({{4, 2}, {8, -9}})), false);

    EXPECT_EQ(to_dense(f.lower), (dense{{2, 0}, {4, -3}}));
    EXPECT_EQ(to_dense(f.upper), (dense{{2, 1}, {0, 3}}));
}

TEST(ssor_test, is_its_formula)
{
    for (unsigned seed = 1; seed <= 10; ++seed) {
        sparse_matrix a = random_rows(30, 0.2, false, seed);
        for (index_t p = a.row_begin[7]; p < a.row_begin[8]; ++p) {
            a.values.own()[p] = -a.values[p];  // a negative diagonal entry
        }

        const triangular_factors f = factorize_ssor(a, false);

        ASSERT_TRUE(f.failure.empty());
        const dense product = multiply(to_dense(f.lower), to_dense(f.upper));
        const dense expected = by_formula(a);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            for (std::size_t j = 0; j < expected.size(); ++j) {
                EXPECT_NEAR(product[i][j], expected[i][j], 1e-14) << "seed " << seed;
            }
        }
    }
}

TEST(ssor_test, keeps_symmetric_matrices_symmetric)
{
    const triangular_factors f = factorize_ssor(random_rows(40, 0.2, true, 3), true);

    const sparse_matrix transposed = transpose(f.lower);
    EXPECT_EQ(f.upper.column, transposed.column);
    EXPECT_EQ(f.upper.values, transposed.values);
}

TEST(ssor_test, needs_its_diagonal)
{
    EXPECT_NE(factorize_ssor(rows_of(from_rows({{1, 1}, {1, 0}})), false).failure.find("row 2"), std::string::npos);
    EXPECT_NE(factorize_ssor(rows_of(from_rows({{1, 1}, {1, -1}})), true).failure.find("positive diagonal: row 2"),
              std::string::npos);
    EXPECT_TRUE(factorize_ssor(rows_of(from_rows({{1, 1}, {1, -1}})), false).failure.empty());
}

TEST(ssor_test, takes_matrices_of_one_row_and_of_none)
{
    EXPECT_EQ(to_dense(factorize_ssor(rows_of(from_rows({{16}})), true).upper), (dense{{4}}));
    EXPECT_TRUE(factorize_ssor(rows_of(from_rows({})), true).failure.empty());
}
