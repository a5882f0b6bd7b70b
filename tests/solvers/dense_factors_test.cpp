// Factors of dense matrices of limbs and solutions by them, against MPFR in more bits and exact answers.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <omp.h>

#include <residua/solvers/dense.hpp>

#include "tests/support/dense_matrices.hpp"

using namespace residua;
using namespace residua::support;
using dense::dense_matrix;
using dense::diag;
using dense::op;
using dense::uplo;

namespace {

constexpr op ops[] = {op::plain, op::transposed};
constexpr uplo triangles[] = {uplo::lower, uplo::upper};

/// n (18 + 2 ceil(log2(n / 8))), of the errors of factors.
double factor_bound(index_t n)
{
    return static_cast<double>(n) * (18.0 + 2.0 * std::max(0.0, std::ceil(std::log2(static_cast<double>(n) / 8.0))));
}

class dense_factors_of_limbs : public testing::Test {
public:
    real_columns any(index_t m, index_t n, long bits, int spread) { return any_columns(random, m, n, bits, spread); }

    std::mt19937_64 random{53};
};

}  // namespace

TEST_F(dense_factors_of_limbs, small_ones_by_hand)
{
    const dense_matrix a = to_dense(from(2, {1, 3, 2, 4}), 100);
    dense_matrix s = to_dense(from(2, {4, 2, 99, 5}), 100);  // 99 is not read
    EXPECT_EQ(dense::potrf(uplo::lower, s), 0);
    EXPECT_EQ(to_reals(s), from(2, {2, 1, 0, 2}));
    dense_matrix x = to_dense(from(2, {8, 14}), 100);
    dense::potrs(uplo::lower, s, x);
    EXPECT_EQ(to_reals(x), from(2, {0.75, 2.5}));

    dense_matrix f = a;
    std::vector<index_t> pivots;
    EXPECT_EQ(dense::getrf(f, pivots), 0);
    EXPECT_EQ(pivots, (std::vector<index_t>{1, 1}));
    EXPECT_EQ(to_reals(f)(0, 0), real(3.0));
    EXPECT_EQ(to_reals(f)(0, 1), real(4.0));
    dense_matrix y = to_dense(from(2, {5, 11}), 100), z = y;
    dense::getrs(op::plain, f, pivots, y);
    EXPECT_NEAR(to_double(to_reals(y)(0, 0)), 1.0, 1e-28);
    EXPECT_NEAR(to_double(to_reals(y)(1, 0)), 2.0, 1e-28);
    dense::getrs(op::transposed, f, pivots, z);
    EXPECT_NEAR(to_double(to_reals(z)(0, 0)), 6.5, 1e-28);
    EXPECT_NEAR(to_double(to_reals(z)(1, 0)), -0.5, 1e-28);
}

TEST_F(dense_factors_of_limbs, pascals_matrix_has_pascals_triangle_as_its_factor)
{
    for (const index_t n : {1, 2, 7, 30, 90}) {
        real_columns pascal(n, n), l(n, n);
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                const bool edge = i == 0 || j == 0;
                pascal(i, j) = edge ? real(1.0, 256) : pascal(i - 1, j) + pascal(i, j - 1);
                l(i, j) = j == 0 ? real(1.0, 256) : i == 0 ? real(0.0) : l(i - 1, j - 1) + l(i - 1, j);
            }
        }
        for (const uplo triangle : triangles) {
            dense_matrix a = to_dense(triangle_of(triangle, diag::non_unit, pascal), 256);
            EXPECT_EQ(dense::potrf(triangle, a), 0);
            EXPECT_EQ(to_reals(a), triangle == uplo::lower ? l : transposed(l)) << n;
        }
    }
}

TEST_F(dense_factors_of_limbs, the_inverse_of_hilberts_matrix_consists_of_its_integers)
{
    constexpr index_t n = 14;
    real_columns h(n, n), inverse(n, n), identity(n, n);
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            h(i, j) = real(1.0, 600) / real(static_cast<double>(i + j + 1));
            // (-1)^(i+j) (i+j+1) C(n+i, n-j-1) C(n+j, n-i-1) C(i+j, i)^2, with i and j from 0
            const auto choose = [](index_t a, index_t b) {
                real c(1.0, 600);
                for (index_t k = 1; k <= b; ++k) {
                    c = c * real(static_cast<double>(a - b + k)) / real(static_cast<double>(k));
                }
                return c;
            };
            inverse(i, j) = real((i + j) % 2 == 0 ? 1.0 : -1.0) * real(static_cast<double>(i + j + 1)) *
                            choose(n + i, n - j - 1) * choose(n + j, n - i - 1) * choose(i + j, i) * choose(i + j, i);
        }
        identity(i, i) = real(1.0);
    }
    dense_matrix a = to_dense(h, 512), x = to_dense(identity, 512), f = a, y = x;
    EXPECT_EQ(dense::posv(uplo::lower, a, x), 0);
    EXPECT_EQ(dense::gesv(f, y), 0);
    real_columns magnitude(n, n);
    std::fill(magnitude.numbers.begin(), magnitude.numbers.end(), real("1e19", 100) * inverse(n - 2, n - 2));
    expect_near(to_reals(x), inverse, factor_bound(n), 512, magnitude);  // the condition is 6e18
    expect_near(to_reals(y), inverse, factor_bound(n), 512, magnitude);
}

TEST_F(dense_factors_of_limbs, factors_multiply_to_what_they_were_made_of)
{
    for (const auto& [n, bits] : {std::pair<index_t, long>{1, 64}, {2, 100}, {9, 128}, {40, 256}, {80, 128}}) {
        const real_columns s = any_definite(random, n, bits, 8);
        real_columns size(n, n), column_sizes(n, n);
        for (index_t i = 0; i < n; ++i) {
            for (index_t j = 0; j < n; ++j) {
                size(i, j) = sqrt(s(i, i) * s(j, j));
            }
        }
        for (const uplo triangle : triangles) {
            dense_matrix f = to_dense(s, bits);
            ASSERT_EQ(dense::potrf(triangle, f), 0);
            const real_columns l = triangle == uplo::lower ? to_reals(f) : transposed(to_reals(f));
            expect_near(multiply(l, transposed(l), exact_bits).value, s, factor_bound(n) * 1.0001, bits, size);
        }

        real_columns a = any(n, n, bits, 8);
        dense_matrix f = to_dense(a, bits);
        std::vector<index_t> pivots;
        ASSERT_EQ(dense::getrf(f, pivots), 0);
        const real_columns lu = to_reals(f);
        const real_columns l = triangle_of(uplo::lower, diag::unit, lu),
                           u = triangle_of(uplo::upper, diag::non_unit, lu);
        for (index_t k = 0; k < n; ++k) {
            for (index_t j = 0; j < n; ++j) {
                std::swap(a(k, j), a(pivots[static_cast<std::size_t>(k)], j));
            }
        }
        for (index_t j = 0; j < n; ++j) {
            real largest(0.0);
            for (index_t i = 0; i <= j; ++i) {
                largest = abs(u(i, j)) < largest ? largest : abs(u(i, j));
                ASSERT_TRUE(abs(l(j, i)) < real(1.0) || abs(l(j, i)) == real(1.0));
            }
            for (index_t i = 0; i < n; ++i) {
                column_sizes(i, j) = largest;
            }
        }
        expect_near(multiply(l, u, exact_bits).value, a, factor_bound(n) * 1.0001, bits, column_sizes);
    }
}

TEST_F(dense_factors_of_limbs, many_right_hand_sides_are_solved_plain_and_transposed)
{
    constexpr index_t n = 75;
    const real_columns a = any(n, n, 300, 4), wanted = any(n, 4, 300, 4);
    dense_matrix factors = to_dense(a, 300);
    std::vector<index_t> pivots;
    ASSERT_EQ(dense::getrf(factors, pivots), 0);
    for (const op op_a : ops) {
        dense_matrix x = to_dense(multiply(meant(op_a, a), wanted, exact_bits).value, 300);
        dense::getrs(op_a, factors, pivots, x);
        real_columns one(n, 4);
        std::fill(one.numbers.begin(), one.numbers.end(), real(1.0));
        expect_near(to_reals(x), wanted, 1.0, 240, one);  // 60 bits for the condition and the bound
    }
}

TEST_F(dense_factors_of_limbs, two_zeros_in_the_diagonal_are_one_pivot)
{
    for (const uplo triangle : triangles) {
        dense_matrix a = to_dense(from(2, {0, 2, 2, 0}), 100), x = to_dense(from(2, {6, 8}), 100);
        std::vector<index_t> pivots;
        EXPECT_EQ(dense::sytrf(triangle, a, pivots), 0);
        EXPECT_EQ(pivots, (std::vector<index_t>{-1, -2}));
        EXPECT_EQ(to_reals(a), from(2, {0, 0, 2, 0}));
        dense::sytrs(a, pivots, x);
        EXPECT_EQ(to_reals(x), from(2, {4, 3}));
    }
}

TEST_F(dense_factors_of_limbs, symmetric_factors_multiply_to_what_they_were_made_of)
{
    constexpr long bits = 300, kept = 250;  // of them, 50 for the bound
    for (const index_t n : {1, 2, 9, 40, 75}) {
        real_columns s = any(n, n, bits, 4), one(n, n);
        std::fill(one.numbers.begin(), one.numbers.end(), real(1.0));
        std::replace(s.numbers.begin(), s.numbers.end(), real(0.0), real(1.0));
        for (index_t j = 0; j < n; ++j) {
            for (index_t i = 0; i < j; ++i) {
                s(i, j) = s(j, i);
            }
            s(j, j) = j % 3 == 1 ? real(0.0) : s(j, j);
        }
        const real_columns wanted = any(n, 1, bits, 4);
        std::vector<real_columns> found;
        for (const uplo triangle : triangles) {
            dense_matrix f = to_dense(triangle_of(triangle, diag::non_unit, s), bits);
            std::vector<index_t> pivots;
            ASSERT_EQ(dense::sytrf(triangle, f, pivots), 0);
            const real_columns ld = to_reals(f);
            real_columns d(n, n), l = triangle_of(uplo::lower, diag::unit, ld), moved = s;
            index_t of_two_rows = 0;
            for (index_t k = 0; k < n; ++k) {
                const index_t p = pivots[static_cast<std::size_t>(k)], row = p < 0 ? -1 - p : p;
                d(k, k) = ld(k, k);
                if (p < 0 && of_two_rows++ % 2 == 1) {
                    d(k - 1, k) = d(k, k - 1) = ld(k - 1, k);
                }
                for (index_t j = 0; j < n; ++j) {
                    std::swap(moved(k, j), moved(row, j));
                }
                for (index_t i = 0; i < n; ++i) {
                    std::swap(moved(i, k), moved(i, row));
                }
            }
            EXPECT_EQ(of_two_rows % 2, 0);
            const real_columns product = multiply(l, multiply(d, transposed(l), exact_bits).value, exact_bits).value;
            expect_near(product, moved, 1.0, kept, one);
            found.push_back(ld);
            dense_matrix x = to_dense(multiply(s, wanted, exact_bits).value, bits);
            dense::sytrs(f, pivots, x);
            expect_near(to_reals(x), wanted, 1.0, 220, one);
        }
        EXPECT_EQ(found[0], found[1]) << n;
    }
}

TEST_F(dense_factors_of_limbs, info_names_the_column_and_leaves_b)
{
    dense_matrix dependent = to_dense(from(3, {1, 2, 4, 2, 4, 8, 1, 0, 1}), 100);
    std::vector<index_t> pivots;
    EXPECT_EQ(dense::getrf(dependent, pivots), 2);
    dense_matrix zero(4, 4, 100), b = to_dense(from(4, {1, 2, 3, 4}), 100);
    EXPECT_EQ(dense::gesv(zero, b), 1);
    EXPECT_EQ(dense::sysv(uplo::lower, zero, b), 1);
    EXPECT_EQ(to_reals(b), from(4, {1, 2, 3, 4}));

    for (const index_t bad : {1, 2, 9, 37, 60}) {
        real_columns s = any_definite(random, 60, 128, 3);
        s(bad - 1, bad - 1) = -s(bad - 1, bad - 1);
        for (const uplo triangle : triangles) {
            dense_matrix f = to_dense(s, 128), x(60, 1, 128);
            EXPECT_EQ(dense::posv(triangle, f, x), bad);
        }
    }
}

TEST_F(dense_factors_of_limbs, any_number_of_threads_has_the_same_bits)
{
    const real_columns s = any_definite(random, 130, 128, 3), a = any(130, 130, 128, 8);
    const auto all = [&] {
        dense_matrix f = to_dense(s, 128), g = to_dense(a, 128), x = to_dense(a, 128), c(130, 130, 128);
        EXPECT_EQ(dense::posv(uplo::lower, f, x), 0);
        EXPECT_EQ(dense::gesv(g, x), 0);
        dense_matrix h = to_dense(a, 128);
        EXPECT_EQ(dense::sysv(uplo::upper, h, x), 0);
        dense::syrk(uplo::lower, op::plain, 1.0, x, 0.0, c);
        return std::vector{to_reals(f), to_reals(g), to_reals(h), to_reals(x), to_reals(c)};
    };
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    const auto one = all();
    for (const int threads : {2, 3}) {
        omp_set_num_threads(threads);
        EXPECT_TRUE(all() == one) << threads;
    }
    omp_set_num_threads(before);
}
