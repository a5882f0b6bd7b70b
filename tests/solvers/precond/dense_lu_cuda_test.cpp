// Factors of a device as an operator there: refinement gets as far with them as with those of the host.
#include <limits>
#include <utility>

#include "tests/solvers/precond/dense_lu.hpp"
#include "tests/support/on_cuda.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using dense_lu_cuda_test = on_cuda<double>;
using lu = dense_lu<cuda_executor>;
static_assert(linear_operator<lu, blas_space<cuda_executor, dd>>);

}  // namespace

TEST_F(dense_lu_cuda_test, refines_hilberts_matrix_to_all_of_two_terms)
{
    for (const bool uneven : {false, true}) {
        double worst = 0.0;
        const auto report = refine_to_ones(device, to_device(device, hilbert(10, uneven)), true, 32, 1e-31, worst);
        EXPECT_LE(worst, 2e-17) << (uneven ? "uneven" : "even");
        EXPECT_GT(report.iterations, 1);
    }
}

TEST_F(dense_lu_cuda_test, refines_a_tame_matrix_in_a_few_steps_with_blocks_of_any_size)
{
    SCOPED_TRACE(random.trace());
    for (const index_t n : {1, 33, 300, 1000}) {
        const auto a = to_device(device, random_square(random, n));
        for (const index_t rows : {32, 64, 128, 256, 512}) {
            for (const bool equilibrated : {false, true}) {
                double worst = 0.0;
                const auto report = refine_to_ones(device, a, equilibrated, rows, 1e-29, worst);
                EXPECT_EQ(report.status, solve_status::converged) << n << ", blocks of " << rows;
                EXPECT_LE(report.iterations, 4) << n << ", blocks of " << rows;
                EXPECT_LE(worst, 1e-25) << n << ", blocks of " << rows;
            }
        }
    }
}

TEST_F(dense_lu_cuda_test, gives_the_same_bits_in_every_run_and_only_first_terms)
{
    const index_t n = 600;
    const auto a = to_device(device, random_square(random, n));
    const blas_space<cuda_executor, dd> space{device};
    auto b = space.make_vector(n), x = b, y = b;
    space.fill(dd{1.0} + dd{0x1p-70}, b);
    space.fill(dd{3.0} + dd{0x1p-70}, x);
    const lu first(device, a);
    lu moved(device, a);
    const lu second = std::move(moved);

    first.apply(space, b, x);
    second.apply(space, b, y);

    const auto hx = to_host(device, x), hy = to_host(device, y);
    for (index_t i = 0; i < n; ++i) {
        EXPECT_EQ(hx.get(i)[0], hy.get(i)[0]) << i;
        EXPECT_EQ(hx.get(i)[1], 0.0) << i;
    }
}

TEST_F(dense_lu_cuda_test, reports_what_has_no_factors)
{
    matrix<host_executor, double> a(2, 2);
    a.set(0, 0, 1.0);

    EXPECT_EQ(lu(device, to_device(device, a)).failure(), "the matrix is singular in binary64");
    EXPECT_THROW(lu(device, matrix<cuda_executor, double>(2, 3, device)), dimension_error);
    EXPECT_EQ(lu(device, matrix<cuda_executor, double>(0, 0, device)).failure(), "");
}

TEST_F(dense_lu_cuda_test, factors_that_are_not_finite_are_a_failure)
{
    auto a = random_square(random, 50);
    a.set(20, 20, std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(lu(device, to_device(device, a)).failure(), "the matrix is singular in binary64");
}
