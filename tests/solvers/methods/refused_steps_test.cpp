// A step that a method refuses leaves x as it was before.
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/krylov.hpp"
#include "tests/support/method_runs.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// A diagonal matrix, and after so many products a NaN.
struct failing_matrix {
    std::vector<double> diagonal;
    int good = 1000;
    mutable int products = 0;

    void apply(const real_space& space, const std::vector<real>& x, std::vector<real>& y) const
    {
        for (std::size_t i = 0; i < x.size(); ++i) {
            y[i] = space.make_scalar(diagonal[i]) * x[i];
        }
        if (++products > good) {
            y[0] = space.make_scalar(std::numeric_limits<double>::quiet_NaN());
        }
    }
};

template <class Solver>
real_run run_failing(const Solver& solver, const failing_matrix& a, const std::vector<double>& b, index_t most)
{
    const real_space space{200};
    const auto identity = [](const auto& x, auto& y) { y = x; };
    struct preconditioner {
        decltype(identity) f;
        void apply(const real_space&, const std::vector<real>& x, std::vector<real>& y) const { f(x, y); }
    };
    std::vector<real> rhs;
    for (const double v : b) {
        rhs.push_back(space.make_scalar(v));
    }
    real_run run;
    run.x = space.make_vector(space.size(rhs));
    run.report = solver(space, a, preconditioner{identity}, rhs, run.x, rule(1e-50, most));
    return run;
}

}  // namespace

TEST(refused_steps_test, leave_x_as_it_was_where_a_step_of_cg_is_refused)
{
    const failing_matrix indefinite{{1.0, 1.25, -5.0}};
    const failing_matrix nan{{1.0, 1.25, 5.0}, 3};  // r_0, then two steps
    const std::vector<double> b{1.0, 1.0, 0.0625};

    const real_run refused = run_failing(run_cg, indefinite, b, 20);
    EXPECT_EQ(refused.report.status, solve_status::breakdown);
    EXPECT_EQ(refused.report.message, "p'Ap is not positive: the matrix is not positive definite");
    ASSERT_EQ(refused.report.iterations, 1);
    EXPECT_EQ(refused.x, run_failing(run_cg, indefinite, b, 1).x);

    const real_run broken = run_failing(run_cg, nan, b, 20);
    EXPECT_EQ(broken.report.status, solve_status::breakdown);
    ASSERT_EQ(broken.report.iterations, 2);
    EXPECT_EQ(broken.x, run_failing(run_cg, {{1.0, 1.25, 5.0}}, b, 2).x);
}

TEST(refused_steps_test, leave_x_as_it_was_where_a_step_of_bicgstab_is_refused)
{
    const std::vector<double> b{1.0, 1.0, 0.0078125};

    const real_run broken = run_failing(run_bicgstab, {{1.0, 1.25, 5.0}, 3}, b, 20);  // r_0, then one step

    EXPECT_EQ(broken.report.status, solve_status::breakdown);
    EXPECT_EQ(broken.report.message, "the shadow residual became orthogonal to A M p");
    ASSERT_EQ(broken.report.iterations, 1);
    EXPECT_EQ(broken.x, run_failing(run_bicgstab, {{1.0, 1.25, 5.0}}, b, 1).x);
}

TEST(refused_steps_test, leave_x_as_it_was_where_a_step_overflows)
{
    const host_space<double> space;
    const csr_operator<double> a{csr_from_coo(from_rows({{1e-310, 0}, {0, 1e-310}}))};
    const csr_operator<double> identity{csr_from_coo(from_rows({{1, 0}, {0, 1}}))};
    auto b = space.make_vector(2);
    space.fill(1.0, b);
    const auto expect_refused = [&](const auto& solver) {
        auto x = space.make_vector(2);

        const iteration_report report = solver(space, a, identity, b, x, rule(1e-10));

        EXPECT_EQ(report.status, solve_status::breakdown);
        EXPECT_NE(report.message.find("too close to zero"), std::string::npos) << report.message;
        EXPECT_EQ(report.iterations, 0);
        EXPECT_EQ(x.get(0), 0.0);
        EXPECT_EQ(x.get(1), 0.0);
    };
    expect_refused(run_cg);
    expect_refused(run_bicgstab);
    expect_refused(run_bicgstabl);
    expect_refused(run_idr);
    expect_refused(run_fcg);
    expect_refused(run_tfqmr);
    expect_refused(run_bicg);
}
