// What methods share, by the method that docs/adding-a-solver.md shows.
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/methods/krylov.hpp>

#include "tests/support/krylov.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// What descent works on, to be reused from call to call.
template <vector_space S>
struct descent_workspace : krylov_workspace<S, 3, 4> {  // three vectors; r'r, r'z, z'q and alpha
    descent_workspace(const S& space, index_t n) : krylov_workspace<S, 3, 4>(space, n) {}
};

/// Steepest descent for A x = b, A and M symmetric positive definite [Saad03, Sec. 5.3].
template <vector_space S, linear_operator<S> A, linear_operator<S> M>
iteration_report descent(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                         const stop_rule& rule, descent_workspace<S>& work)
{
    using scalar = typename S::scalar;
    enum : index_t { square, product, curvature, step, count };  // the places of the scalars
    auto& [r, z, q] = work.vectors;
    auto& s = work.scalars;
    const scalar zero = space.make_scalar(0.0);

    make_residual(space, a, x, b, q, r);  // r = b - A x
    krylov_run run(space, b, x, rule, work.best);
    space.dot(r, r, s, square);
    for (index_t k = 0;; ++k) {
        const auto now = space.fetched(s, count);  // x is still iterate k - 1
        if (k > 0 && !(zero < now[curvature])) {
            return run.broken("z'Az is not positive");
        }
        const scalar norm = space.norm2(r, now[square]);
        if (run.ends(k, norm, [&] { space.axpy(run.unscaled(now[step]), z, x); })) {  // x = x + alpha z
            return run.report;
        }
        if (const int up = rescaling_exponent(norm); up != 0) {
            run.rescale(up, {&r});
        }

        m.apply(space, r, z);  // z = M r
        a.apply(space, z, q);  // q = A z
        ++run.report.matvecs;
        space.dot(r, z, s, product);
        space.dot(z, q, s, curvature);
        space.divide(s, product, curvature, step);  // alpha = r'z / z'q
        space.axmy(s, step, q, r);                  // r = r - alpha q
        space.dot(r, r, s, square);
    }
}

struct identity {
    void apply(const real_space& space, const std::vector<real>& x, std::vector<real>& y) const { space.copy(x, y); }
};

constexpr long bits = 400;
const std::vector<std::vector<double>> definite{{4, 1, 0}, {1, 3, 1}, {0, 1, 2}};

real_run solve_by_descent(const std::vector<std::vector<double>>& rows, const stop_rule& r)
{
    return solve_for_ones(from_rows(rows), bits, [&](const auto& space, const auto& a, const auto& b, auto& x) {
        descent_workspace<real_space> work(space, space.size(b));
        return descent(space, a, identity{}, b, x, r, work);
    });
}

}  // namespace

TEST(krylov_test, a_method_on_it_converges_beyond_several_rescalings)
{
    const real_run run = solve_by_descent(definite, rule(1e-100));

    EXPECT_EQ(run.report.status, solve_status::converged);
    EXPECT_LE(run.report.recursive_residual, 1e-100);
    EXPECT_EQ(run.report.matvecs, run.report.iterations + 1);
    for (const real& value : run.x) {
        EXPECT_LE(to_double(abs(value - real(1.0, bits))), 1e-99);
    }
}

TEST(krylov_test, an_exact_guess_is_iteration_zero)
{
    const real_space space{bits};
    std::vector<real> x = space.make_vector(3);
    descent_workspace<real_space> work(space, 3);

    const iteration_report report =
        descent(space, real_matrix{from_rows(definite)}, identity{}, space.make_vector(3), x, rule(1e-10), work);

    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(report.recursive_residual, 0.0);
}

TEST(krylov_test, the_rule_is_asked_once_an_iteration)
{
    std::vector<index_t> seen;
    stop_rule r = rule(0.0);
    r.on_iteration = [&](index_t k, double) { seen.push_back(k); };
    r.poll = [&] { return seen.size() == 3 ? std::optional(solve_status::interrupted) : std::nullopt; };

    const real_run run = solve_by_descent(definite, r);

    EXPECT_EQ(run.report.status, solve_status::interrupted);
    EXPECT_EQ(seen, (std::vector<index_t>{0, 1, 2}));
}

TEST(krylov_test, a_refused_step_leaves_x_as_it_was)
{
    const real_run run = solve_by_descent({{1, 0}, {0, -3}}, rule(1e-10));

    EXPECT_EQ(run.report.status, solve_status::breakdown);
    EXPECT_EQ(run.report.message, "z'Az is not positive");
    EXPECT_EQ(run.x, real_space{bits}.make_vector(2));
}

TEST(krylov_test, the_best_iterate_comes_back_where_a_residual_is_no_number)
{
    const real_space space{bits};
    best_iterate<real_space> best(space, 1);
    const std::vector<real> b{space.make_scalar(8.0)};
    std::vector<real> x = space.make_vector(1);
    const stop_rule r = rule(0.0);
    krylov_run run(space, b, x, r, best);
    const auto ends = [&](index_t k, double norm) {
        return run.ends(k, space.make_scalar(norm), [&] { x[0] = space.make_scalar(static_cast<double>(k)); });
    };

    EXPECT_FALSE(ends(0, 8.0));
    EXPECT_FALSE(ends(1, 2.0));
    EXPECT_FALSE(ends(2, 4.0));
    EXPECT_TRUE(ends(3, std::numeric_limits<double>::quiet_NaN()));

    EXPECT_EQ(run.report.status, solve_status::breakdown);
    EXPECT_EQ(run.report.message, breakdowns::not_finite);
    EXPECT_EQ(run.report.iterations, 3);
    EXPECT_EQ(run.report.recursive_residual, 0.25);
    EXPECT_EQ(to_double(x[0]), 1.0);
}

TEST(krylov_test, scaled_vectors_and_norms_stand_for_those_of_the_recursion)
{
    const real_space space{bits};
    best_iterate<real_space> best(space, 1);
    const std::vector<real> b{space.make_scalar(4.0)};
    std::vector<real> x = space.make_vector(1);
    std::vector<real> r{space.make_scalar(0x1p-70)};
    const stop_rule stop = rule(0.0);
    krylov_run run(space, b, x, stop, best);

    const real factor = run.rescale(70, {&r});

    EXPECT_EQ(to_double(factor), 0x1p70);
    EXPECT_EQ(to_double(r[0]), 1.0);
    EXPECT_EQ(to_double(run.unscaled(r[0])), 0x1p-70);
    EXPECT_EQ(run.ratio(r[0]), 0x1p-72);
}
