#include <gtest/gtest.h>

#include <residua/solvers/methods/gmres.hpp>

#include "tests/support/krylov.hpp"
#include "tests/support/scale.hpp"

using namespace residua;
using namespace residua::support;

namespace {

const auto run_gmres = [](double tolerance, index_t restart,
                          orthogonalization how = orthogonalization::modified_gram_schmidt) {
    return [=](const real_space& space, const real_matrix& a, const std::vector<real>& b, std::vector<real>& x) {
        gmres_workspace<real_space> work(space, space.size(b), restart);
        return gmres(space, a, real_identity{}, b, x, rule(tolerance), work, how);
    };
};

}  // namespace

TEST(gmres_test, solves_in_at_most_n_steps)
{
    const io::coo<double> a = from_rows(nonsymmetric);

    const real_run run = solve_for_ones(a, 300, run_gmres(1e-80, 10));

    EXPECT_EQ(run.report.status, solve_status::converged);
    EXPECT_LE(run.report.iterations, 4);
    EXPECT_GT(agreeing_digits(run.x, ones(4)), 78.0);
}

TEST(gmres_test, converges_across_restarts)
{
    const real_run run = solve_for_ones(from_rows(nonsymmetric), 300, run_gmres(1e-80, 2));

    EXPECT_EQ(run.report.status, solve_status::converged);
    EXPECT_GT(run.report.restarts, 1);
}

TEST(gmres_test, is_patient_with_cycles_that_gain_little)
{
    // -u'' with 30 points: a cycle of 5 steps gains a factor of 1.1
    std::vector<std::vector<double>> rows(30, std::vector<double>(30, 0.0));
    for (std::size_t i = 0; i < 30; ++i) {
        rows[i][i] = 2.0;
        if (i > 0) {
            rows[i][i - 1] = rows[i - 1][i] = -1.0;
        }
    }
    const real_run run = solve_for_ones(from_rows(rows), 200, run_gmres(1e-30, 5));

    EXPECT_EQ(run.report.status, solve_status::converged);
    EXPECT_GT(run.report.restarts, 100);
    EXPECT_GT(agreeing_digits(run.x, ones(30)), 25.0);
}

TEST(gmres_test, reports_a_singular_matrix_and_does_not_claim_success)
{
    const io::coo<double> a = from_rows({{0, 1}, {0, 0}});
    const real_space space{100};
    std::vector<real> x = space.make_vector(2);
    gmres_workspace<real_space> work(space, 2, 5);

    const iteration_report report =
        gmres(space, real_matrix{a}, real_identity{}, {real(0.0), real(1.0)}, x, rule(1e-20, 50), work);

    EXPECT_EQ(report.status, solve_status::breakdown);
}

TEST(gmres_test, stagnates_on_a_cyclic_shift_with_short_restarts)
{
    // full GMRES makes no progress on it before step n
    const io::coo<double> a = from_rows({{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}});
    const real_space space{100};
    std::vector<real> x = space.make_vector(4);
    gmres_workspace<real_space> work(space, 4, 2);

    const iteration_report report = gmres(space, real_matrix{a}, real_identity{},
                                          {real(1.0), real(0.0), real(0.0), real(0.0)}, x, rule(1e-20), work);

    EXPECT_NE(report.status, solve_status::converged);
    EXPECT_LT(report.iterations, 50);
}

TEST(gmres_test, takes_the_anchored_number_of_iterations_on_impcol_a)
{
    const auto dir = matrix_dir();
    if (!dir) {
        GTEST_SKIP() << "RESIDUA_MATRIX_DIR is not set";
    }
    const io::coo<double> a = read_binary64((*dir / "public/impcol_a.mtx").string());
    const real_space space{212};
    std::vector<real> x = space.make_vector(a.rows);
    gmres_workspace<real_space> work(space, a.rows, a.rows);

    const iteration_report report = gmres(space, real_matrix{a}, real_identity{}, ones(a.rows), x, rule(1e-12), work);

    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_NEAR(static_cast<double>(report.iterations), 206.0, 2.0);
}
