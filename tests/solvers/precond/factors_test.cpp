#include <cmath>

#include <gtest/gtest.h>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/solvers/matrix/transpose.hpp>
#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/precond/triangular.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/dense.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// || x - inverse(A) A x || / ||x|| for the factors of A, in double-double.
double solve_error(const sparse_matrix& a, const triangular_factors& factors)
{
    using T = expansion<double, 2>;
    const host_space<T> space;
    vector<host_executor, T> x(a.rows), b(a.rows), y(a.rows);
    for (index_t i = 0; i < a.rows; ++i) {
        x.set(i, T{1.0 + static_cast<double>(i % 7)});
    }
    for (index_t i = 0; i < a.rows; ++i) {
        T sum{0.0};
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            sum = sum + x.get(a.column[k]) * a.values[k];
        }
        b.set(i, sum);
    }
    triangular_preconditioner(space, factors).apply(space, b, y);
    double error = 0.0;
    for (index_t i = 0; i < a.rows; ++i) {
        error = std::max(error, std::abs(to_double(y.get(i) - x.get(i))) / 7.0);
    }
    return error;
}

}  // namespace

TEST(ilu0_test, is_the_whole_factorisation_of_a_tridiagonal_matrix)
{
    const sparse_matrix a = rows_of(poisson_1d(6));

    const triangular_factors factors = factorize_ilu0(a);

    ASSERT_TRUE(factors.failure.empty());
    const dense product = multiply(to_dense(factors.lower), to_dense(factors.upper));
    const dense expected = to_dense(a);
    for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t j = 0; j < 6; ++j) {
            EXPECT_NEAR(product[i][j], expected[i][j], 1e-15);
        }
    }
}

TEST(ilu0_test, equals_the_matrix_on_its_pattern)
{
    const sparse_matrix a = random_rows(30, 0.15, false, 7);

    const triangular_factors factors = factorize_ilu0(a);

    ASSERT_TRUE(factors.failure.empty());
    const dense product = multiply(to_dense(factors.lower), to_dense(factors.upper));
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            EXPECT_NEAR(product[i][a.column[k]], a.values[k], 1e-10);
        }
    }
}

TEST(ilu0_test, says_which_row_has_no_pivot)
{
    const triangular_factors factors = factorize_ilu0(rows_of(from_rows({{1, 1}, {1, 1}})));

    EXPECT_NE(factors.failure.find("row 2"), std::string::npos);
}

TEST(ic0_test, equals_the_matrix_on_its_pattern)
{
    const sparse_matrix a = random_rows(30, 0.2, true, 11);

    const triangular_factors factors = factorize_ic0(a);

    ASSERT_TRUE(factors.failure.empty());
    const dense product = multiply(to_dense(factors.lower), to_dense(factors.upper)), entries = to_dense(a);
    EXPECT_EQ(factors.row_order, factors.column_order);
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t j = 0; j < a.rows; ++j) {
            if (const double entry = entries[factors.row_order[i]][factors.column_order[j]]; entry != 0.0) {
                EXPECT_NEAR(product[i][j], entry, 1e-12);
            }
        }
    }
}

TEST(ic0_test, refuses_a_matrix_that_is_not_positive_definite)
{
    const triangular_factors factors = factorize_ic0(rows_of(from_rows({{1, 2}, {2, 1}})));

    EXPECT_NE(factors.failure.find("not positive"), std::string::npos);
}

TEST(lu_test, solves_with_sparse_and_with_dense_factors)
{
    for (const double share : {0.05, 0.9}) {
        const sparse_matrix a = random_rows(60, share, false, 3);

        const triangular_factors factors = factorize_lu(a);

        ASSERT_TRUE(factors.failure.empty());
        EXPECT_LT(solve_error(a, factors), 1e-12) << share;
    }
}

TEST(lu_test, is_not_fooled_by_badly_scaled_rows)
{
    sparse_matrix a = random_rows(40, 0.2, false, 5);
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            a.values.own()[k] = std::ldexp(a.values[k], i % 3 == 0 ? -300 : 100);
        }
    }

    const triangular_factors factors = factorize_lu(a);

    ASSERT_TRUE(factors.failure.empty());
    EXPECT_LT(solve_error(a, factors), 1e-10);
}

TEST(lu_test, reports_singular_matrices)
{
    EXPECT_FALSE(factorize_lu(rows_of(from_rows({{1, 2}, {2, 4}}))).failure.empty());
    EXPECT_FALSE(factorize_lu(rows_of(from_rows({{1, 2, 0}, {0, 0, 0}, {0, 1, 1}}))).failure.empty());
    sparse_matrix empty_column = random_rows(40, 0.05, false, 9);
    for (std::size_t k = 0; k < empty_column.column.size(); ++k) {
        if (empty_column.column[k] == 3) {
            empty_column.values.own()[k] = 0.0;
        }
    }
    EXPECT_FALSE(factorize_lu(empty_column).failure.empty());
}

TEST(transpose_test, turns_rows_into_columns)
{
    const sparse_matrix a = random_rows(20, 0.3, false, 13);

    const dense expected = to_dense(a);
    const dense transposed = to_dense(transpose(a));

    for (std::size_t i = 0; i < 20; ++i) {
        for (std::size_t j = 0; j < 20; ++j) {
            EXPECT_EQ(transposed[j][i], expected[i][j]);
        }
    }
}
