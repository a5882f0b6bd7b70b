#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/methods/tfqmr.hpp>

#include "tests/support/adjoint.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class M>
iteration_report run_tfqmr(const real_space& space, const io::coo<double>& a, const M& m, const std::vector<real>& b,
                           std::vector<real>& x, const stop_rule& r)
{
    tfqmr_workspace<real_space> work(space, a.rows);
    return tfqmr(space, real_matrix{a}, m, b, x, r, work);
}

}  // namespace

TEST(tfqmr_test, solves_a_nonsymmetric_system_in_two_steps_for_each_unknown)
{
    const auto method = [](const real_space& space, const real_matrix& a, const std::vector<real>& b,
                           std::vector<real>& x) {
        tfqmr_workspace<real_space> work(space, space.size(b));
        return tfqmr(space, a, real_identity{}, b, x, rule(1e-70), work);
    };

    const real_run run = solve_for_ones(from_rows(nonsymmetric), 300, method);

    EXPECT_EQ(run.report.status, solve_status::converged);
    EXPECT_LE(run.report.iterations, 8);
    EXPECT_EQ(run.report.matvecs, run.report.iterations + 1);
    EXPECT_GT(agreeing_digits(run.x, ones(4)), 68.0);
}

TEST(tfqmr_test, the_recurrence_residual_is_that_of_x)
{
    expect_residuals_of_x([](auto&&... x) { return run_tfqmr(x...); }, 48, 5);
}

TEST(tfqmr_test, follows_residuals_far_below_the_range_of_their_squares)
{
    expect_the_same_for_every_scale([](auto&&... x) { return run_tfqmr(x...); });
}

TEST(tfqmr_test, an_exact_guess_and_a_zero_right_hand_side_take_no_step)
{
    expect_no_step([](auto&&... x) { return run_tfqmr(x...); });
}

TEST(tfqmr_test, one_unknown)
{
    const real_space space{200};
    std::vector<real> x = space.make_vector(1);
    const auto report = run_tfqmr(space, from_rows({{-4}}), real_identity{}, {real(8.0)}, x, rule(1e-50));
    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(to_double(x[0]), -2.0);
}

TEST(tfqmr_test, singular_matrices_are_not_claimed_to_be_solved)
{
    const real_space space{200};
    std::vector<real> x = space.make_vector(2);
    for (const auto& rows : {std::vector<std::vector<double>>{{0, 1}, {0, 0}}, {{0, 0}, {0, 3}}, {{0, 0}, {0, 0}}}) {
        io::coo<double> a = from_rows(rows);
        x = space.make_vector(2);
        EXPECT_NE(run_tfqmr(space, a, real_identity{}, {real(1.0), real(1.0)}, x, rule(1e-20, 60)).status,
                  solve_status::converged);
        EXPECT_TRUE(is_finite(x[0]) && is_finite(x[1]));
    }
}

TEST(tfqmr_test, a_skew_matrix_is_a_breakdown_that_leaves_x_as_it_was)
{
    const real_space space{200};
    std::vector<real> x = space.make_vector(2);
    const auto report =
        run_tfqmr(space, from_rows({{0, 1}, {-1, 0}}), real_identity{}, {real(1.0), real(0.0)}, x, rule(1e-20, 60));
    EXPECT_EQ(report.status, solve_status::breakdown);
    EXPECT_EQ(report.message, "the shadow residual became orthogonal to A M u");
    EXPECT_EQ(x, space.make_vector(2));
}

// shadow'w vanishes after the first two steps, as in bicg_test after the first.
TEST(tfqmr_test, starts_anew_where_the_shadow_residual_is_orthogonal)
{
    const real_space space{200};
    const io::coo<double> a = from_rows({{-1, -1, -1}, {-1, -1, 0}, {1, -1, 1}});
    std::vector<real> x = space.make_vector(3);
    const auto report = run_tfqmr(space, a, real_identity{}, {real(1.0), real(0.0), real(0.0)}, x, rule(1e-40, 60));
    EXPECT_EQ(report.status, solve_status::converged) << report.message;
    EXPECT_EQ(report.restarts, 1);
    EXPECT_GT(agreeing_digits(x, {real(0.5), real(-0.5), real(-1.0)}), 38.0);
}

TEST(tfqmr_test, nan_and_infinity_are_a_breakdown)
{
    const real_space space{200};
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        auto rows = nonsymmetric;
        rows[3][3] = bad;
        std::vector<real> x = space.make_vector(4);
        const auto report = run_tfqmr(space, from_rows(rows), real_identity{}, waves(space, 4), x, rule(1e-50));
        EXPECT_EQ(report.status, solve_status::breakdown);
        EXPECT_EQ(x, space.make_vector(4));
    }
}
