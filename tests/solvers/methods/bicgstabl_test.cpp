#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/methods/bicgstab.hpp>
#include <residua/solvers/methods/bicgstabl.hpp>

#include "tests/support/nonsymmetric.hpp"
#include "tests/support/scale.hpp"

using namespace residua;
using namespace residua::support;

namespace {

const auto run_bicgstabl = [](index_t degree) {
    return [=](const real_space& space, const io::coo<double>& a, const auto& m, const std::vector<real>& b,
               std::vector<real>& x, const stop_rule& r) {
        bicgstabl_workspace<real_space> work(space, a.rows, degree);
        return bicgstabl(space, real_matrix{a}, m, b, x, r, work);
    };
};

const auto run_bicgstab = [](const real_space& space, const io::coo<double>& a, const auto& m,
                             const std::vector<real>& b, std::vector<real>& x, const stop_rule& r) {
    bicgstab_workspace<real_space> work(space, a.rows);
    return bicgstab(space, real_matrix{a}, m, b, x, r, work);
};

}  // namespace

TEST(bicgstabl_test, ends_after_2_n_products)
{
    const io::coo<double> a = full_matrix(24);
    for (const index_t l : {1, 2, 3, 4, 8}) {
        const auto method = [l](const real_space& space, const real_matrix& matrix, const std::vector<real>& b,
                                std::vector<real>& x) {
            bicgstabl_workspace<real_space> work(space, space.size(b), l);
            return bicgstabl(space, matrix, real_identity{}, b, x, rule(1e-70), work);
        };
        const real_run run = solve_for_ones(a, 900, method);

        EXPECT_EQ(run.report.status, solve_status::converged);
        EXPECT_LE(run.report.iterations, 24 / l) << l;
        EXPECT_EQ(2 * l * run.report.iterations + 1, run.report.matvecs);
        EXPECT_EQ(run.report.restarts, 0);
        EXPECT_GT(agreeing_digits(run.x, ones(24)), 67.0) << l;
    }
}

TEST(bicgstabl_test, of_degree_one_has_the_iterates_of_bicgstab)
{
    const real_space space{600};
    const io::coo<double> a = full_matrix(20);
    const std::vector<real> b = waves(space, 20);
    real_scaling m{std::vector<double>(20, 1.0)};
    m.diagonal[3] = -2.0;
    m.diagonal[7] = 5.0;
    std::vector<double> one_by_one, other;
    stop_rule r = rule(1e-50);
    r.on_iteration = [&](index_t, double residual) { other.push_back(residual); };
    std::vector<real> y = space.make_vector(20);
    const iteration_report by_bicgstab = run_bicgstab(space, a, m, b, y, r);
    r.on_iteration = [&](index_t, double residual) { one_by_one.push_back(residual); };
    std::vector<real> x = space.make_vector(20);
    bicgstabl_workspace<real_space> work(space, 20, 1);
    work.shadow = b;  // as bicgstab has it
    const iteration_report report = bicgstabl(space, real_matrix{a}, m, b, x, r, work);

    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(report.iterations, by_bicgstab.iterations);
    EXPECT_EQ(report.matvecs, by_bicgstab.matvecs);
    ASSERT_EQ(one_by_one.size(), other.size());
    for (std::size_t k = 0; k + 1 < other.size(); ++k) {  // the last is all rounding errors
        EXPECT_NEAR(one_by_one[k], other[k], 1e-12 * other[k]) << k;
    }
    EXPECT_GT(agreeing_digits(x, y), 100.0);
}

// The residual of a cycle is the least that a polynomial of degree l makes: orthogonal to what spans its choices.
TEST(bicgstabl_test, residuals_are_minimal_over_the_polynomials)
{
    const real_space space{400};
    const io::coo<double> a = full_matrix(20, 20.0);
    for (const index_t l : {1, 2, 3, 4}) {
        for (const index_t k : {1, 2}) {
            std::vector<real> x = space.make_vector(20);
            bicgstabl_workspace<real_space> work(space, 20, l);
            bicgstabl(space, real_matrix{a}, real_identity{}, waves(space, 20), x, rule(0.0, k), work);
            const std::vector<real>& r = work.r[0];
            EXPECT_GT(agreeing_digits(r, residual_of(space, a, waves(space, 20), x)), 90.0);
            for (index_t j = 1; j <= l; ++j) {
                const std::vector<real>& other = work.r[static_cast<std::size_t>(j)];
                EXPECT_LT(to_double(abs(space.dot(r, other)) / (space.norm2(r) * space.norm2(other))), 1e-90);
            }
        }
    }
}

TEST(bicgstabl_test, behaves_as_a_krylov_method_should)
{
    for (const index_t l : {1, 2, 3}) {
        SCOPED_TRACE(l);
        expect_usual_behaviour(run_bicgstabl(l));
    }
}

TEST(bicgstabl_test, converges_where_eigenvalues_are_nearly_imaginary_and_bicgstab_does_not)
{
    const real_space space{106};
    const io::coo<double> a = nearly_skew(100);
    const std::vector<real> b = waves(space, 100);
    std::vector<real> x = space.make_vector(100);
    const iteration_report by_bicgstab = run_bicgstab(space, a, real_identity{}, b, x, rule(1e-20, 1000));
    x = space.make_vector(100);
    const iteration_report report = run_bicgstabl(2)(space, a, real_identity{}, b, x, rule(1e-20, 1000));

    EXPECT_NE(by_bicgstab.status, solve_status::converged);
    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_LT(report.matvecs, 600);
    EXPECT_LT(relative_residual(space, a, b, x), 1e-19);
}

TEST(bicgstabl_test, the_residual_of_a_skew_matrix_is_the_true_one)
{
    // r'A r = 0 for every r: rounding errors, where r is the shadow residual
    const io::coo<double> a = from_rows({{0, 1, 0, 2}, {-1, 0, 3, 0}, {0, -3, 0, 1}, {-2, 0, -1, 0}});
    const real_space space{300};
    const std::vector<real> b = waves(space, 4);
    std::vector<real> x = space.make_vector(4);
    const iteration_report report = run_bicgstabl(2)(space, a, real_identity{}, b, x, rule(1e-60));

    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_LE(report.iterations, 2);
    EXPECT_LT(relative_residual(space, a, b, x), 1e-59);
}

TEST(bicgstabl_test, goes_on_where_a_scalar_of_the_recursion_vanishes)
{
    const io::coo<double> a = from_rows({{3, 2, 0}, {0, 4, 1}, {1, 0, 5}});
    const real_space space{300};
    const std::vector<real> b{real(1.0), real(-1.0), real(2.0)};
    std::vector<real> x = space.make_vector(3);
    bicgstabl_workspace<real_space> work(space, 3);
    work.shadow = {real(3.0), real(1.0), real(-1.0)};  // orthogonal to b
    iteration_report report = bicgstabl(space, real_matrix{a}, real_identity{}, b, x, rule(1e-60), work);

    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(report.restarts, 1);
    EXPECT_LT(relative_residual(space, a, b, x), 1e-59);

    // without a shadow residual only the polynomials are left: GMRES, begun anew in every cycle
    space.fill(real(0.0), work.shadow);
    x = space.make_vector(3);
    report = bicgstabl(space, real_matrix{a}, real_identity{}, b, x, rule(1e-60), work);
    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(report.restarts, report.iterations - 1);
    EXPECT_LT(relative_residual(space, a, b, x), 1e-59);
}

TEST(bicgstabl_test, takes_few_cycles_with_a_preconditioner_that_is_nearly_the_inverse)
{
    // A M = I + e N, N of elements near 1, in 100 bits
    const real_space space{100};
    for (const int e : {-90, -70, -50, -30}) {
        io::coo<double> a = full_matrix(20, 0.0);
        for (std::size_t k = 0; k < a.value.size(); ++k) {
            a.value[k] = std::ldexp(a.value[k], e);
        }
        struct near_identity {
            real_matrix n;
            void apply(const real_space& on, const std::vector<real>& x, std::vector<real>& y) const
            {
                n.apply(on, x, y);
                on.axpy(on.make_scalar(1.0), x, y);
            }
        };
        const std::vector<real> b = waves(space, 20);
        std::vector<real> x = space.make_vector(20);
        bicgstabl_workspace<real_space> work(space, 20);
        const near_identity matrix{real_matrix{a}};
        const iteration_report report = bicgstabl(space, matrix, real_identity{}, b, x, rule(1e-28), work);

        std::vector<real> r = space.make_vector(20);
        matrix.apply(space, x, r);
        space.xpay(b, real(-1.0), r);
        EXPECT_EQ(report.status, solve_status::converged) << e;
        EXPECT_LE(report.iterations, 2) << e;
        EXPECT_LT(to_double(space.norm2(r) / space.norm2(b)), 1e-27) << e;
    }
}

TEST(bicgstabl_test, no_step_of_any_length_is_a_breakdown)
{
    const io::coo<double> shift = from_rows({{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}});
    const real_space space{100};
    std::vector<real> b = space.make_vector(4);
    b[0] = real(1.0);
    for (const index_t l : {1, 2, 3, 4}) {
        std::vector<real> x = space.make_vector(4);
        bicgstabl_workspace<real_space> work(space, 4, l);
        EXPECT_EQ(bicgstabl(space, real_matrix{shift}, real_identity{}, b, x, rule(1e-20), work).status,
                  solve_status::converged);
        space.fill(real(0.0), work.shadow);
        x = space.make_vector(4);
        const iteration_report report = bicgstabl(space, real_matrix{shift}, real_identity{}, b, x, rule(1e-20), work);
        if (l == 4) {
            EXPECT_EQ(report.status, solve_status::converged);
            continue;
        }
        EXPECT_EQ(report.status, solve_status::breakdown);
        EXPECT_EQ(report.iterations, 0);
        EXPECT_TRUE(report.message.starts_with("no step from the residual makes it smaller")) << report.message;
    }
}

TEST(bicgstabl_test, converges_on_impcol_a_with_more_bits)
{
    const auto dir = matrix_dir();
    if (!dir) {
        GTEST_SKIP() << "RESIDUA_MATRIX_DIR is not set";
    }
    const io::coo<double> a = read_binary64((*dir / "public/impcol_a.mtx").string());
    const auto matvecs = [&](long bits) {
        const real_space space{bits};
        std::vector<real> x = space.make_vector(a.rows);
        const iteration_report report = run_bicgstabl(2)(space, a, real_identity{}, ones(a.rows), x, rule(1e-12, 1000));
        return report.status == solve_status::converged ? report.matvecs : 0;
    };

    EXPECT_EQ(matvecs(53), 0);
    EXPECT_NEAR(static_cast<double>(matvecs(212)), 2650.0, 550.0);
    EXPECT_NEAR(static_cast<double>(matvecs(424)), 1000.0, 150.0);
}
