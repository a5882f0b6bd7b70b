// Dense matrices of limbs on a device have the bits that they have on the host.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/dense.hpp>

#include "tests/support/dense_matrices.hpp"
#include "tests/support/on_cuda.hpp"

using namespace residua;
using namespace residua::support;
using dense::dense_matrix;
using dense::diag;
using dense::op;
using dense::side;
using dense::uplo;

namespace {

class dense_on_cuda : public on_cuda<double> {
public:
    real_columns any(index_t m, index_t n, long bits) { return any_columns(numbers, m, n, bits, 20); }

    std::mt19937_64 numbers{52};
};

constexpr op ops[] = {op::plain, op::transposed};
constexpr uplo triangles[] = {uplo::lower, uplo::upper};

}  // namespace

TEST_F(dense_on_cuda, numbers_go_there_and_back)
{
    for (const index_t n : {0, 1, 33}) {
        const real_columns a = any(n, n, 300);
        const dense_matrix there = to_dense(a, 300, device);
        ASSERT_TRUE(there.device());
        EXPECT_EQ(to_reals(there), to_reals(to_dense(a, 300))) << n;
    }
}

TEST_F(dense_on_cuda, products_and_triangles_have_the_bits_of_the_host)
{
    for (const long bits : {64, 256, 600}) {
        for (const index_t n : {1, 40, 65, 150}) {
            const real_columns a = any(n, n, bits), b = any(n, n, bits), c = any(n, n, bits);
            const auto both = [&](const auto& f) {
                dense_matrix here = to_dense(c, bits), there = to_dense(c, bits, device);
                f(to_dense(a, bits), to_dense(b, bits), here);
                f(to_dense(a, bits, device), to_dense(b, bits, device), there);
                EXPECT_EQ(to_reals(here), to_reals(there)) << n << " rows, " << bits << " bits";
            };
            for (const op op_a : ops) {
                both([&](const dense_matrix& x, const dense_matrix& y, dense_matrix& z) {
                    dense::gemm(1.0, op_a, x, op::transposed, y, 0.0, z);
                });
                both([&](const dense_matrix& x, const dense_matrix& y, dense_matrix& z) {
                    dense::gemm(-0.3, op_a, x, op::plain, y, 0.7, z);
                });
                for (const uplo triangle : triangles) {
                    both([&](const dense_matrix& x, const dense_matrix&, dense_matrix& z) {
                        dense::syrk(triangle, op_a, -1.0, x, 1.0, z);
                    });
                    for (const side where : {side::left, side::right}) {
                        both([&](const dense_matrix& x, const dense_matrix&, dense_matrix& z) {
                            dense::trsm(where, triangle, op_a, diag::unit, 0.5, x, z);
                        });
                    }
                }
            }
        }
    }
}

TEST_F(dense_on_cuda, factors_pivots_and_solutions_have_the_bits_of_the_host)
{
    for (const long bits : {100, 256}) {
        for (const index_t n : {1, 9, 70, 200}) {
            const real_columns a = any(n, n, bits), b = any(n, 3, bits);
            dense_matrix here = to_dense(a, bits), there = to_dense(a, bits, device);
            std::vector<index_t> pivots, pivots_there;
            EXPECT_EQ(dense::getrf(here, pivots), dense::getrf(there, pivots_there));
            EXPECT_EQ(pivots, pivots_there);
            EXPECT_EQ(to_reals(here), to_reals(there));
            for (const op op_a : ops) {
                dense_matrix x = to_dense(b, bits), x_there = to_dense(b, bits, device);
                dense::getrs(op_a, here, pivots, x);
                dense::getrs(op_a, there, pivots, x_there);
                EXPECT_EQ(to_reals(x), to_reals(x_there));
            }
            const real_columns s = any_definite(numbers, n, bits, 2);
            for (const uplo triangle : triangles) {
                dense_matrix f = to_dense(s, bits), f_there = to_dense(s, bits, device);
                dense_matrix x = to_dense(b, bits), x_there = to_dense(b, bits, device);
                EXPECT_EQ(dense::posv(triangle, f, x), 0);
                EXPECT_EQ(dense::posv(triangle, f_there, x_there), 0);
                EXPECT_EQ(to_reals(f), to_reals(f_there));
                EXPECT_EQ(to_reals(x), to_reals(x_there));
                f = to_dense(a, bits);
                f_there = to_dense(a, bits, device);
                EXPECT_EQ(dense::sytrf(triangle, f, pivots), dense::sytrf(triangle, f_there, pivots_there));
                EXPECT_EQ(pivots, pivots_there);
                EXPECT_EQ(to_reals(f), to_reals(f_there));
                dense::sytrs(f, pivots, x);
                dense::sytrs(f_there, pivots, x_there);
                EXPECT_EQ(to_reals(x), to_reals(x_there));
            }
        }
    }
}

TEST_F(dense_on_cuda, info_is_that_of_the_host)
{
    for (const index_t bad : {1, 8, 70, 199}) {
        real_columns s = any_definite(numbers, 200, 100, 1);
        s(bad - 1, bad - 1) = -s(bad - 1, bad - 1);
        dense_matrix there = to_dense(s, 100, device);
        EXPECT_EQ(dense::potrf(uplo::lower, there), bad);
        for (index_t i = 0; i < 200; ++i) {
            s(i, bad - 1) = real(0.0);
        }
        there = to_dense(s, 100, device);
        std::vector<index_t> pivots;
        EXPECT_EQ(dense::getrf(there, pivots), bad);
    }
}

TEST_F(dense_on_cuda, matrices_in_two_places_are_refused)
{
    const dense_matrix here(3, 3, 100), there(3, 3, 100, device);
    dense_matrix c(3, 3, 100);
    EXPECT_THROW(dense::gemm(1.0, op::plain, here, op::plain, there, 0.0, c), error);
    EXPECT_THROW(dense::gemm(1.0, op::plain, there, op::plain, there, 0.0, c), error);
}
