#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/tfqmr.hpp>

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

// r_k is b - A x_k in every iteration, whatever M and b.
TEST(tfqmr_test, the_recurrence_residual_is_that_of_x)
{
    const real_space space{300};
    const io::coo<double> a = upwind(24);
    for (const bool scaled : {false, true}) {
        const scaling m{scaled ? powers(24) : std::vector<double>(24, 1.0)};
        for (const int scale : {0, 300, -900}) {
            const std::vector<real> b = waves(space, a.rows, scale);
            for (index_t k = 0; k < 46; k += 5) {
                std::vector<real> x = space.make_vector(a.rows);
                const iteration_report report = run_tfqmr(space, a, m, b, x, rule(0.0, k));
                EXPECT_EQ(report.status, solve_status::not_converged);
                EXPECT_EQ(report.iterations, k);
                EXPECT_NEAR(report.recursive_residual, relative_residual(space, a, b, x),
                            1e-12 * report.recursive_residual);
            }
            std::vector<real> x = space.make_vector(a.rows);
            const iteration_report report = run_tfqmr(space, a, m, b, x, rule(1e-60));
            EXPECT_EQ(report.status, solve_status::converged) << report.message;
            EXPECT_LE(report.iterations, 48);
            EXPECT_LT(relative_residual(space, a, b, x), 1.001e-60);
        }
    }
}

// Powers of two change nothing, and where they are taken out depends on the size of b: all residuals are the same.
TEST(tfqmr_test, follows_residuals_far_below_the_range_of_their_squares)
{
    const real_space space{500};
    const io::coo<double> a = upwind(300, 6.0);
    std::vector<double> first;
    for (const int scale : {0, 30, -45, -500}) {
        const std::vector<real> b = waves(space, a.rows, scale);
        std::vector<real> x = space.make_vector(a.cols);
        std::vector<double> residuals;
        stop_rule r = rule(1e-100);
        r.on_iteration = [&](index_t, double residual) { residuals.push_back(residual); };

        const iteration_report report = run_tfqmr(space, a, real_identity{}, b, x, r);

        EXPECT_EQ(report.status, solve_status::converged) << report.message;
        EXPECT_LT(report.iterations, 280);  // so that it is rescaled on the way, and not at the end
        EXPECT_LT(relative_residual(space, a, b, x), 1.001e-100);
        first = first.empty() ? residuals : first;
        EXPECT_EQ(residuals, first) << scale;
    }
}

TEST(tfqmr_test, an_exact_guess_and_a_zero_right_hand_side_take_no_step)
{
    const real_space space{200};
    const io::coo<double> a = from_rows(nonsymmetric);
    std::vector<real> b = space.make_vector(4);
    std::vector<real> x = space.make_vector(4);
    EXPECT_EQ(run_tfqmr(space, a, real_identity{}, b, x, rule(1e-50)).status, solve_status::converged);
    x = ones(4);
    real_matrix{a}.apply(space, x, b);
    const iteration_report report = run_tfqmr(space, a, real_identity{}, b, x, rule(1e-50));
    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(report.matvecs, 1);
    EXPECT_EQ(x, ones(4));
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
