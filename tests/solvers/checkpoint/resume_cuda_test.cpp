// A solve that is killed on a GPU goes on on the host, and the other way round, with the same bits.
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/solve.hpp>

#include "tests/support/nonsymmetric.hpp"
#include "tests/support/on_cuda.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

struct killed {};

struct krylov_case {
    method by;
    preconditioner with;
    number_format in;
    long bits;
};

TEST(resumed_on_a_gpu, has_the_bits_of_one_that_was_not_killed)
{
    if (cuda_devices().empty()) {
        GTEST_SKIP() << why_no_cuda_device();
    }
    const std::string path = testing::TempDir() + "resume_cuda_test." + std::to_string(std::random_device{}());
    const std::vector<krylov_case> cases{
        {method::cg, preconditioner::none, number_format::automatic, 53},
        {method::cg, preconditioner::jacobi, number_format::automatic, 212},
        {method::cg, preconditioner::jacobi, number_format::automatic, 848},
        {method::minres, preconditioner::none, number_format::automatic, 106},
        {method::bicgstab, preconditioner::jacobi, number_format::multidigit, 256},
        {method::cg, preconditioner::none, number_format::rns, 150},
        {method::gmres, preconditioner::none, number_format::automatic, 106},
        {method::idr, preconditioner::jacobi, number_format::automatic, 159},
    };
    for (const krylov_case& each : cases) {
        SCOPED_TRACE(std::string(to_string(each.by)) + " " + std::to_string(each.bits));
        const linear_system a = traits_of(each.by).symmetric ? system_of(poisson_2d(12)) : system_of(full_matrix(40));
        solve_options options;
        options.method = each.by;
        options.preconditioner = each.with;
        options.format = each.in;
        options.precision_bits = each.bits;
        options.executor = executor::host;
        options.estimate_condition = false;
        const std::vector<real> expected = solve(a, options).x;
        std::filesystem::remove(path);
        options.checkpoint = path;
        options.checkpoint_seconds = 0.0;
        int kills = 0;
        std::vector<real> x;
        for (std::size_t most = 4; x.empty() && kills < 1000; most += 4) {
            std::size_t lines = 0;
            options.on_history = [&](const history_entry&) {
                if (++lines > most) {
                    throw killed{};
                }
            };
            options.executor = kills % 2 == 0 ? executor::cuda : executor::host;
            try {
                x = solve(a, options).x;
            } catch (const killed&) {
                ++kills;
                options.resume = true;
            }
        }
        EXPECT_GE(kills, 2);
        ASSERT_EQ(x.size(), expected.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            ASSERT_TRUE(x[i] == expected[i]) << i;
        }
    }
    std::filesystem::remove(path);
}

}  // namespace
