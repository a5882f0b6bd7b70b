#include <gtest/gtest.h>

#include <residua/solvers/methods/bicgstab.hpp>

#include "tests/support/krylov.hpp"
#include "tests/support/scale.hpp"

using namespace residua;
using namespace residua::support;

namespace {

const auto run_bicgstab = [](double tolerance) {
    return
        [tolerance](const real_space& space, const real_matrix& a, const std::vector<real>& b, std::vector<real>& x) {
            bicgstab_workspace<real_space> work(space, space.size(b));
            return bicgstab(space, a, real_identity{}, b, x, rule(tolerance), work);
        };
};

}  // namespace

TEST(bicgstab_test, solves_a_small_nonsymmetric_system)
{
    const io::coo<double> a = from_rows(nonsymmetric);

    const real_run run = solve_for_ones(a, 300, run_bicgstab(1e-70));

    EXPECT_EQ(run.report.status, solve_status::converged);
    EXPECT_LE(run.report.iterations, 5);
    EXPECT_GT(agreeing_digits(run.x, ones(4)), 68.0);
}

TEST(bicgstab_test, reports_a_singular_matrix_and_does_not_claim_success)
{
    const io::coo<double> a = from_rows({{0, 1}, {0, 0}});
    const real_space space{100};
    std::vector<real> x = space.make_vector(2);
    bicgstab_workspace<real_space> work(space, 2);

    const iteration_report report =
        bicgstab(space, real_matrix{a}, real_identity{}, {real(0.0), real(1.0)}, x, rule(1e-20, 50), work);

    EXPECT_NE(report.status, solve_status::converged);
}

TEST(bicgstab_test, needs_fewer_iterations_in_higher_precision_on_impcol_a)
{
    const auto dir = matrix_dir();
    if (!dir) {
        GTEST_SKIP() << "RESIDUA_MATRIX_DIR is not set";
    }
    const io::coo<double> a = read_binary64((*dir / "public/impcol_a.mtx").string());
    const real_space space{424};
    std::vector<real> x = space.make_vector(a.rows);
    bicgstab_workspace<real_space> work(space, a.rows);

    const iteration_report report =
        bicgstab(space, real_matrix{a}, real_identity{}, ones(a.rows), x, rule(1e-12), work);

    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_NEAR(static_cast<double>(report.iterations), 548.0, 55.0);
}
