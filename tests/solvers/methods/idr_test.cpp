#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/methods/idr.hpp>

#include "tests/support/eigen_reference.hpp"
#include "tests/support/nonsymmetric.hpp"
#include "tests/support/scale.hpp"

using namespace residua;
using namespace residua::support;

namespace {

const auto run_idr = [](index_t vectors) {
    return [=](const real_space& space, const io::coo<double>& a, const auto& m, const std::vector<real>& b,
               std::vector<real>& x, const stop_rule& r) {
        idr_workspace<real_space> work(space, a.rows, vectors);
        return idr(space, real_matrix{a}, m, b, x, r, work);
    };
};

/// The x of the space spanned by u with p_i'(b - A x) = 0.
std::vector<real> galerkin(const real_space& space, const io::coo<double>& a, const std::vector<std::vector<real>>& p,
                           const std::vector<std::vector<real>>& u, const std::vector<real>& b)
{
    const auto k = static_cast<index_t>(u.size());
    eigen_matrix c(k, k);
    eigen_vector d(k);
    std::vector<real> image = space.make_vector(a.rows);
    for (index_t j = 0; j < k; ++j) {
        real_matrix{a}.apply(space, u[j], image);
        for (index_t i = 0; i < k; ++i) {
            c(i, j) = space.dot(p[i], image);
        }
        d(j) = space.dot(p[j], b);
    }
    const eigen_vector y = c.partialPivLu().solve(d);
    std::vector<real> x = space.make_vector(a.rows);
    for (index_t j = 0; j < k; ++j) {
        space.axpy(y(j), u[j], x);
    }
    return x;
}

}  // namespace

TEST(idr_test, ends_after_n_and_n_over_s_products)
{
    const io::coo<double> a = full_matrix(24);
    for (const index_t s : {1, 2, 3, 4, 5, 8, 23, 24, 100}) {
        const auto method = [s](const real_space& space, const real_matrix& matrix, const std::vector<real>& b,
                                std::vector<real>& x) {
            idr_workspace<real_space> work(space, space.size(b), s);
            return idr(space, matrix, real_identity{}, b, x, rule(1e-70), work);
        };
        const real_run run = solve_for_ones(a, 900, method);

        EXPECT_EQ(run.report.status, solve_status::converged);
        EXPECT_LE(run.report.iterations, 24 + (24 + s - 1) / s) << s;
        EXPECT_EQ(run.report.iterations + 1, run.report.matvecs);
        EXPECT_EQ(run.report.restarts, 0);
        EXPECT_GT(agreeing_digits(run.x, ones(24)), 67.0) << s;
    }
}

// In the first cycle x_k is of the Krylov space of k vectors with r_k orthogonal to k shadow vectors; then omega is of r_s.
TEST(idr_test, first_cycle_is_the_one_of_the_definition)
{
    const real_space space{500};
    const io::coo<double> a = full_matrix(12, 12.0);
    const std::vector<real> b = waves(space, 12);
    constexpr index_t s = 4;
    const idr_workspace<real_space> of_shadow(space, 12, s);
    std::vector<std::vector<real>> krylov{b};
    for (index_t k = 1; k <= s; ++k) {
        std::vector<real> x = space.make_vector(12);
        run_idr(s)(space, a, real_identity{}, b, x, rule(0.0, k));
        EXPECT_GT(agreeing_digits(x, galerkin(space, a, of_shadow.shadow, krylov, b)), 130.0) << k;
        krylov.push_back(space.make_vector(12));
        real_matrix{a}.apply(space, krylov[static_cast<std::size_t>(k) - 1], krylov.back());
    }

    krylov.pop_back();
    std::vector<real> x = galerkin(space, a, of_shadow.shadow, krylov, b);
    const std::vector<real> r = residual_of(space, a, b, x);
    std::vector<real> t = space.make_vector(12);
    real_matrix{a}.apply(space, r, t);
    const real cosine = space.dot(t, r) / (space.norm2(t) * space.norm2(r));
    const real least(0.7);
    const real longer = abs(cosine) < least ? least / abs(cosine) : real(1.0);
    space.axpy(longer * space.dot(t, r) / space.dot(t, t), r, x);
    std::vector<real> y = space.make_vector(12);
    run_idr(s)(space, a, real_identity{}, b, y, rule(0.0, s + 1));
    EXPECT_GT(agreeing_digits(y, x), 130.0);
}

TEST(idr_test, behaves_as_a_krylov_method_should)
{
    for (const index_t s : {1, 2, 4}) {
        SCOPED_TRACE(s);
        expect_usual_behaviour(run_idr(s));
    }
}

TEST(idr_test, goes_on_where_a_minimal_step_would_have_no_length)
{
    // t'r = 0 for every r
    const io::coo<double> skew = from_rows({{0, 1, 0, 2}, {-1, 0, 3, 0}, {0, -3, 0, 1}, {-2, 0, -1, 0}});
    const real_space space{300};
    for (const index_t s : {1, 2}) {
        std::vector<real> x = space.make_vector(4);
        const iteration_report report = run_idr(s)(space, skew, real_identity{}, waves(space, 4), x, rule(1e-70));

        EXPECT_EQ(report.status, solve_status::converged);
        EXPECT_LE(report.iterations, 4 + 4 / s);
    }
}

TEST(idr_test, begins_anew_where_a_shadow_vector_is_of_no_use)
{
    const real_space space{300};
    const io::coo<double> a = from_rows({{4, 1, 0, 0}, {-1, 5, 1, 0}, {0, 1, 6, 2}, {1, 0, 0, 3}});
    const std::vector<real> b = waves(space, 4);
    for (const index_t lost : {0, 1, 2}) {
        std::vector<real> x = space.make_vector(4);
        idr_workspace<real_space> work(space, 4, 3);
        space.fill(real(0.0), work.shadow[static_cast<std::size_t>(lost)]);
        const iteration_report report = idr(space, real_matrix{a}, real_identity{}, b, x, rule(1e-60), work);

        EXPECT_EQ(report.status, solve_status::converged) << lost;
        EXPECT_GT(report.restarts, 0);
        EXPECT_LT(relative_residual(space, a, b, x), 1e-59);
    }
}

TEST(idr_test, a_residual_that_the_matrix_makes_zero_is_a_breakdown)
{
    const real_space space{200};
    std::vector<real> x = space.make_vector(2);
    const iteration_report report =
        run_idr(4)(space, from_rows({{0, 1}, {0, 0}}), real_identity{}, {real(1.0), real(0.0)}, x, rule(1e-50));

    EXPECT_EQ(report.status, solve_status::breakdown);
    EXPECT_EQ(report.message, "A M r vanished: the matrix is singular, or the preconditioner");
}

TEST(idr_test, workspaces_have_the_same_shadow_vectors_and_can_be_used_again)
{
    const real_space space{200};
    const io::coo<double> a = full_matrix(9);
    const std::vector<real> b = waves(space, 9);
    idr_workspace<real_space> work(space, 9);
    EXPECT_EQ(work.shadow, idr_workspace<real_space>(space, 9).shadow);
    EXPECT_EQ(to_double(work.shadow[0][0]), 0x1.d818906efe7bp-2);
    std::vector<real> x = space.make_vector(9), y = x;
    idr(space, real_matrix{a}, real_identity{}, b, x, rule(1e-40), work);
    idr(space, real_matrix{a}, real_identity{}, b, y, rule(1e-40), work);
    EXPECT_EQ(x, y);
}

TEST(idr_test, converges_on_impcol_a_where_bicgstab_takes_many_times_the_products)
{
    const auto dir = matrix_dir();
    if (!dir) {
        GTEST_SKIP() << "RESIDUA_MATRIX_DIR is not set";
    }
    const io::coo<double> a = read_binary64((*dir / "public/impcol_a.mtx").string());
    const auto iterations = [&](long bits) {
        const real_space space{bits};
        std::vector<real> x = space.make_vector(a.rows);
        const iteration_report report = run_idr(4)(space, a, real_identity{}, ones(a.rows), x, rule(1e-12));
        return report.status == solve_status::converged ? report.iterations : 0;
    };

    EXPECT_EQ(iterations(53), 0);
    EXPECT_NEAR(static_cast<double>(iterations(106)), 789.0, 160.0);  // bicgstab: 12520 products
    EXPECT_NEAR(static_cast<double>(iterations(212)), 419.0, 60.0);   // 2468
    EXPECT_NEAR(static_cast<double>(iterations(424)), 314.0, 40.0);   // 1096; n + n/4 is 259
}
