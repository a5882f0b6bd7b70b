#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <residua/arith/real/eigen.hpp>

#include "tests/support/oracle.hpp"

namespace residua {
namespace {

using real_matrix = Eigen::Matrix<real, Eigen::Dynamic, Eigen::Dynamic>;
using real_vector = Eigen::Matrix<real, Eigen::Dynamic, 1>;

constexpr int n = 20;
constexpr long bits = 400;

real_matrix hilbert()
{
    real_matrix h(n, n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            h(i, j) = real(1, bits) / real(i + j + 1);
        }
    }
    return h;
}

/// k (k-1) ... (k-m+1) / m!, exactly.
real binomial(int k, int m)
{
    real c(1, bits);
    for (int i = 1; i <= m; ++i) {
        c = c * real(k - m + i) / real(i);
    }
    return c;
}

/// Entry (i, j), from 1, of the inverse of the Hilbert matrix: an integer.
real hilbert_inverse(int i, int j)
{
    const real b = binomial(i + j - 2, i - 1);
    const real value = real(i + j - 1, bits) * binomial(n + i - 1, n - j) * binomial(n + j - 1, n - i) * b * b;
    return (i + j) % 2 == 0 ? value : -value;
}

/// The condition number is about 2.5e28, 2^95: 400 bits leave 300.
constexpr long good_bits = 295;

TEST(eigen, lu_inverts_the_hilbert_matrix_of_order_20)
{
    const real_matrix h = hilbert();

    const real_matrix inverse = h.partialPivLu().solve(real_matrix::Identity(n, n));

    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            EXPECT_EQ(inverse(i, j).precision(), bits);
            EXPECT_LT(support::error_units(inverse(i, j), hilbert_inverse(i + 1, j + 1), good_bits), 1.0)
                << i << " " << j;
        }
    }
}

TEST(eigen, cholesky_solves_with_the_hilbert_matrix_of_order_20)
{
    const real_matrix h = hilbert();
    const real_vector ones = real_vector::Constant(n, real(1, bits));

    const Eigen::LLT<real_matrix> llt(h);
    const real_vector x = llt.solve(ones);

    ASSERT_EQ(llt.info(), Eigen::Success);
    for (int i = 0; i < n; ++i) {
        real row_sum(0, bits);
        for (int j = 0; j < n; ++j) {
            row_sum += hilbert_inverse(i + 1, j + 1);
        }
        EXPECT_LT(support::error_units(x(i), row_sum, good_bits - 10), 1.0) << i;
    }
}

TEST(eigen, products_and_norms_keep_the_precision_of_the_entries)
{
    const real_matrix h = hilbert();
    const real_vector x = real_vector::Constant(n, real(1, bits));

    const real_vector y = h * x;
    const real norm = (h * x - y).norm();

    real first(0, bits);  // H_20, the harmonic number
    for (int j = 1; j <= n; ++j) {
        first += real(1, bits) / real(j);
    }
    EXPECT_LT(support::error_units(y(0), first, bits - 8), 1.0);
    EXPECT_EQ(norm, 0.0);
}

}  // namespace
}  // namespace residua
