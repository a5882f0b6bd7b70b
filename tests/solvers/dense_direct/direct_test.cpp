#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/expansion.hpp>
#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/stopping.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class T>
matrix<host_executor, T> dense_of(const std::vector<std::vector<double>>& rows)
{
    const auto n = static_cast<index_t>(rows.size());
    matrix<host_executor, T> a(n, n);
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            a.set(i, j, T{rows[i][j]});
        }
    }
    return a;
}

std::vector<std::vector<double>> random_rows(std::size_t n, bool positive_definite, unsigned seed)
{
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    std::vector<std::vector<double>> a(n, std::vector<double>(n));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            a[i][j] = value(random);
            a[j][i] = positive_definite ? a[i][j] : value(random);
        }
        a[i][i] += positive_definite ? static_cast<double>(n) : 0.0;
    }
    return a;
}

/// max |x_i - 1| for the solution of A x = A 1, or of A' x = A' 1.
template <class T>
double error_for_ones(const std::vector<std::vector<double>>& rows, const dense_factors<host_space<T>>& factors,
                      bool transposed)
{
    const std::size_t n = rows.size();
    vector<host_executor, T> x(static_cast<index_t>(n));
    for (std::size_t i = 0; i < n; ++i) {
        T sum{0.0};
        for (std::size_t j = 0; j < n; ++j) {
            sum = sum + T{transposed ? rows[j][i] : rows[i][j]};
        }
        x.set(static_cast<index_t>(i), sum);
    }
    factors.solve(x, transposed);
    double error = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
        error = std::max(error, std::abs(to_double(x.get(static_cast<index_t>(i)) - T{1.0})));
    }
    return error;
}

template <class T>
struct dense_factors_test : testing::Test {};
using formats = testing::Types<double, expansion<double, 2>, expansion<double, 4>, expansion<double, 8>>;
TYPED_TEST_SUITE(dense_factors_test, formats);

}  // namespace

TYPED_TEST(dense_factors_test, solve_with_pivoting_and_transposed)
{
    const auto rows = random_rows(70, false, 41);

    const dense_factors<host_space<TypeParam>> factors({}, dense_of<TypeParam>(rows), false, {});

    ASSERT_TRUE(factors.failure().empty());
    const double bound = std::ldexp(1e5, -number_traits<TypeParam>::precision_bits);
    EXPECT_LT(error_for_ones(rows, factors, false), bound);
    EXPECT_LT(error_for_ones(rows, factors, true), bound);
}

TYPED_TEST(dense_factors_test, use_cholesky_for_a_positive_definite_matrix)
{
    const auto rows = random_rows(70, true, 42);

    const dense_factors<host_space<TypeParam>> factors({}, dense_of<TypeParam>(rows), true, {});

    EXPECT_TRUE(factors.is_cholesky());
    EXPECT_LT(error_for_ones(rows, factors, false), std::ldexp(1e4, -number_traits<TypeParam>::precision_bits));
}

TYPED_TEST(dense_factors_test, are_ldl_of_an_indefinite_matrix)
{
    const std::vector<std::vector<double>> rows{{1, 2}, {2, 1}};

    const dense_factors<host_space<TypeParam>> factors({}, dense_of<TypeParam>(rows), true, {});

    EXPECT_TRUE(factors.is_ldl());
    EXPECT_LT(error_for_ones(rows, factors, false), std::ldexp(16.0, -number_traits<TypeParam>::precision_bits));
}

TYPED_TEST(dense_factors_test, report_an_exactly_singular_matrix)
{
    const dense_factors<host_space<TypeParam>> factors({}, dense_of<TypeParam>({{1, 2}, {2, 4}}), false, {});

    EXPECT_NE(factors.failure().find("column 2"), std::string::npos);
}

TYPED_TEST(dense_factors_test, stop_when_asked)
{
    const auto factorize = [] {
        dense_factors<host_space<TypeParam>>({}, dense_of<TypeParam>(random_rows(20, false, 43)), false);
    };

    EXPECT_TRUE(is_stopped([] { return true; }, factorize));
}
