#include <gtest/gtest.h>

#include "tests/solvers/precond/dense_lu.hpp"

namespace residua {
namespace {

using namespace support;

constexpr host_executor exec;

using lu = dense_lu<host_executor>;
static_assert(linear_operator<lu, host_space<double>>);
static_assert(linear_operator<lu, host_space<expansion<double, 4>>>);

TEST(dense_lu, solves_by_hand_with_rows_swapped_and_scaled)
{
    matrix<host_executor, double> a(2, 2);  // 0 4; 2 6
    a.set(0, 1, 4.0);
    a.set(1, 0, 2.0);
    a.set(1, 1, 6.0);
    const host_space<dd> space;
    auto b = space.make_vector({8.0, 16.0});
    auto x = space.make_vector({7.0, 7.0});
    for (const bool equilibrated : {false, true}) {
        const lu m(exec, a, equilibrated, 32);
        ASSERT_EQ(m.failure(), "");

        m.apply(space, b, x);

        EXPECT_EQ(x.get(0)[0], 2.0);
        EXPECT_EQ(x.get(1)[0], 2.0);
        EXPECT_EQ(x.get(0)[1], 0.0);
        EXPECT_EQ(x.get(1)[1], 0.0);
    }
}

TEST(dense_lu, reports_a_singular_matrix_and_refuses_one_that_is_not_square)
{
    matrix<host_executor, double> a(2, 2);
    a.set(0, 0, 1.0);

    EXPECT_EQ(lu(exec, a).failure(), "the matrix is singular in binary64");
    EXPECT_THROW(lu(exec, matrix<host_executor, double>(2, 3)), dimension_error);
    EXPECT_THROW(lu(exec, matrix<host_executor, double>(3, 3), false, 96), error);
    EXPECT_EQ(lu(exec, matrix<host_executor, double>(0, 0)).failure(), "");
}

TEST(dense_lu, solves_the_same_after_a_move)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    const index_t n = 70;
    const host_space<double> space;
    auto b = space.make_vector(n), x = b, y = b;
    space.fill(1.0, b);
    lu first(exec, random_square(random, n), true, 32);
    first.apply(space, b, x);

    const lu second = std::move(first);
    second.apply(space, b, y);

    for (index_t i = 0; i < n; ++i) {
        EXPECT_EQ(x.get(i), y.get(i)) << i;
    }
}

TEST(dense_lu, refines_hilberts_matrix_to_all_of_two_terms)
{
    for (const bool uneven : {false, true}) {
        double worst = 0.0;
        const auto report = refine_to_ones(exec, hilbert(10, uneven), true, 32, 1e-31, worst);
        // 2^-106 n times the condition, 1.6e13, which rows of any scale do not make worse
        EXPECT_LE(worst, 2e-17) << (uneven ? "uneven" : "even");
        EXPECT_GT(report.iterations, 1);
    }
}

TEST(dense_lu, refines_a_tame_matrix_in_a_few_steps_with_blocks_of_any_size)
{
    biased_random random;
    SCOPED_TRACE(random.trace());
    for (const index_t n : {1, 33, 300, 1000}) {
        const auto a = random_square(random, n);
        for (const index_t rows : {32, 128, 512}) {
            for (const bool equilibrated : {false, true}) {
                double worst = 0.0;
                const auto report = refine_to_ones(exec, a, equilibrated, rows, 1e-29, worst);
                EXPECT_EQ(report.status, solve_status::converged) << n << ", blocks of " << rows;
                EXPECT_LE(report.iterations, 4) << n << ", blocks of " << rows;
                EXPECT_LE(worst, 1e-25) << n << ", blocks of " << rows;  // a condition below 1e4
            }
        }
    }
}

}  // namespace
}  // namespace residua
