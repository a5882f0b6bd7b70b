#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/methods/gmres.hpp>
#include <residua/solvers/methods/minres.hpp>

#include "tests/support/krylov.hpp"

using namespace residua;
using namespace residua::support;

namespace {

const std::vector<std::vector<double>> indefinite{
    {2, -1, 0, 0.5, 0}, {-1, -3, 1, 0, 0}, {0, 1, 0, 2, 0}, {0.5, 0, 2, 1, -4}, {0, 0, 0, -4, 0.25}};

/// M = diagonal
struct scaling {
    std::vector<double> diagonal;

    void apply(const real_space&, const std::vector<real>& x, std::vector<real>& y) const
    {
        for (std::size_t i = 0; i < x.size(); ++i) {
            y[i] = x[i] * real(diagonal[i], x[i].precision());
        }
    }
};

template <class M>
iteration_report run_minres(const real_space& space, const io::coo<double>& a, const M& m, const std::vector<real>& b,
                            std::vector<real>& x, const stop_rule& r)
{
    minres_workspace<real_space> work(space, a.rows);
    return minres(space, real_matrix{a}, m, b, x, r, work);
}

/// ||b - A x|| / ||b||
double true_residual(const real_space& space, const io::coo<double>& a, const std::vector<real>& b,
                     const std::vector<real>& x)
{
    std::vector<real> r = space.make_vector(a.rows);
    real_matrix{a}.apply(space, x, r);
    for (std::size_t i = 0; i < r.size(); ++i) {
        r[i] = b[i] - r[i];
    }
    return to_double(space.norm2(r) / space.norm2(b));
}

std::vector<real> right_hand_side(const real_space& space, index_t n)
{
    std::vector<real> b = space.make_vector(n);
    for (index_t i = 0; i < n; ++i) {
        b[static_cast<std::size_t>(i)] = space.make_scalar(std::cos(3.0 * static_cast<double>(i)));
    }
    return b;
}

/// The matrix of -u'' - 40 u on n points: 2 or 3 negative eigenvalues, all others positive.
io::coo<double> shifted_stencil(int n)
{
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n),
                                          std::vector<double>(static_cast<std::size_t>(n)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i][i] = 2.0 - 40.0 / (n * n);
        if (i > 0) {
            rows[i][i - 1] = rows[i - 1][i] = -1.0;
        }
    }
    return from_rows(rows);
}

}  // namespace

TEST(minres_test, solves_an_indefinite_system_in_as_many_steps_as_it_has_unknowns)
{
    const auto method = [](const real_space& space, const real_matrix& a, const std::vector<real>& b,
                           std::vector<real>& x) {
        minres_workspace<real_space> work(space, space.size(b));
        return minres(space, a, real_identity{}, b, x, rule(1e-70), work);
    };

    const real_run run = solve_for_ones(from_rows(indefinite), 300, method);

    EXPECT_EQ(run.report.status, solve_status::converged);
    EXPECT_EQ(run.report.iterations, 5);
    EXPECT_GT(agreeing_digits(run.x, ones(5)), 68.0);
}

// The residual of iterate k is the least of all x in the Krylov space: the one that GMRES finds by orthogonalisation.
TEST(minres_test, has_the_residuals_of_gmres)
{
    const real_space space{400};
    const io::coo<double> a = shifted_stencil(60);
    const std::vector<real> b = right_hand_side(space, a.rows);
    std::vector<double> of_minres, of_gmres;
    stop_rule r = rule(1e-60);
    r.on_iteration = [&](index_t, double residual) { of_minres.push_back(residual); };
    std::vector<real> x = space.make_vector(a.rows);
    const iteration_report report = run_minres(space, a, real_identity{}, b, x, r);
    r.on_iteration = [&](index_t, double residual) { of_gmres.push_back(residual); };
    std::vector<real> y = space.make_vector(a.rows);
    gmres_workspace<real_space> work(space, a.rows, a.rows + 1);
    gmres(space, real_matrix{a}, real_identity{}, b, y, r, work, orthogonalization::reorthogonalized);

    EXPECT_EQ(report.status, solve_status::converged);
    ASSERT_GE(of_minres.size(), 20U);
    for (std::size_t k = 0; k + 1 < std::min(of_minres.size(), of_gmres.size()); ++k) {
        EXPECT_NEAR(of_minres[k], of_gmres[k], 1e-10 * of_gmres[k]) << k;
    }
    EXPECT_GT(agreeing_digits(x, y), 50.0);
}

// r_k follows from the Lanczos vectors, and is b - A x_k in every iteration, whatever M and b.
TEST(minres_test, the_recurrence_residual_is_that_of_x)
{
    const real_space space{300};
    const io::coo<double> a = from_rows(indefinite);
    const scaling m{{0.5, 3.0, 1.0, 0.125, 7.0}};
    for (const int scale : {0, 300, -900}) {
        std::vector<real> b = right_hand_side(space, a.rows);
        for (real& element : b) {
            element = ldexp(element, scale);
        }
        for (index_t k = 0; k < a.rows; ++k) {
            std::vector<real> x = space.make_vector(a.rows);
            const iteration_report report = run_minres(space, a, m, b, x, rule(1e-70, k));
            EXPECT_EQ(report.status, solve_status::not_converged);
            EXPECT_EQ(report.iterations, k);
            EXPECT_NEAR(report.recursive_residual, true_residual(space, a, b, x), 1e-12 * report.recursive_residual);
        }
        std::vector<real> x = space.make_vector(a.rows);
        const iteration_report report = run_minres(space, a, m, b, x, rule(1e-70));
        EXPECT_EQ(report.status, solve_status::converged);
        EXPECT_LT(true_residual(space, a, b, x), 1e-69);
    }
}

TEST(minres_test, an_exact_guess_and_a_zero_right_hand_side_take_no_step)
{
    const real_space space{200};
    const io::coo<double> a = from_rows(indefinite);
    std::vector<real> b = space.make_vector(5);
    std::vector<real> x = space.make_vector(5);
    EXPECT_EQ(run_minres(space, a, real_identity{}, b, x, rule(1e-50)).iterations, 0);
    x = ones(5);
    real_matrix{a}.apply(space, x, b);
    const iteration_report report = run_minres(space, a, real_identity{}, b, x, rule(1e-50));
    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(report.iterations, 0);
}

TEST(minres_test, one_unknown)
{
    const real_space space{200};
    std::vector<real> x = space.make_vector(1);
    const auto report = run_minres(space, from_rows({{-4}}), real_identity{}, {real(8.0)}, x, rule(1e-50));
    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(to_double(x[0]), -2.0);
}

TEST(minres_test, a_singular_matrix_is_no_obstacle_where_there_is_a_solution)
{
    const real_space space{200};
    const io::coo<double> a = from_rows({{1, 0, 0}, {0, 0, 0}, {0, 0, -2}});
    std::vector<real> x = space.make_vector(3);
    auto report = run_minres(space, a, real_identity{}, {real(1.0), real(0.0), real(1.0)}, x, rule(1e-50));
    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(to_double(x[2]), -0.5);

    x = space.make_vector(3);
    report = run_minres(space, a, real_identity{}, {real(1.0), real(1.0), real(1.0)}, x, rule(1e-50, 100));
    EXPECT_NE(report.status, solve_status::converged);
}

TEST(minres_test, a_preconditioner_that_is_not_definite_is_a_breakdown)
{
    const real_space space{200};
    std::vector<real> x = space.make_vector(5);
    const std::vector<real> b = right_hand_side(space, 5);
    for (const scaling& m : {scaling{{1, 1, -1, 1, 1}}, scaling{{-1, -1, -1, -1, -1}}, scaling{{0, 0, 0, 0, 0}}}) {
        const iteration_report report = run_minres(space, from_rows(indefinite), m, b, x, rule(1e-50));
        EXPECT_EQ(report.status, solve_status::breakdown);
        EXPECT_NE(report.message.find("preconditioner"), std::string::npos) << report.message;
    }
}

TEST(minres_test, nan_and_infinity_are_a_breakdown)
{
    const real_space space{200};
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        auto rows = indefinite;
        rows[4][4] = bad;
        std::vector<real> x = space.make_vector(5);
        const iteration_report report =
            run_minres(space, from_rows(rows), real_identity{}, right_hand_side(space, 5), x, rule(1e-50));
        EXPECT_EQ(report.status, solve_status::breakdown);
    }
}
