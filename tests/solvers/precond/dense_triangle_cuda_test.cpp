// Dense triangles by blocks on a device: the bits of the host. And large dense systems, whose factors are made there.
#include <cmath>

#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/precond/triangular.hpp>
#include <residua/solvers/solve.hpp>

#include "tests/solvers/precond/dense_triangle.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/on_cuda.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using dense_triangle_cuda_test = on_cuda<double>;

/// Random numbers, all of them stored, with a diagonal that keeps the condition small.
io::coo<double> random_dense(biased_random& random, index_t n)
{
    io::coo<double> a;
    a.rows = a.cols = n;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back((i == j ? 64.0 : 0.0) + random.full(-8, -1));
        }
    }
    return a;
}

}  // namespace

TEST_F(dense_triangle_cuda_test, gives_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    for (const blas::uplo which : {blas::uplo::lower, blas::uplo::upper}) {
        for (const index_t n : {1, 33, 500, 1100}) {
            const sparse_matrix t = random_triangle(random, n, which);
            const std::vector<real> b = random_reals(random, n);
            for (const index_t rows : {32, 512}) {
                std::vector<std::vector<real>> expected;
                for_each_space(host_executor{},
                               [&](const auto& space) { expected.push_back(solved(space, which, t, b, rows)); });
                std::size_t at = 0;
                for_each_space(device, [&](const auto& space) {
                    EXPECT_TRUE(solved(space, which, t, b, rows) == expected[at]) << n << ", format " << at;
                    ++at;
                });
            }
        }
    }
}

TEST_F(dense_triangle_cuda_test, large_dense_systems_are_solved_with_factors_of_the_device)
{
    SCOPED_TRACE(random.trace());
    const index_t n = least_order_on_device + 37;
    const linear_system system = with_solution_ones(random_dense(random, n));
    for (const method m : {method::refine, method::gmres_ir, method::gmres}) {
        for (const long factors : {11L, 24L, 53L}) {
            if (m == method::gmres && factors != 53) {
                continue;
            }
            solve_options options;
            options.method = m;
            options.executor = executor::cuda;
            options.precision_bits = 106;
            if (m == method::gmres) {
                options.preconditioner = preconditioner::lu;
            } else {
                options.factor_bits = factors;
            }
            const solve_result result = solve(system, options);
            EXPECT_EQ(result.report.status, solve_status::converged) << result.report.message;
            EXPECT_EQ(result.report.factor_bits, factors);
            EXPECT_EQ(result.report.executor, executor::cuda);
            for (const real& x : result.x) {
                ASSERT_LE(abs(x - real(1.0, 200)), real(1e-20)) << to_string(m) << ", " << factors;
            }
        }
    }
}

TEST_F(dense_triangle_cuda_test, large_definite_systems_are_solved_with_cholesky_factors_of_the_device)
{
    SCOPED_TRACE(random.trace());
    io::coo<double> a = random_dense(random, least_order_on_device + 37);
    std::vector<double> half = a.value;
    for (std::size_t k = 0; k < half.size(); ++k) {
        const auto across = static_cast<std::size_t>(a.col[k] * a.cols + a.row[k]);
        a.value[k] = half[std::min(k, across)];
    }
    const linear_system system = with_solution_ones(a);
    for (const method m : {method::cg, method::minres, method::refine, method::gmres_ir}) {
        for (const long bits : {53L, 106L, 300L}) {
            solve_options options;
            options.method = m;
            options.executor = executor::cuda;
            options.precision_bits = bits;
            options.preconditioner = preconditioner::cholesky;
            const solve_result result = solve(system, options);
            EXPECT_EQ(result.report.status, solve_status::converged) << to_string(m) << ": " << result.report.message;
            EXPECT_EQ(result.report.executor, executor::cuda);
            EXPECT_LE(result.report.iterations, 4 + bits / 25) << to_string(m);
            for (const real& x : result.x) {
                ASSERT_LE(abs(x - real(1.0, 400)), ldexp(real(1.0), -bits * 8 / 10)) << to_string(m) << ", " << bits;
            }
        }
    }
    const sparse_matrix rows = rows_of(a);
    const triangular_factors here = factorize_cholesky(rows), there = factorize_cholesky(rows, {.device = device});
    ASSERT_EQ(there.failure, "");
    for (std::size_t k = 0; k < here.lower.values.size(); ++k) {
        ASSERT_NEAR(here.lower.values[k], there.lower.values[k], 1e-12);
    }
}

TEST_F(dense_triangle_cuda_test, factors_of_the_device_are_near_those_of_the_host)
{
    SCOPED_TRACE(random.trace());
    const index_t n = least_order_on_device;
    const sparse_matrix a = rows_of(random_dense(random, n));
    for (const long bits : {11L, 24L, 53L}) {
        const triangular_factors here = factorize_lu(a, {.bits = bits});
        const triangular_factors there = factorize_lu(a, {.bits = bits, .device = device});
        ASSERT_EQ(there.failure, "");
        ASSERT_TRUE(are_blocks(here) && are_blocks(there));
        EXPECT_EQ(here.row_order, there.row_order);
        EXPECT_EQ(here.row_exponent, there.row_exponent);
        double worst = 0.0, largest = 0.0;
        for (std::size_t k = 0; k < here.upper.values.size(); ++k) {
            worst = std::max(worst, std::abs(here.upper.values[k] - there.upper.values[k]));
            largest = std::max(largest, std::abs(here.upper.values[k]));
        }
        EXPECT_LE(worst, std::ldexp(largest, static_cast<int>(12 - bits))) << bits;
    }
}
