// Refinement on a device by factors above binary64, which the device makes where it makes those of `direct`: the bits and the
// figures of the host.
#include <algorithm>
#include <complex>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <residua/solvers/solve.hpp>
#include <residua/solvers/solver.hpp>

#include "tests/support/on_cuda.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// Random numbers in all places; the mirror image of the lower triangle above it on request. A large diagonal makes a symmetric one
/// definite.
io::coo<double> full(biased_random& random, index_t n, bool symmetric, double diagonal)
{
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n),
                                          std::vector<double>(static_cast<std::size_t>(n)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows.size(); ++j) {
            rows[i][j] = symmetric && j < i ? rows[j][i] : (i == j ? diagonal : 0.0) + random.full(-8, -1);
        }
    }
    return from_rows(rows);
}

struct long_factors_cuda_test : on_cuda<double> {
    /// Refines on the host and on the device, and expects the same of both.
    static void expect_equal(const linear_system& system, solve_options options, const std::string& what)
    {
        SCOPED_TRACE(what);
        options.method = method::refine;
        const solve_result here = solve(system, options);
        options.executor = executor::cuda;
        const solve_result there = solve(system, options);
        EXPECT_EQ(here.report.status, solve_status::converged) << here.report.message;
        EXPECT_EQ(there.report.status, here.report.status) << there.report.message;
        EXPECT_EQ(there.report.executor, executor::cuda);
        EXPECT_EQ(there.report.factor_bits, options.factor_bits);
        EXPECT_EQ(there.report.preconditioner, here.report.preconditioner);
        EXPECT_EQ(there.report.iterations, here.report.iterations);
        EXPECT_EQ(there.report.forward_error, here.report.forward_error);
        EXPECT_EQ(there.report.relative_residual, here.report.relative_residual);
        EXPECT_EQ(there.x, here.x);
    }

    static solve_options with(long bits, long factor_bits, number_format format = number_format::automatic)
    {
        solve_options options;
        options.format = format;
        options.precision_bits = bits;
        options.factor_bits = factor_bits;
        return options;
    }
};

}  // namespace

TEST_F(long_factors_cuda_test, dense_systems_have_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    for (const index_t n : {31, 300}) {  // factors of the host, and of the device
        for (const auto& [symmetric, diagonal] : {std::pair{false, 0.0}, {true, 0.0}, {true, 300.0}}) {
            const linear_system system = with_solution_ones(full(random, n, symmetric, diagonal));
            const std::string what =
                std::to_string(n) + (symmetric ? ", symmetric, " : ", ") + std::to_string(diagonal);
            expect_equal(system, with(212, 106), what + ", 106 for 212 bits");
            expect_equal(system, with(848, 424), what + ", 424 for 848 bits");
            expect_equal(system, with(1696, 848), what + ", 848 for 1696 bits");
            expect_equal(system, with(300, 212, number_format::multidigit), what + ", 212 for 300 bits");
            expect_equal(system, with(600, 300, number_format::rns), what + ", rns");
        }
    }
}

TEST_F(long_factors_cuda_test, sparse_and_complex_systems_have_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    const linear_system sparse = with_solution_ones(poisson_2d(20));
    expect_equal(sparse, with(424, 106), "sparse, 106 bits");
    expect_equal(sparse, with(848, 424), "sparse, 424 bits");

    constexpr index_t n = 150;
    std::vector<std::complex<double>> entries;
    for (index_t k = 0; k < n * n; ++k) {
        entries.emplace_back(random.full(-8, -1), random.full(-8, -1));
    }
    const std::vector<std::complex<double>> b(n, {1.0, 2.0});
    expect_equal(make_system(dense_view<std::complex<double>>{n, n, entries}, b), with(212, 106), "complex");
}

TEST_F(long_factors_cuda_test, several_right_hand_sides_and_the_transpose_have_the_bits_of_the_host)
{
    SCOPED_TRACE(random.trace());
    const linear_system system = with_solution_ones(full(random, 300, false, 0.0));
    std::vector<std::vector<real>> b(3, system.b);
    for (real& each : b[1]) {
        each = real(random.full(-5, 5));
    }
    std::fill(b[2].begin(), b[2].end(), real(0.0));
    b[2][7] = real(1.0);
    for (const bool transposed : {false, true}) {
        std::vector<std::vector<std::vector<real>>> x;
        for (const executor where : {executor::host, executor::cuda}) {
            solve_options options = with(848, 424);
            options.method = method::refine;
            options.executor = where;
            solver by(system, options);
            std::vector<std::vector<real>>& all = x.emplace_back();
            std::vector<solve_result> results = transposed ? by.solve_transposed(b) : by.solve(b);
            for (solve_result& each : results) {
                EXPECT_EQ(each.report.status, solve_status::converged) << each.report.message;
                all.push_back(std::move(each.x));
            }
        }
        EXPECT_EQ(x[0], x[1]) << transposed;
    }
}
