#include <gtest/gtest.h>

#include "apps/residua/commands/solution.hpp"

namespace residua {
namespace {

TEST(relative_error, is_in_the_infinity_norm)
{
    const std::vector<real> x{real(1.0), real(-3.0)};
    const std::vector<real> y{real(2.0), real(-4.0)};

    EXPECT_EQ(relative_error(x, y), real(0.25));
}

TEST(relative_error, sees_differences_far_below_binary64)
{
    const real tiny("1e-300", 2000);
    const std::vector<real> x{real(1.0, 2000) + tiny};

    EXPECT_EQ(to_string(relative_error(x, {real(1.0)}), 3), "1.00e-300");
}

TEST(relative_error, of_a_zero_vector_is_the_difference)
{
    EXPECT_EQ(relative_error({real(0.5)}, {real(0.0)}), real(0.5));
    EXPECT_EQ(relative_error({}, {}), real(0.0));
}

TEST(relative_error, to_ones_is_that_to_a_vector_of_ones)
{
    for (const std::vector<real>& x :
         {std::vector<real>{real(1.0), real("1.25", 300)}, std::vector<real>{real(0.5, 20)}, std::vector<real>{}}) {
        const std::vector<real> ones(x.size(), real(1));

        EXPECT_EQ(relative_error_to_ones(solution(x), false), relative_error(x, ones));
        EXPECT_EQ(relative_error_to_ones(solution(x), false).precision(), relative_error(x, ones).precision());
    }
}

TEST(exit_code_of, follows_the_table)
{
    EXPECT_EQ(exit_code_of(solve_status::converged), exit_code::done);
    EXPECT_EQ(exit_code_of(solve_status::converged, false), exit_code::not_converged);
    EXPECT_EQ(exit_code_of(solve_status::not_converged), exit_code::not_converged);
    EXPECT_EQ(exit_code_of(solve_status::stagnated), exit_code::not_converged);
    EXPECT_EQ(exit_code_of(solve_status::time_limit), exit_code::not_converged);
    EXPECT_EQ(exit_code_of(solve_status::breakdown), exit_code::breakdown);
    EXPECT_EQ(exit_code_of(solve_status::interrupted), exit_code::interrupted);
}

}  // namespace
}  // namespace residua
