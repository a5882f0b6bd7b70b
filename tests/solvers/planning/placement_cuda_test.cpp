// Where solves that ask for a GPU are computed, and that they take little longer than on the host.
#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/solvers/solve.hpp>

#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

class placement_cuda_test : public testing::Test {
public:
    void SetUp() override
    {
        if (cuda_devices().empty()) {
            GTEST_SKIP() << why_no_cuda_device();
        }
    }
};

/// CG with IC(0).
solve_options by_ic0(long bits)
{
    solve_options options;
    options.method = method::cg;
    options.preconditioner = preconditioner::ic0;
    options.precision_bits = bits;
    return options;
}

/// Chains of a few rows each: the triangles have as many row levels, which are wide.
io::coo<double> short_chains(index_t n)
{
    constexpr index_t length = 4;
    const io::coo<double> whole = poisson_1d(n);
    io::coo<double> some;
    some.rows = some.cols = n;
    for (std::size_t k = 0; k < whole.value.size(); ++k) {
        if (whole.row[k] / length == whole.col[k] / length) {
            some.row.push_back(whole.row[k]);
            some.col.push_back(whole.col[k]);
            some.value.push_back(whole.value[k]);
        }
    }
    return some;
}

struct timed_result {
    solve_result result;
    double seconds = std::numeric_limits<double>::infinity();  ///< the least of four
};

timed_result solved(const linear_system& system, solve_options options, executor where)
{
    options.executor = where;
    timed_result best;
    for (int k = 0; k < 4; ++k) {
        const auto start = std::chrono::steady_clock::now();
        best.result = solve(system, options);
        best.seconds =
            std::min(best.seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

}  // namespace

TEST_F(placement_cuda_test, a_chain_takes_little_longer_than_on_the_host)
{
    constexpr double most_lost = 0.1;
    constexpr double most_transfers = 0.1;  // of a few vectors of 20,000 numbers, and of the matrix
    const linear_system chain = system_of(poisson_1d(20000));
    for (const long bits : {53L, 106L, 212L, 424L, 848L}) {
        SCOPED_TRACE(std::to_string(bits) + " bits");
        const timed_result host = solved(chain, by_ic0(bits), executor::host);
        const timed_result cuda = solved(chain, by_ic0(bits), executor::cuda);

        EXPECT_LE(cuda.seconds, host.seconds + most_lost + most_transfers);
        EXPECT_NE(cuda.result.report.kept_on_host, "");
        EXPECT_EQ(host.result.report.kept_on_host, "");
        EXPECT_EQ(host.result.x, cuda.result.x);
        EXPECT_EQ(host.result.report.iterations, cuda.result.report.iterations);
    }
}

TEST_F(placement_cuda_test, the_gpu_solves_with_triangles_of_wide_levels)
{
    const linear_system system = system_of(short_chains(40000));

    const timed_result host = solved(system, by_ic0(212), executor::host);
    const timed_result cuda = solved(system, by_ic0(212), executor::cuda);

    EXPECT_EQ(cuda.result.report.executor, executor::cuda);
    EXPECT_EQ(cuda.result.report.kept_on_host, "");
    EXPECT_EQ(host.result.x, cuda.result.x);
}

TEST_F(placement_cuda_test, nobody_asked_for_a_gpu_that_an_iteration_would_leave)
{
    const solve_report report = solved(system_of(poisson_1d(20000)), by_ic0(106), executor::automatic).result.report;

    EXPECT_EQ(report.executor, executor::host);
    EXPECT_EQ(report.kept_on_host, "");
}
