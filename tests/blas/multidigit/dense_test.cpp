#include <utility>

#include <gtest/gtest.h>
#include <omp.h>

#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/ger.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/blas/level3/gemm.hpp>

#include "tests/support/biased_random.hpp"

using namespace residua;

namespace {

using numbers = vector<host_executor, multidigit>;
using long_matrix = matrix<host_executor, multidigit>;
const host_executor host;
constexpr long many = 20000;  // bits that hold all sums of these tests

class multidigit_dense_test : public ::testing::TestWithParam<long> {
protected:
    multidigit_format format{GetParam()};
    support::biased_random random;
    const multidigit_number zero{format};
    const multidigit_number one{format, 1.0};
    const multidigit_number third = one / multidigit_number(format, 3.0);

    multidigit_number any()
    {
        return random.one_in(15) ? zero : multidigit_number(format, random.value(-4, 4)) * third;
    }

    numbers random_vector(index_t n)
    {
        numbers x(format, n);
        for (index_t i = 0; i < n; ++i) {
            x.set(i, any());
        }
        return x;
    }

    long_matrix random_matrix(index_t rows, index_t cols)
    {
        long_matrix a(format, rows, cols);
        for (index_t j = 0; j < cols; ++j) {
            for (index_t i = 0; i < rows; ++i) {
                a.set(i, j, any());
            }
        }
        return a;
    }

    /// alpha sum + beta y within the bound of a sum of n terms, the largest of this magnitude.
    void expect_close(const multidigit_number& result, const multidigit_number& alpha, const real& sum,
                      const multidigit_number& beta, const multidigit_number& y, const real& largest) const
    {
        const real u = pow(real(0.5, 64), GetParam());
        const real start = to_real(beta).with_precision(many) * to_real(y);
        const real exact = to_real(alpha).with_precision(many) * sum + start;
        const real bound =
            u * (real(2.001) * abs(sum) + real(1.001) * (abs(exact) + abs(start))) + real(0x1p-10) * u * largest;
        EXPECT_LE(abs(to_real(result) - exact), bound);
    }
};

TEST_P(multidigit_dense_test, products_are_within_their_bounds_for_any_number_of_threads)
{
    const int threads = omp_get_max_threads();
    for (const auto& [m, n] : {std::pair<index_t, index_t>{1, 1}, {33, 64}, {40, 200}, {600, 3}, {5, 0}}) {
        const long_matrix a = random_matrix(m, n);
        const numbers x = random_vector(n);
        const numbers z = random_vector(m);
        for (const auto& [alpha, beta] : {std::pair{one, zero}, {third, one}, {-one, third}}) {
            numbers y = z, y_t = x, again = z, again_t = x;
            omp_set_num_threads(3);
            blas::gemv<multidigit>(host, blas::trans::no, alpha, a, x, beta, y);
            blas::gemv<multidigit>(host, blas::trans::yes, alpha, a, z, beta, y_t);
            omp_set_num_threads(1);
            blas::gemv<multidigit>(host, blas::trans::no, alpha, a, x, beta, again);
            blas::gemv<multidigit>(host, blas::trans::yes, alpha, a, z, beta, again_t);
            omp_set_num_threads(threads);
            for (index_t i = 0; i < m; ++i) {
                real sum(0.0, many), largest(0.0, 64);
                for (index_t j = 0; j < n; ++j) {
                    const real term = to_real(a.get(i, j)).with_precision(many) * to_real(x.get(j));
                    sum += term;
                    largest = max(largest, abs(term));
                }
                expect_close(y.get(i), alpha, sum, beta, z.get(i), largest);
                ASSERT_EQ(to_real(y.get(i)), to_real(again.get(i)));
            }
            for (index_t j = 0; j < n; ++j) {
                real sum(0.0, many), largest(0.0, 64);
                for (index_t i = 0; i < m; ++i) {
                    const real term = to_real(a.get(i, j)).with_precision(many) * to_real(z.get(i));
                    sum += term;
                    largest = max(largest, abs(term));
                }
                expect_close(y_t.get(j), alpha, sum, beta, x.get(j), largest);
                ASSERT_EQ(to_real(y_t.get(j)), to_real(again_t.get(j)));
            }
        }
    }
}

/// RN(alpha s + RN(beta y)), from MPFR.
real updated(const multidigit_number& alpha, const multidigit_number& s, const multidigit_number& beta,
             const multidigit_number& y)
{
    const real start = to_real(beta) * to_real(y);
    real r = start;
    mpfr_fma(r.mpfr(), to_real(alpha).mpfr(), to_real(s).mpfr(), start.mpfr(), MPFR_RNDN);
    return r;
}

TEST_P(multidigit_dense_test, sums_are_added_to_the_rounded_rest)
{
    const long_matrix a = random_matrix(200, 7);
    const numbers x = random_vector(7);
    const numbers z = random_vector(200);
    numbers s(format, 200), s_t(format, 7);
    blas::gemv<multidigit>(host, blas::trans::no, one, a, x, zero, s);
    blas::gemv<multidigit>(host, blas::trans::yes, one, a, z, zero, s_t);
    const multidigit_number seventh = one / multidigit_number(format, -7.0);
    int other_orders = 0;  // give other bits
    for (const auto& [alpha, beta] : {std::pair{third, seventh}, {one, seventh}, {third, one}, {third, zero}}) {
        numbers y = z, y_t = x;
        blas::gemv<multidigit>(host, blas::trans::no, alpha, a, x, beta, y);
        blas::gemv<multidigit>(host, blas::trans::yes, alpha, a, z, beta, y_t);
        for (index_t i = 0; i < 200; ++i) {
            ASSERT_EQ(to_real(y.get(i)), updated(alpha, s.get(i), beta, z.get(i))) << i;
            other_orders += to_real(y.get(i)) == updated(beta, z.get(i), alpha, s.get(i)) ? 0 : 1;
        }
        for (index_t j = 0; j < 7; ++j) {
            ASSERT_EQ(to_real(y_t.get(j)), updated(alpha, s_t.get(j), beta, x.get(j))) << j;
        }
    }
    EXPECT_GT(other_orders, 0);
}

TEST_P(multidigit_dense_test, gemm_is_gemv_for_each_column_and_ger_axpy)
{
    const long_matrix a = random_matrix(35, 70);
    const long_matrix b = random_matrix(70, 4);
    long_matrix c = random_matrix(35, 4);
    const long_matrix before = c;
    const numbers x = random_vector(35);
    const numbers w = random_vector(4);
    blas::gemm<multidigit>(host, blas::trans::no, blas::trans::no, third, a, b, -one, c);
    long_matrix outer = before;
    blas::ger<multidigit>(host, third, x, w, outer);
    for (index_t j = 0; j < 4; ++j) {
        numbers column(format, 35), added(format, 35);
        blas::copy<multidigit>(host, before.view().column(j), column);
        blas::copy<multidigit>(host, before.view().column(j), added);
        blas::gemv<multidigit>(host, blas::trans::no, third, a, b.view().column(j), -one, column);
        blas::axpy<multidigit>(host, third * w.get(j), x, added);
        for (index_t i = 0; i < 35; ++i) {
            ASSERT_EQ(to_real(c.get(i, j)), to_real(column.get(i)));
            ASSERT_EQ(to_real(outer.get(i, j)), to_real(added.get(i)));
        }
    }
}

TEST_P(multidigit_dense_test, triangles_are_solved)
{
    for (const index_t n : {1, 2, 33}) {
        long_matrix a = random_matrix(n, n);
        for (index_t i = 0; i < n; ++i) {
            a.set(i, i, one + any() * any());
        }
        const numbers b = random_vector(n);
        for (const bool transposed : {false, true}) {
            for (const blas::uplo triangle : {blas::uplo::lower, blas::uplo::upper}) {
                for (const blas::diag diagonal : {blas::diag::non_unit, blas::diag::unit}) {
                    numbers x = b;
                    blas::trsv<multidigit>(host, triangle, transposed ? blas::trans::yes : blas::trans::no, diagonal, a,
                                           x, x);
                    const real u = pow(real(0.5, 64), GetParam());
                    for (index_t i = 0; i < n; ++i) {
                        real rest = to_real(b.get(i)).with_precision(many);
                        real magnitudes = abs(rest);
                        for (index_t j = 0; j < n; ++j) {
                            const index_t row = transposed ? j : i;
                            const index_t col = transposed ? i : j;
                            const bool inside = row == col || (col < row) == (triangle == blas::uplo::lower);
                            const bool is_one = i == j && diagonal == blas::diag::unit;
                            if (inside) {
                                const real entry = is_one ? real(1.0) : to_real(a.get(row, col));
                                const real term = to_real(x.get(j)).with_precision(many) * entry;
                                rest -= term;
                                magnitudes += abs(term);
                            }
                        }
                        ASSERT_LE(abs(rest), real(3.0) * u * magnitudes) << i;
                    }
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(bits, multidigit_dense_test, ::testing::Values(64, 212, 424, 1696));

TEST(multidigit_dense, refuses_what_does_not_fit)
{
    const multidigit_format format(212);
    const multidigit_number one(format, 1.0);
    long_matrix a(format, 3, 4), other(multidigit_format(213), 3, 4);
    numbers x(format, 4), y(format, 3);
    EXPECT_THROW(blas::gemv<multidigit>(host, blas::trans::no, one, a, y, one, x), dimension_error);
    EXPECT_THROW(blas::gemv<multidigit>(host, blas::trans::no, one, other, x, one, y), error);
    EXPECT_THROW(blas::gemv<multidigit>(host, blas::trans::yes, one, a, x, one, y), dimension_error);
    EXPECT_THROW(blas::ger<multidigit>(host, one, x, y, a), dimension_error);
    EXPECT_THROW(blas::trsv<multidigit>(host, blas::uplo::lower, blas::trans::no, blas::diag::unit, a, y, y),
                 dimension_error);
    EXPECT_THROW(long_matrix(format, -1, 2), dimension_error);
    EXPECT_THROW(long_matrix(format, index_t{1} << 61, 16), resource_error);
}

}  // namespace
