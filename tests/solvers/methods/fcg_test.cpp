#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/methods/fcg.hpp>

#include "tests/support/nonsymmetric.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// Some steps of CG with A: another map for every vector.
struct inner_cg {
    const real_matrix& a;
    index_t steps;
    mutable index_t calls = 0;

    void apply(const real_space& space, const std::vector<real>& r, std::vector<real>& z) const
    {
        ++calls;
        cg_workspace<real_space> work(space, space.size(r));
        space.fill(real(0.0), z);
        cg(space, a, real_identity{}, r, z, rule(1e-70, steps), work);
    }
};

template <class M>
iteration_report run_fcg(const real_space& space, const io::coo<double>& a, const M& m, const std::vector<real>& b,
                         std::vector<real>& x, const stop_rule& r)
{
    cg_workspace<real_space> work(space, a.rows);
    return fcg(space, real_matrix{a}, m, b, x, r, work);
}

template <class M>
iteration_report run_cg(const real_space& space, const io::coo<double>& a, const M& m, const std::vector<real>& b,
                        std::vector<real>& x, const stop_rule& r)
{
    cg_workspace<real_space> work(space, a.rows);
    return cg(space, real_matrix{a}, m, b, x, r, work);
}

/// -u'' + u / 50 on n points.
io::coo<double> shifted(index_t n)
{
    io::coo<double> a = poisson_1d(n);
    for (double& value : a.value) {
        value = value == 2.0 ? 2.02 : value;
    }
    return a;
}

/// -u'' on n points, row and column i times 1 + i / 8.
io::coo<double> graded(index_t n)
{
    io::coo<double> a = poisson_1d(n);
    for (std::size_t k = 0; k < a.value.size(); ++k) {
        a.value[k] *= (1.0 + static_cast<double>(a.row[k]) / 8.0) * (1.0 + static_cast<double>(a.col[k]) / 8.0);
    }
    return a;
}

}  // namespace

TEST(fcg_test, has_the_iterates_of_cg_with_one_preconditioner)
{
    const real_space space{500};
    const io::coo<double> a = graded(40);
    const std::vector<real> b = waves(space, 40);
    std::vector<double> of_fcg, of_cg;
    stop_rule r = rule(1e-40);
    r.on_iteration = [&](index_t, double residual) { of_cg.push_back(residual); };
    std::vector<real> x = space.make_vector(40), y = x;
    const iteration_report by_cg = run_cg(space, a, real_jacobi{a}, b, x, r);
    r.on_iteration = [&](index_t, double residual) { of_fcg.push_back(residual); };
    const iteration_report report = run_fcg(space, a, real_jacobi{a}, b, y, r);

    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(report.iterations, by_cg.iterations);
    EXPECT_EQ(report.matvecs, by_cg.matvecs);
    ASSERT_EQ(of_fcg.size(), of_cg.size());
    for (std::size_t k = 0; k + 1 < of_cg.size(); ++k) {
        EXPECT_NEAR(of_fcg[k], of_cg[k], 1e-12 * of_cg[k]) << k;
    }
    EXPECT_GT(agreeing_digits(x, y), 80.0);
}

TEST(fcg_test, takes_half_the_iterations_of_cg_with_an_iteration_of_its_own)
{
    const real_space space{300};
    const io::coo<double> a = shifted(80);
    const std::vector<real> b = waves(space, 80);
    const real_matrix matrix{a};
    std::vector<real> x = space.make_vector(80), y = x;
    const iteration_report report = run_fcg(space, a, inner_cg{matrix, 8}, b, x, rule(1e-60));
    const iteration_report by_cg = run_cg(space, a, inner_cg{matrix, 8}, b, y, rule(1e-60));

    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_LT(relative_residual(space, a, b, x), 1e-59);
    EXPECT_LT(static_cast<double>(report.iterations), 0.6 * static_cast<double>(by_cg.iterations));
}

TEST(fcg_test, applies_the_preconditioner_once_an_iteration)
{
    const real_space space{200};
    const io::coo<double> a = shifted(30);
    const real_matrix matrix{a};
    const inner_cg m{matrix, 5};
    std::vector<real> x = space.make_vector(30);
    const iteration_report report = run_fcg(space, a, m, times_power_of_two(waves(space, 30), -500), x, rule(1e-50));
    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(m.calls, report.iterations + 1);  // where the residual is rescaled, too
}

TEST(fcg_test, the_recurrence_residual_is_that_of_x_whatever_the_power_of_two)
{
    const real_space space{300};
    const io::coo<double> a = graded(12);
    const std::vector<real> b = waves(space, 12);
    const real_scaling m{{1, 2, 3, 0.5, 0.25, 9, 1, 1, 2, 4, 8, 0.125}};
    std::vector<real> x = space.make_vector(12);
    run_fcg(space, a, m, b, x, rule(1e-60));
    for (index_t most = 0; most < 12; ++most) {
        std::vector<real> y = space.make_vector(12);
        const iteration_report report = run_fcg(space, a, m, b, y, rule(1e-60, most));
        EXPECT_NEAR(report.recursive_residual, relative_residual(space, a, b, y), 1e-12 * report.recursive_residual);
    }
    for (const int e : {-900, 70, 300}) {
        std::vector<real> y = space.make_vector(12);
        run_fcg(space, a, m, times_power_of_two(b, e), y, rule(1e-60));
        EXPECT_EQ(times_power_of_two(y, -e), x) << e;
    }
}

TEST(fcg_test, small_and_finished_systems)
{
    const real_space space{200};
    std::vector<real> x = space.make_vector(1);
    EXPECT_EQ(run_fcg(space, from_rows({{4}}), real_identity{}, {real(8.0)}, x, rule(1e-50)).iterations, 1);
    EXPECT_EQ(to_double(x[0]), 2.0);

    const io::coo<double> a = graded(5);
    x = space.make_vector(5);
    EXPECT_EQ(run_fcg(space, a, real_identity{}, x, x, rule(1e-50)).iterations, 0);
    std::vector<real> image = space.make_vector(5);
    x = ones(5);
    real_matrix{a}.apply(space, x, image);
    EXPECT_EQ(run_fcg(space, a, real_identity{}, image, x, rule(1e-50)).iterations, 0);
}

TEST(fcg_test, what_is_not_definite_is_a_breakdown)
{
    const real_space space{200};
    const std::vector<real> b = waves(space, 3);
    std::vector<real> x = space.make_vector(3);
    const auto a_fails = [&](const std::vector<std::vector<double>>& rows) {
        x = space.make_vector(3);
        return run_fcg(space, from_rows(rows), real_identity{}, b, x, rule(1e-50));
    };
    const iteration_report indefinite = a_fails({{1, 0, 0}, {0, -2, 0}, {0, 0, 3}});
    EXPECT_EQ(indefinite.status, solve_status::breakdown);
    EXPECT_EQ(indefinite.message, "p'Ap is not positive: the matrix is not positive definite");
    EXPECT_NE(a_fails({{1, 0, 0}, {0, 0, 0}, {0, 0, 3}}).status, solve_status::converged);
    EXPECT_EQ(a_fails({{1, 0, 0}, {0, std::nan(""), 0}, {0, 0, 3}}).status, solve_status::breakdown);
    EXPECT_TRUE(is_finite(x[1]));

    x = space.make_vector(3);
    const iteration_report negative =
        run_fcg(space, from_rows({{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}), real_scaling{{-1, -1, -1}}, b, x, rule(1e-50));
    EXPECT_EQ(negative.status, solve_status::breakdown);
    EXPECT_EQ(negative.message, "r'Mr is not positive: the preconditioner is not positive definite");
}
