// COCG and COCR against Eigen over pairs of MPFR numbers, against CG and MINRES, and against what their residuals have to be.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/multidigit/number.hpp>
#include <residua/solvers/methods/typed.hpp>
#include <residua/solvers/space/complex_space.hpp>

#include "tests/support/complex_systems.hpp"
#include "tests/support/krylov.hpp"
#include "tests/support/method_runs.hpp"

using namespace residua;
using namespace residua::support;

namespace {

template <class T>
complex_space<host_space<T>> space_of(typename array_traits<T>::format format = {})
{
    return complex_space<host_space<T>>({{}, format});
}

template <class T>
csr_operator<T> operator_of(const complex_rows& a)
{
    return csr_operator<T>{csr_from_coo(real_form(a))};
}

/// Random entries, the same above and below the diagonal.
complex_rows symmetric_rows(std::size_t n, complex_double shift)
{
    complex_rows a = random_rows(n, shift);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            a[i][j] = a[j][i];
        }
    }
    return a;
}

/// The inverse of the diagonal, rounded.
complex_rows jacobi(const complex_rows& a)
{
    complex_rows m(a.size(), std::vector<complex_double>(a.size()));
    for (std::size_t i = 0; i < a.size(); ++i) {
        m[i][i] = 1.0 / a[i][i];
    }
    return m;
}

template <class S, class A, class M>
iteration_report run_cocg(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                          const stop_rule& r)
{
    cocg_workspace<S> work(space, space.size(b));
    return cocg(space, a, m, b, x, r, work);
}

template <class S, class A, class M>
iteration_report run_cocr(const S& space, const A& a, const M& m, const typename S::vector& b, typename S::vector& x,
                          const stop_rule& r)
{
    cocr_workspace<S> work(space, space.size(b));
    return cocr(space, a, m, b, x, r, work);
}

/// Calls f(run, products) for each method: `run` runs it, and makes so many products beside those of its iterations.
template <class F>
void for_both(const F& f)
{
    SCOPED_TRACE("cocg");
    f([](auto&&... all) { return run_cocg(all...); }, 1);
    SCOPED_TRACE("and cocr");
    f([](auto&&... all) { return run_cocr(all...); }, 2);
}

/// A real matrix of pairs without imaginary parts, and the real parts of a vector of pairs.
io::coo<double> real_rows_of(const complex_rows& a)
{
    io::coo<double> rows;
    rows.rows = rows.cols = static_cast<index_t>(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a.size(); ++j) {
            if (a[i][j] != 0.0) {
                rows.row.push_back(static_cast<index_t>(i));
                rows.col.push_back(static_cast<index_t>(j));
                rows.value.push_back(a[i][j].real());
            }
        }
    }
    return rows;
}

std::vector<double> real_parts(std::size_t n)
{
    std::vector<double> parts = random_parts(n);
    parts.resize(n);
    return parts;
}

template <class T>
void expect_solved(const complex_space<host_space<T>>& space, const complex_rows& a, double tolerance, double condition)
{
    const csr_operator<T> of = operator_of<T>(a);
    const std::vector<double> parts = random_parts(a.size());
    const std::vector<real> reference = complex_reference(a, parts);
    const auto b = space.make_vector(parts);
    for_both([&](const auto& run, index_t products) {
        const auto expect_reference = [&](const auto& m) {
            auto x = space.make_vector(static_cast<index_t>(a.size()));
            const iteration_report report = run(space, of, m, b, x, rule(tolerance, 2000));
            EXPECT_EQ(report.status, solve_status::converged) << report.message;
            EXPECT_GE(report.matvecs, report.iterations + products);  // with those after a residual was rescaled
            EXPECT_LE(report.matvecs, report.iterations + products + (products > 1 ? 5 : 0));
            EXPECT_LE(distance(reals_of(x), reference), condition * tolerance) << report.iterations << " iterations";
        };
        expect_reference(identity_operator{});
        expect_reference(operator_of<T>(jacobi(a)));
    });
}

template <class T>
void expect_all_solved(const complex_space<host_space<T>>& space, double tolerance)
{
    expect_solved<T>(space, symmetric_rows(40, {2.0, 1.0}), tolerance, 20.0);
    expect_solved<T>(space, shifted_laplacian(7, {0.7, -0.6}), tolerance, 50.0);
    expect_solved<T>(space, shifted_laplacian(5, {4.0, -2.0}), tolerance, 50.0);  // its diagonal is imaginary
}

}  // namespace

TEST(cocg_test, finds_the_x_of_eigen_in_every_format)
{
    expect_all_solved<double>(space_of<double>(), 1e-11);
    expect_all_solved<expansion<double, 2>>(space_of<expansion<double, 2>>(), 1e-25);
    expect_all_solved<multidigit>(space_of<multidigit>(multidigit_format(250)), 1e-60);
    expect_all_solved<rns>(space_of<rns>(rns_format(150)), 1e-35);
}

TEST(cocg_test, takes_as_many_steps_as_there_are_eigenvalues)
{
    using T = expansion<double, 3>;
    const std::vector<complex_double> eigenvalue{{1, 2}, {3, -1}, {-2, 1}, {0, 4}, {2, 2}};
    complex_rows a(30, std::vector<complex_double>(30));
    for (std::size_t i = 0; i < 30; ++i) {
        a[i][i] = eigenvalue[i % eigenvalue.size()];
    }
    const auto space = space_of<T>();
    const auto b = space.make_vector(random_parts(30));

    for_both([&](const auto& run, index_t) {
        auto x = space.make_vector(30);
        const iteration_report report = run(space, operator_of<T>(a), identity_operator{}, b, x, rule(1e-30));
        EXPECT_EQ(report.status, solve_status::converged);
        EXPECT_EQ(report.iterations, 5);
    });
}

TEST(cocg_test, makes_residuals_orthogonal_to_the_conjugates_of_those_before)
{
    using T = expansion<double, 3>;
    const auto space = space_of<T>();
    const csr_operator<T> of = operator_of<T>(symmetric_rows(40, {0.3, 0.2}));
    const auto b = space.make_vector(random_parts(40));
    auto a_b = space.make_vector(40);
    of.apply(space, b, a_b);
    const auto expect_orthogonal = [&](auto work, const auto& run, const auto& against) {
        auto conjugated = space.make_vector(40);
        space.conjugate(against, conjugated);
        for (const index_t k : {1, 2, 5}) {
            auto x = space.make_vector(40);
            const iteration_report report = run(space, of, identity_operator{}, b, x, rule(0.0, k), work);
            const auto& r = work.vectors[0];
            const real sizes = to_real(space.norm2(against)) * to_real(space.norm2(r));
            EXPECT_LE(to_double(to_real(abs(space.dot(conjugated, r))) / sizes), 1e-40) << k;
            EXPECT_GT(to_double(to_real(abs(space.dot(against, r))) / sizes), 1e-6) << k;

            auto q = space.make_vector(40);
            auto residual = space.make_vector(40);
            make_residual(space, of, x, b, q, residual);
            EXPECT_NEAR(report.recursive_residual / residual_ratio(space.norm2(residual), space.norm2(b)), 1.0, 1e-12)
                << k;
        }
    };
    using space_type = std::decay_t<decltype(space)>;
    expect_orthogonal(
        cocg_workspace<space_type>(space, 40), [](auto&&... all) { return cocg(all...); }, b);
    expect_orthogonal(
        cocr_workspace<space_type>(space, 40), [](auto&&... all) { return cocr(all...); }, a_b);
}

TEST(cocg_test, is_cg_where_the_matrix_is_real_and_definite)
{
    using T = expansion<double, 2>;
    const host_space<T> space;
    const csr_operator<T> of{csr_from_coo(real_rows_of(shifted_laplacian(6, 0.0)))};
    const auto b = space.make_vector(real_parts(36));
    auto x = space.make_vector(36);
    auto y = space.make_vector(36);

    const iteration_report by_cocg = run_cocg(space, of, identity_operator{}, b, x, rule(1e-28));
    const iteration_report by_cg = run_cg(space, of, identity_operator{}, b, y, rule(1e-28));

    EXPECT_EQ(by_cocg.status, solve_status::converged);
    EXPECT_EQ(by_cocg.iterations, by_cg.iterations);
    EXPECT_LE(distance(reals_of(x), reals_of(y)), 1e-26);
}

TEST(cocr_test, is_minres_where_the_matrix_is_real)
{
    using T = expansion<double, 3>;
    const host_space<T> space;
    const csr_operator<T> of{csr_from_coo(real_rows_of(shifted_laplacian(6, 0.7)))};  // indefinite
    complex_rows diagonal(36, std::vector<complex_double>(36));
    for (std::size_t i = 0; i < 36; ++i) {
        diagonal[i][i] = static_cast<double>(i % 5 + 1);
    }
    const csr_operator<T> by{csr_from_coo(real_rows_of(diagonal))};
    const auto b = space.make_vector(real_parts(36));
    const auto expect_same = [&](const auto& m) {
        for (const index_t k : {1, 2, 7, 12}) {
            auto x = space.make_vector(36);
            auto y = space.make_vector(36);
            minres_workspace<host_space<T>> work(space, 36);
            const iteration_report found = run_cocr(space, of, m, b, x, rule(0.0, k));
            const iteration_report least = minres(space, of, m, b, y, rule(0.0, k), work);
            EXPECT_NEAR(found.recursive_residual / least.recursive_residual, 1.0, 1e-12) << k;
            EXPECT_LE(distance(reals_of(x), reals_of(y)), 1e-35) << k;
        }
    };
    expect_same(identity_operator{});
    expect_same(by);
}

TEST(cocr_test, has_residuals_that_hardly_rise_where_the_matrix_is_nearly_real)
{
    using T = expansion<double, 2>;
    const auto space = space_of<T>();
    for (const double absorption : {-1e-3, -1e-2, -5e-2}) {
        const csr_operator<T> of = operator_of<T>(shifted_laplacian(9, {0.7, absorption}));
        std::vector<double> parts = random_parts(81);
        for (std::size_t i = 1; i < parts.size(); i += 2) {
            parts[i] = 0.0;
        }
        const auto b = space.make_vector(parts);
        std::vector<double> rises;  // the factors by which residuals rise, all together
        for_both([&](const auto& run, index_t) {
            double before = 1.0;
            double rise = 0.0;
            stop_rule until = rule(1e-20);
            until.on_iteration = [&](index_t, double residual) {
                rise += std::max(0.0, std::log(residual / before));
                before = residual;
            };
            auto x = space.make_vector(81);
            EXPECT_EQ(run(space, of, identity_operator{}, b, x, until).status, solve_status::converged);
            rises.push_back(rise);
        });
        EXPECT_LT(rises[1], 0.1 * rises[0]) << absorption;
    }
}

TEST(cocg_test, says_why_it_breaks_down)
{
    using T = expansion<double, 2>;
    const auto space = space_of<T>();
    auto x = space.make_vector(2);

    const iteration_report of_residual =
        run_cocg(space, identity_operator{}, identity_operator{}, space.make_vector({1, 0, 0, 1}), x, rule(1e-20));
    EXPECT_EQ(of_residual.status, solve_status::breakdown);  // b = (1, i), b^T b = 0
    EXPECT_EQ(of_residual.message, "M r became orthogonal to the conjugate of r");

    const csr_operator<T> swap = operator_of<T>({{0.0, 1.0}, {1.0, 0.0}});
    const iteration_report of_direction =
        run_cocg(space, swap, identity_operator{}, space.make_vector({0, 2, 0, 0}), x, rule(1e-20));
    EXPECT_EQ(of_direction.status, solve_status::breakdown);
    EXPECT_EQ(of_direction.message, "p became orthogonal to the conjugate of A p");
    EXPECT_EQ(reals_of(x), std::vector<real>(4, real(0.0)));
}

TEST(cocr_test, says_why_it_breaks_down)
{
    using T = expansion<double, 2>;
    const auto space = space_of<T>();
    auto x = space.make_vector(2);

    const iteration_report of_residual =
        run_cocr(space, identity_operator{}, identity_operator{}, space.make_vector({1, 0, 0, 1}), x, rule(1e-20));
    EXPECT_EQ(of_residual.status, solve_status::breakdown);  // b = (1, i), b^T A b = 0
    EXPECT_EQ(of_residual.message, "M r became orthogonal to the conjugate of A M r");

    const csr_operator<T> turned = operator_of<T>({{1.0, {0.0, 1.0}}, {{0.0, 1.0}, 0.0}});
    const iteration_report of_direction =  // A b = (1, i)
        run_cocr(space, turned, identity_operator{}, space.make_vector({1, 0, 0, 0}), x, rule(1e-20));
    EXPECT_EQ(of_direction.status, solve_status::breakdown);
    EXPECT_EQ(of_direction.message, "A p became orthogonal to the conjugate of M A p");
    EXPECT_EQ(reals_of(x), std::vector<real>(4, real(0.0)));
}

TEST(cocg_test, takes_few_arguments)
{
    using T = expansion<double, 2>;
    const auto space = space_of<T>();
    const complex_rows a = shifted_laplacian(5, {0.5, -0.5});
    const std::vector<double> parts = random_parts(25);
    const auto b = space.make_vector(parts);
    auto x = space.make_vector(25);
    auto y = space.make_vector(25);

    const typed_report by_cocg = cocg(space, operator_of<T>(a), b, x, {.relative_residual = 1e-25});
    const typed_report by_cocr = cocr(space, operator_of<T>(a), b, y, {.relative_residual = 1e-25});

    EXPECT_EQ(by_cocg.status, solve_status::converged);
    EXPECT_EQ(by_cocr.status, solve_status::converged);
    EXPECT_LE(distance(reals_of(x), complex_reference(a, parts)), 1e-23);
    EXPECT_LE(distance(reals_of(y), complex_reference(a, parts)), 1e-23);
}
