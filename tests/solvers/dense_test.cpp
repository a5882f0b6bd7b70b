// Products, triangles and factors of dense matrices of limbs against MPFR in more bits, and what they refuse.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <omp.h>

#include <residua/io/error.hpp>
#include <residua/solvers/dense.hpp>

#include "tests/support/dense_matrices.hpp"

using namespace residua;
using namespace residua::support;
using dense::dense_matrix;
using dense::diag;
using dense::op;
using dense::side;
using dense::uplo;

namespace {

constexpr long exact_bits = 3000;
constexpr op ops[] = {op::plain, op::transposed};
constexpr uplo triangles[] = {uplo::lower, uplo::upper};

real_columns meant(op which, const real_columns& a) { return which == op::plain ? a : transposed(a); }

real_columns from(index_t rows, const std::vector<double>& by_columns)
{
    real_columns a(rows, static_cast<index_t>(by_columns.size()) / rows);
    std::copy(by_columns.begin(), by_columns.end(), a.numbers.begin());
    return a;
}

real_columns rounded(real_columns a, long bits)
{
    for (real& x : a.numbers) {
        x = x.with_precision(bits);
    }
    return a;
}

/// The triangle of a matrix, with ones on the diagonal if they are meant.
real_columns triangle_of(uplo triangle, diag diagonal, const real_columns& a)
{
    real_columns t(a.rows, a.cols);
    for (index_t j = 0; j < a.cols; ++j) {
        for (index_t i = 0; i < a.rows; ++i) {
            const bool inside = triangle == uplo::lower ? i >= j : i <= j;
            t(i, j) = i == j && diagonal == diag::unit ? real(1.0) : inside ? a(i, j) : real(0.0);
        }
    }
    return t;
}

/// |A - B|_ij <= factor 2^-bits M_ij for all i, j.
void expect_near(const real_columns& a, const real_columns& b, double factor, long bits, const real_columns& m)
{
    ASSERT_EQ(a.numbers.size(), b.numbers.size());
    for (std::size_t k = 0; k < a.numbers.size(); ++k) {
        const real difference = abs(a.numbers[k].with_precision(exact_bits) - b.numbers[k]);
        const real bound = ldexp(real(factor) * m.numbers[k], -bits);
        ASSERT_TRUE(difference < bound || difference == bound)
            << "number " << k << ": " << to_double(difference) << " above " << to_double(bound);
    }
}

/// n (18 + 2 ceil(log2(n / 8))), of the errors of factors.
double factor_bound(index_t n)
{
    return static_cast<double>(n) * (18.0 + 2.0 * std::max(0.0, std::ceil(std::log2(static_cast<double>(n) / 8.0))));
}

class dense_matrices : public testing::Test {
public:
    real_columns any(index_t m, index_t n, long bits, int spread = 40)
    {
        return any_columns(random, m, n, bits, spread);
    }
    /// A matrix whose triangles are far from singular, with rows of different sizes.
    real_columns any_triangles(index_t n, long bits)
    {
        real_columns a = any(n, n, bits, 3);
        for (index_t i = 0; i < n; ++i) {
            a(i, i) = real(1.5 * static_cast<double>(n), bits);
            const long e = static_cast<long>(random() % 120) - 60;
            for (index_t j = 0; j < n; ++j) {
                a(i, j) = ldexp(a(i, j), e);
            }
        }
        return a;
    }

    std::mt19937_64 random{50};
};

}  // namespace

TEST_F(dense_matrices, small_ones_by_hand)
{
    const dense_matrix a = to_dense(from(2, {1, 3, 2, 4}), 100), b = to_dense(from(2, {5, 7, 6, 8}), 100);
    dense_matrix c(2, 2, 100);
    dense::gemm(1.0, op::plain, a, op::plain, b, 0.0, c);
    EXPECT_EQ(to_reals(c), from(2, {19, 43, 22, 50}));
    dense::gemm(2.0, op::transposed, a, op::plain, b, -1.0, c);
    EXPECT_EQ(to_reals(c), from(2, {33, 33, 38, 38}));
    dense::syrk(uplo::lower, op::plain, 1.0, a, 0.0, c);
    EXPECT_EQ(to_reals(c), from(2, {5, 11, 11, 25}));

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

TEST_F(dense_matrices, products_are_rounded_once)
{
    struct shape {
        index_t m, k, n;
    };
    for (const long bits : {64, 128, 256, 1000}) {
        for (const auto& [m, k, n] : {shape{1, 1, 1}, shape{7, 5, 3}, shape{3, 40, 1}, shape{33, 9, 20}, shape{4, 0, 3},
                                      shape{0, 4, 3}, shape{5, 4, 0}}) {
            for (const op op_a : ops) {
                for (const op op_b : ops) {
                    const real_columns a = any(m, k, bits), b = any(k, n, bits), c = any(m, n, bits);
                    const dense_matrix da = to_dense(meant(op_a, a), bits), db = to_dense(meant(op_b, b), bits);
                    dense_matrix dc = to_dense(c, bits);
                    dense::gemm(1.0, op_a, da, op_b, db, 0.0, dc);
                    const real_columns p = rounded(multiply(a, b, exact_bits).value, bits);
                    EXPECT_EQ(to_reals(dc), p) << bits << " bits, " << m << " x " << k << " x " << n;

                    const real alpha = any(1, 1, bits)(0, 0), beta = real(-0.7);
                    dc = to_dense(c, bits);
                    dense::gemm(alpha, op_a, da, op_b, db, beta, dc);
                    real_columns sum(m, n);
                    for (std::size_t i = 0; i < sum.numbers.size(); ++i) {
                        const real kept = (beta.with_precision(exact_bits) * c.numbers[i]).with_precision(bits);
                        sum.numbers[i] = (alpha.with_precision(exact_bits) * p.numbers[i] + kept).with_precision(bits);
                    }
                    EXPECT_EQ(to_reals(dc), sum);
                }
            }
        }
    }
}

TEST_F(dense_matrices, an_operand_may_be_the_result)
{
    const real_columns a = any(6, 6, 200);
    dense_matrix c = to_dense(a, 200);
    dense::gemm(1.0, op::plain, c, op::transposed, c, 0.0, c);
    EXPECT_EQ(to_reals(c), rounded(multiply(a, transposed(a), exact_bits).value, 200));
    c = to_dense(a, 200);
    dense::syrk(uplo::upper, op::plain, 1.0, c, 0.0, c);
    EXPECT_EQ(to_reals(c), rounded(multiply(a, transposed(a), exact_bits).value, 200));
}

TEST_F(dense_matrices, syrk_has_the_bits_of_gemm)
{
    for (const auto& [n, k] : {std::pair<index_t, index_t>{1, 4}, {5, 3}, {515, 2}, {4, 0}, {0, 4}}) {
        for (const op op_a : ops) {
            for (const uplo triangle : triangles) {
                const dense_matrix a = to_dense(meant(op_a, any(n, k, 192)), 192);
                dense_matrix c(n, n, 192), reference(n, n, 192);
                dense::syrk(triangle, op_a, 1.0, a, 0.0, c);
                const op opposite = op_a == op::plain ? op::transposed : op::plain;
                dense::gemm(1.0, op_a, a, opposite, a, 0.0, reference);
                EXPECT_EQ(to_reals(c), to_reals(reference)) << n << " x " << k;

                const real_columns old = any(n, n, 192);
                c = to_dense(old, 192);
                dense::syrk(triangle, op_a, -1.0, a, 0.5, c);
                real_columns symmetric = old;
                for (index_t j = 0; j < n; ++j) {
                    for (index_t i = 0; i < j; ++i) {
                        const real& read = triangle == uplo::lower ? old(j, i) : old(i, j);
                        symmetric(i, j) = read;
                        symmetric(j, i) = read;
                    }
                }
                reference = to_dense(symmetric, 192);
                dense::gemm(-1.0, op_a, a, opposite, a, 0.5, reference);
                EXPECT_EQ(to_reals(c), to_reals(reference)) << n << " x " << k;
            }
        }
    }
}

TEST_F(dense_matrices, all_sixteen_triangular_solves_have_a_small_backward_error_in_every_number)
{
    for (const auto& [n, columns, bits] :
         {std::tuple<index_t, index_t, long>{1, 2, 128}, {5, 3, 100}, {64, 2, 128}, {65, 1, 128}, {150, 3, 256}}) {
        for (const uplo triangle : triangles) {
            for (const diag diagonal : {diag::non_unit, diag::unit}) {
                real_columns a = any_triangles(n, bits);
                if (diagonal == diag::unit) {  // an unit triangle that is not too far from the identity
                    for (real& x : a.numbers) {
                        x = ldexp(x, -90);
                    }
                }
                const dense_matrix t = to_dense(a, bits);
                for (const op op_a : ops) {
                    for (const side where : {side::left, side::right}) {
                        const real_columns b = where == side::left ? any(n, columns, bits) : any(columns, n, bits);
                        dense_matrix x = to_dense(b, bits);
                        dense::trsm(where, triangle, op_a, diagonal, -0.7, t, x);
                        const real_columns tri = meant(op_a, triangle_of(triangle, diagonal, a)), solved = to_reals(x);
                        const exact_product p =
                            where == side::left ? multiply(tri, solved, exact_bits) : multiply(solved, tri, exact_bits);
                        real_columns scaled = b;
                        for (real& s : scaled.numbers) {
                            s = (real(-0.7).with_precision(exact_bits) * s).with_precision(bits);
                        }
                        const double halvings = std::ceil(std::log2(std::max(1.0, static_cast<double>(n) / 64.0)));
                        SCOPED_TRACE(std::to_string(n) + " rows, lower " + std::to_string(triangle == uplo::lower) +
                                     ", unit " + std::to_string(diagonal == diag::unit) + ", transposed " +
                                     std::to_string(op_a == op::transposed) + ", left " +
                                     std::to_string(where == side::left));
                        expect_near(p.value, scaled, halvings + 3.0 + 1e-9, bits, p.magnitude);
                    }
                }
            }
        }
    }
}

TEST_F(dense_matrices, a_column_is_solved_alone_as_with_others)
{
    const dense_matrix a = to_dense(any_triangles(140, 300), 300);
    const real_columns b = any(140, 5, 300);
    dense_matrix together = to_dense(b, 300);
    dense::trsm(side::left, uplo::upper, op::plain, diag::non_unit, 1.0, a, together);
    for (index_t j = 0; j < b.cols; ++j) {
        real_columns column(140, 1), solved(140, 1);
        for (index_t i = 0; i < 140; ++i) {
            column(i, 0) = b(i, j);
            solved(i, 0) = to_reals(together)(i, j);
        }
        dense_matrix alone = to_dense(column, 300);
        dense::trsm(side::left, uplo::upper, op::plain, diag::non_unit, 1.0, a, alone);
        EXPECT_EQ(to_reals(alone), solved);
    }
}

TEST_F(dense_matrices, pascals_matrix_has_pascals_triangle_as_its_factor)
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

TEST_F(dense_matrices, the_inverse_of_hilberts_matrix_consists_of_its_integers)
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

TEST_F(dense_matrices, factors_multiply_to_what_they_were_made_of)
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

TEST_F(dense_matrices, many_right_hand_sides_are_solved_plain_and_transposed)
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

TEST_F(dense_matrices, info_names_the_column_and_leaves_b)
{
    dense_matrix dependent = to_dense(from(3, {1, 2, 4, 2, 4, 8, 1, 0, 1}), 100);
    std::vector<index_t> pivots;
    EXPECT_EQ(dense::getrf(dependent, pivots), 2);
    dense_matrix zero(4, 4, 100), b = to_dense(from(4, {1, 2, 3, 4}), 100);
    EXPECT_EQ(dense::gesv(zero, b), 1);
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

TEST_F(dense_matrices, any_number_of_threads_has_the_same_bits)
{
    const real_columns s = any_definite(random, 130, 128, 3), a = any(130, 130, 128, 8);
    const auto all = [&] {
        dense_matrix f = to_dense(s, 128), g = to_dense(a, 128), x = to_dense(a, 128), c(130, 130, 128);
        EXPECT_EQ(dense::posv(uplo::lower, f, x), 0);
        EXPECT_EQ(dense::gesv(g, x), 0);
        dense::syrk(uplo::lower, op::plain, 1.0, x, 0.0, c);
        return std::vector{to_reals(f), to_reals(g), to_reals(x), to_reals(c)};
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
