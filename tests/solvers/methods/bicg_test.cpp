#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/methods/bicg.hpp>
#include <residua/solvers/methods/cg.hpp>

#include "tests/support/adjoint.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class M>
iteration_report run_bicg(const real_space& space, const io::coo<double>& a, const M& m, const std::vector<real>& b,
                          std::vector<real>& x, const stop_rule& r)
{
    bicg_workspace<real_space> work(space, a.rows);
    return bicg(space, real_matrix{a}, real_matrix{transposed(a)}, m, m, b, x, r, work);
}

/// Diagonal 2, superdiagonal 1, second subdiagonal 2.
io::coo<double> toeplitz(index_t n)
{
    io::coo<double> a;
    a.rows = a.cols = n;
    for (index_t i = 0; i < n; ++i) {
        for (const auto& [j, value] : {std::pair(i - 2, 2.0), std::pair(i, 2.0), std::pair(i + 1, 1.0)}) {
            if (0 <= j && j < n) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(value);
            }
        }
    }
    return a;
}

iteration_report run_toeplitz(long bits)
{
    const real_space space{bits};
    std::vector<real> b(200, space.make_scalar(1.0));
    std::vector<real> x = space.make_vector(200);
    return run_bicg(space, toeplitz(200), real_identity{}, b, x, rule(1e-12, 2000));
}

}  // namespace

TEST(bicg_test, solves_a_nonsymmetric_system_in_as_many_steps_as_it_has_unknowns)
{
    const auto method = [](const real_space& space, const real_matrix& a, const std::vector<real>& b,
                           std::vector<real>& x) {
        bicg_workspace<real_space> work(space, space.size(b));
        const real_matrix a_t{transposed(a.a)};
        return bicg(space, a, a_t, real_identity{}, real_identity{}, b, x, rule(1e-70), work);
    };

    const real_run run = solve_for_ones(from_rows(nonsymmetric), 300, method);

    EXPECT_EQ(run.report.status, solve_status::converged);
    EXPECT_LE(run.report.iterations, 4);
    EXPECT_EQ(run.report.matvecs, 2 * run.report.iterations + 1);
    EXPECT_GT(agreeing_digits(run.x, ones(4)), 68.0);
}

TEST(bicg_test, is_cg_where_the_matrix_is_symmetric)
{
    const real_space space{200};
    const io::coo<double> a = poisson_1d(40);
    const std::vector<real> b = waves(space, 40);
    for (const index_t k : {0, 1, 2, 7, 20}) {
        std::vector<real> x = space.make_vector(40);
        std::vector<real> y = space.make_vector(40);
        cg_workspace<real_space> work(space, 40);
        const scaling m{powers(40)};
        const iteration_report report = run_bicg(space, a, m, b, x, rule(0.0, k));
        const iteration_report by_cg = cg(space, real_matrix{a}, m, b, y, rule(0.0, k), work);
        EXPECT_EQ(report.iterations, by_cg.iterations);
        EXPECT_GT(k == 0 ? 99.0 : agreeing_digits(x, y), 40.0) << k;
    }
}

// Measured independently: no convergence at 53 bits, 236 iterations at 106, 173 at 159 and above.
TEST(bicg_test, needs_fewer_iterations_in_higher_precision_on_a_toeplitz_matrix)
{
    EXPECT_NE(run_toeplitz(53).status, solve_status::converged);
    const iteration_report at_106 = run_toeplitz(106);
    EXPECT_EQ(at_106.status, solve_status::converged);
    EXPECT_NEAR(static_cast<double>(at_106.iterations), 236.0, 24.0);
    for (const long bits : {159L, 212L, 424L}) {
        const iteration_report report = run_toeplitz(bits);
        EXPECT_EQ(report.status, solve_status::converged) << bits;
        EXPECT_NEAR(static_cast<double>(report.iterations), 173.0, 5.0) << bits;
    }
}

TEST(bicg_test, the_recurrence_residual_is_that_of_x)
{
    expect_residuals_of_x([](auto&&... x) { return run_bicg(x...); }, 24, 4);
}

TEST(bicg_test, follows_residuals_far_below_the_range_of_their_squares)
{
    expect_the_same_for_every_scale([](auto&&... x) { return run_bicg(x...); });
}

TEST(bicg_test, an_exact_guess_and_a_zero_right_hand_side_take_no_step)
{
    expect_no_step([](auto&&... x) { return run_bicg(x...); });
}

TEST(bicg_test, one_unknown)
{
    const real_space space{200};
    std::vector<real> x = space.make_vector(1);
    const auto report = run_bicg(space, from_rows({{-4}}), real_identity{}, {real(8.0)}, x, rule(1e-50));
    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(report.iterations, 1);
    EXPECT_EQ(to_double(x[0]), -2.0);
}

TEST(bicg_test, singular_matrices_are_not_claimed_to_be_solved)
{
    const real_space space{200};
    for (const auto& rows : {std::vector<std::vector<double>>{{0, 1}, {0, 0}}, {{0, 0}, {0, 3}}, {{0, 0}, {0, 0}}}) {
        std::vector<real> x = space.make_vector(2);
        EXPECT_NE(run_bicg(space, from_rows(rows), real_identity{}, {real(1.0), real(1.0)}, x, rule(1e-20, 60)).status,
                  solve_status::converged);
        EXPECT_TRUE(is_finite(x[0]) && is_finite(x[1]));
    }
}

TEST(bicg_test, breakdowns_leave_x_as_it_was)
{
    const real_space space{200};
    std::vector<real> x = space.make_vector(2);
    const std::vector<real> b{real(1.0), real(0.0)};
    const auto skew = run_bicg(space, from_rows({{0, 1}, {-1, 0}}), real_identity{}, b, x, rule(1e-20, 60));
    EXPECT_EQ(skew.status, solve_status::breakdown);
    EXPECT_EQ(skew.message, "the shadow direction became orthogonal to A p");
    EXPECT_EQ(x, space.make_vector(2));

    const std::vector<real> both{real(1.0), real(1.0)};
    const auto indefinite = run_bicg(space, from_rows({{1, 0}, {0, 2}}), scaling{{1, -1}}, both, x, rule(1e-20, 60));
    EXPECT_EQ(indefinite.status, solve_status::breakdown);
    EXPECT_NE(indefinite.message.find("also after starting anew"), std::string::npos) << indefinite.message;
    EXPECT_EQ(x, space.make_vector(2));
}

// shadow'r vanishes after one step: r_1 = (0, -1, 1)', and the shadow is (0, -1, -1)'.
TEST(bicg_test, starts_anew_where_the_shadow_residual_is_orthogonal)
{
    const real_space space{200};
    const io::coo<double> a = from_rows({{-1, -1, -1}, {-1, -1, 0}, {1, -1, 1}});
    std::vector<real> x = space.make_vector(3);
    const auto report = run_bicg(space, a, real_identity{}, {real(1.0), real(0.0), real(0.0)}, x, rule(1e-40, 30));
    EXPECT_EQ(report.status, solve_status::converged) << report.message;
    EXPECT_EQ(report.restarts, 1);
    EXPECT_EQ(report.iterations, 4);
    EXPECT_GT(agreeing_digits(x, {real(0.5), real(-0.5), real(-1.0)}), 38.0);
}

TEST(bicg_test, nan_and_infinity_are_a_breakdown)
{
    const real_space space{200};
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        auto rows = nonsymmetric;
        rows[3][3] = bad;
        std::vector<real> x = space.make_vector(4);
        const auto report = run_bicg(space, from_rows(rows), real_identity{}, waves(space, 4), x, rule(1e-50));
        EXPECT_EQ(report.status, solve_status::breakdown);
        EXPECT_EQ(x, space.make_vector(4));
    }
}
