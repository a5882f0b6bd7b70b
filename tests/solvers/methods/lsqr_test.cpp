#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/methods/lsqr.hpp>

#include "tests/support/adjoint.hpp"
#include "tests/support/eigen_reference.hpp"

using namespace residua;
using namespace residua::support;

namespace {

iteration_report run_lsqr(const real_space& space, const io::coo<double>& a, const std::vector<real>& b,
                          std::vector<real>& x, const stop_rule& r)
{
    lsqr_workspace<real_space> work(space, a.rows, a.cols);
    return lsqr(space, real_matrix{a}, real_matrix{transposed(a)}, b, x, r, work);
}

stop_rule rules(double relative, double normal, index_t most = 2000)
{
    stop_rule r = rule(relative, most);
    r.normal_reduction = normal;
    return r;
}

/// ||A'(b - A x)|| / ||b - A x||
double normal_ratio(const real_space& space, const io::coo<double>& a, const std::vector<real>& b,
                    const std::vector<real>& x)
{
    const std::vector<real> r = exact_residual(space, a, b, x);
    const real_space wide{4 * space.bits};
    std::vector<real> z = wide.make_vector(a.cols);
    real_matrix{transposed(a)}.apply(wide, r, z);
    return to_double(wide.norm2(z) / wide.norm2(r));
}

/// Matrices of many shapes and ranks.
const std::vector<std::vector<std::vector<double>>> shapes{
    {{1, 2}, {3, 4}, {5, 6}, {7, 9}},               // tall
    {{1, 2, 3, 4}, {5, 6, 7, 9}},                   // wide
    {{1, 2, 3}, {2, 4, 6}, {1, 1, 1}, {0, 1, 2}},   // tall, rank 2
    {{1, 2, 0, 1}, {2, 4, 0, 2}, {1, 1, 0, 3}},     // wide, rank 2, a zero column
    {{1, 0, 2}, {0, 0, 0}, {3, 0, -1}, {1, 0, 1}},  // a zero row and a zero column
    {{3, 1, -2}},                                   // one row
    {{2}, {-1}, {5}},                               // one column
    {{-4}},                                         //
    {{4, 1, 0, 0}, {-2, 5, 1, 0}, {0, 3, -6, 2}, {1, 0, 0, 3}},
};

}  // namespace

TEST(lsqr_test, finds_the_shortest_solution_for_every_shape_and_rank)
{
    const real_space space{400};
    for (const auto& rows : shapes) {
        const io::coo<double> a = from_rows(rows);
        const std::vector<real> b = waves(space, a.rows);
        std::vector<real> x = space.make_vector(a.cols);

        const iteration_report report = run_lsqr(space, a, b, x, rules(1e-60, 1e-60));

        EXPECT_EQ(report.status, solve_status::converged) << a.rows << " x " << a.cols;
        EXPECT_LE(report.iterations, std::min(a.rows, a.cols)) << a.rows << " x " << a.cols;
        EXPECT_GT(agreeing_digits(x, eigen_shortest(make_system(a, b), 1000)), 55.0) << a.rows << " x " << a.cols;
        const bool consistent = relative_residual(space, a, b, x) < 1e-55;
        EXPECT_EQ(report.least_squares, !consistent) << a.rows << " x " << a.cols;
    }
}

// r_k and the test of A'r_k are those of x_k in every iteration: a smaller bound is missed, a larger one is met.
TEST(lsqr_test, both_tests_go_by_the_residual_of_x)
{
    const real_space space{300};
    io::coo<double> a = upwind(24);
    a.rows += 6;  // six equations more than unknowns, the last with entries of their own
    for (index_t i = 24; i < 30; ++i) {
        a.row.push_back(i);
        a.col.push_back(i - 20);
        a.value.push_back(0.75);
    }
    for (const int scale : {0, 300, -900}) {
        const std::vector<real> b = waves(space, a.rows, scale);
        const std::vector<real> none = space.make_vector(a.cols);
        const double at_first = normal_ratio(space, a, b, none);
        double least = 1.0;
        for (index_t k = 0; k < 24; ++k) {
            std::vector<real> x = space.make_vector(a.cols);
            const iteration_report report = run_lsqr(space, a, b, x, rules(0.0, 0.0, k));
            EXPECT_EQ(report.status, solve_status::not_converged);
            EXPECT_EQ(report.iterations, k);
            EXPECT_NEAR(report.recursive_residual, relative_residual(space, a, b, x),
                        1e-12 * report.recursive_residual);
            const double reduction = normal_ratio(space, a, b, x) / at_first;
            const bool is_new = reduction < least;  // else the test ends the iteration before
            least = std::min(least, reduction);
            for (const double share : {0.999999, 1.000001}) {
                if (!is_new) {
                    continue;
                }
                std::vector<real> y = space.make_vector(a.cols);
                const iteration_report tested = run_lsqr(space, a, b, y, rules(0.0, share * reduction, k));
                EXPECT_EQ(tested.least_squares, share > 1.0) << k;
                EXPECT_EQ(tested.status, share > 1.0 ? solve_status::converged : solve_status::not_converged) << k;
            }
        }
        std::vector<real> x = space.make_vector(a.cols);
        const iteration_report report = run_lsqr(space, a, b, x, rules(1e-60, 1e-60));
        EXPECT_EQ(report.status, solve_status::converged);
        EXPECT_TRUE(report.least_squares);
        EXPECT_LT(normal_ratio(space, a, b, x) / at_first, 1.001e-60);
    }
}

// Powers of two change nothing, and where they are taken out depends on the size of b: all residuals are the same.
TEST(lsqr_test, follows_residuals_far_below_the_range_of_their_squares)
{
    const real_space space{500};
    const io::coo<double> a = upwind(300, 6.0);
    std::vector<double> first;
    for (const int scale : {0, 30, -45, -500}) {
        const std::vector<real> b = waves(space, a.rows, scale);
        std::vector<real> x = space.make_vector(a.cols);
        std::vector<double> residuals;
        stop_rule r = rules(1e-100, 1e-100);
        r.on_iteration = [&](index_t, double residual) { residuals.push_back(residual); };

        const iteration_report report = run_lsqr(space, a, b, x, r);

        EXPECT_EQ(report.status, solve_status::converged) << report.message;
        EXPECT_LT(report.iterations, 280);  // so that it is rescaled on the way, and not at the end
        EXPECT_FALSE(report.least_squares);
        EXPECT_LT(relative_residual(space, a, b, x), 1.001e-100);
        first = first.empty() ? residuals : first;
        EXPECT_EQ(residuals, first) << scale;
    }
}

TEST(lsqr_test, an_exact_guess_and_a_zero_right_hand_side_take_no_step)
{
    const real_space space{200};
    for (const auto& rows : shapes) {
        const io::coo<double> a = from_rows(rows);
        std::vector<real> b = space.make_vector(a.rows);
        std::vector<real> x = space.make_vector(a.cols);
        EXPECT_EQ(run_lsqr(space, a, b, x, rules(1e-50, 1e-50)).iterations, 0);
        x = ones(a.cols);
        real_matrix{a}.apply(space, x, b);
        const iteration_report report = run_lsqr(space, a, b, x, rules(1e-50, 1e-50));
        EXPECT_EQ(report.status, solve_status::converged);
        EXPECT_EQ(report.iterations, 0);
        EXPECT_FALSE(report.least_squares);
        EXPECT_EQ(x, ones(a.cols));
    }
}

TEST(lsqr_test, a_right_hand_side_that_is_orthogonal_to_the_columns_has_the_guess_as_solution)
{
    const real_space space{200};
    for (const auto& rows : {std::vector<std::vector<double>>{{1, 0}, {2, 0}, {0, 0}}, {{0, 0}, {0, 0}, {0, 0}}}) {
        std::vector<real> x{real(0.0), real(7.0)};
        const iteration_report report =
            run_lsqr(space, from_rows(rows), {real(0.0), real(0.0), real(3.0)}, x, rules(1e-50, 0.0));
        EXPECT_EQ(report.status, solve_status::converged);
        EXPECT_TRUE(report.least_squares);
        EXPECT_EQ(report.iterations, 0);
        EXPECT_EQ(to_double(x[1]), 7.0);
    }
}

TEST(lsqr_test, keeps_the_part_of_a_guess_that_the_matrix_does_not_see)
{
    const real_space space{200};
    std::vector<real> x{real(0.0), real(3.0), real(-3.0)};
    const auto report = run_lsqr(space, from_rows({{0, 1, 1}}), {real(4.0)}, x, rules(1e-50, 1e-50));
    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_GT(agreeing_digits(x, {real(0.0), real(5.0), real(-1.0)}), 48.0);
}

TEST(lsqr_test, nan_and_infinity_are_a_breakdown)
{
    const real_space space{200};
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        auto rows = shapes.front();
        rows[3][1] = bad;
        std::vector<real> x = space.make_vector(2);
        const auto report = run_lsqr(space, from_rows(rows), waves(space, 4), x, rules(1e-50, 1e-50));
        EXPECT_EQ(report.status, solve_status::breakdown);
        EXPECT_EQ(x, space.make_vector(2));
    }
}
