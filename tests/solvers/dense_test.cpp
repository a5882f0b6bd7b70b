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

constexpr op ops[] = {op::plain, op::transposed};
constexpr uplo triangles[] = {uplo::lower, uplo::upper};

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
                if (n > 100 && (op_a == op::transposed) != (triangle == uplo::upper)) {
                    continue;  // a large one of each is enough
                }
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
