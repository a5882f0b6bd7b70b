// Methods with complex scalars against Eigen over pairs of MPFR numbers, and against what complex Krylov spaces do.
#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/multidigit/number.hpp>
#include <residua/solvers/checkpoint/message_archive.hpp>
#include <residua/solvers/methods/typed.hpp>
#include <residua/solvers/space/complex_space.hpp>

#include "tests/support/complex_systems.hpp"
#include "tests/support/krylov.hpp"
#include "tests/support/method_runs.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// What methods for complex systems are given: A and A^H, M and M^H, as real forms.
template <class T>
struct operators {
    csr_operator<T> a, a_h, m, m_h;

    operators(const complex_rows& of, const complex_rows& by)
        : a{csr_from_coo(real_form(of))},
          a_h{csr_from_coo(real_form(adjoint(of)))},
          m{csr_from_coo(real_form(by))},
          m_h{csr_from_coo(real_form(adjoint(by)))}
    {}
};

complex_rows diagonal(const std::vector<complex_double>& d)
{
    complex_rows a(d.size(), std::vector<complex_double>(d.size()));
    for (std::size_t i = 0; i < d.size(); ++i) {
        a[i][i] = d[i];
    }
    return a;
}

complex_rows identity(std::size_t n) { return diagonal(std::vector<complex_double>(n, 1.0)); }

/// The inverse of the diagonal, rounded.
complex_rows jacobi(const complex_rows& a)
{
    std::vector<complex_double> d;
    for (std::size_t i = 0; i < a.size(); ++i) {
        d.push_back(1.0 / a[i][i]);
    }
    return diagonal(d);
}

const auto run_complex_bicg = [](const auto& space, const auto& of, const auto& b, auto& x, const stop_rule& r) {
    bicg_workspace<std::decay_t<decltype(space)>> work(space, space.size(b));
    return bicg(space, of.a, of.a_h, of.m, of.m_h, b, x, r, work);
};

/// f(name, run) for each method; run(space, operators, b, x, rule) is its report.
template <class F>
void for_each_method(const F& f)
{
    const auto with = [](const auto& method) {
        return [method](const auto& space, const auto& of, const auto& b, auto& x, const stop_rule& r) {
            return method(space, of.a, of.m, b, x, r);
        };
    };
    f("gmres", with(run_gmres));
    f("bicgstab", with(run_bicgstab));
    f("bicgstabl", with(run_bicgstabl));
    f("idr", with(run_idr));
    f("tfqmr", with(run_tfqmr));
    f("bicg", run_complex_bicg);
}

template <class T>
complex_space<host_space<T>> space_of(typename array_traits<T>::format format = {})
{
    return complex_space<host_space<T>>({{}, format});
}

/// x of A x = b by every method, with a preconditioner, is that of Eigen.
template <class T>
void expect_solved(const complex_space<host_space<T>>& space, const complex_rows& a, const complex_rows& m,
                   double tolerance, double condition, const char* what)
{
    const operators<T> of(a, m);
    const std::vector<double> parts = random_parts(a.size());
    const std::vector<real> reference = complex_reference(a, parts);
    for_each_method([&](const char* name, const auto& run) {
        const auto b = space.make_vector(parts);
        auto x = space.make_vector(static_cast<index_t>(a.size()));

        const iteration_report report = run(space, of, b, x, rule(tolerance, 2000));

        EXPECT_EQ(report.status, solve_status::converged) << what << ", " << name << ": " << report.message;
        EXPECT_LE(distance(reals_of(x), reference), condition * tolerance)
            << what << ", " << name << " in " << report.iterations << " iterations";
    });
}

template <class T>
void expect_all_solved(const complex_space<host_space<T>>& space, double tolerance)
{
    const complex_rows random = random_rows(40, {2.0, 1.0});
    expect_solved<T>(space, random, identity(40), tolerance, 20.0, "random");
    const complex_rows waves = shifted_laplacian(7, {0.7, -0.6});
    expect_solved<T>(space, waves, jacobi(waves), tolerance, 50.0, "waves");
    const complex_rows hermitian = hermitian_rows(40, 2.5);
    expect_solved<T>(space, hermitian, jacobi(hermitian), tolerance, 50.0, "hermitian");
}

}  // namespace

TEST(complex_methods, find_the_x_of_eigen_in_every_format)
{
    expect_all_solved<double>(space_of<double>(), 1e-11);
    expect_all_solved<expansion<double, 2>>(space_of<expansion<double, 2>>(), 1e-25);
    expect_all_solved<multidigit>(space_of<multidigit>(multidigit_format(250)), 1e-60);
    expect_all_solved<rns>(space_of<rns>(rns_format(150)), 1e-35);
}

TEST(complex_methods, gmres_takes_as_many_steps_as_there_are_eigenvalues_and_its_real_form_twice_as_many)
{
    using T = expansion<double, 2>;
    const std::vector<complex_double> eigenvalue{{1, 2}, {3, -1}, {-2, 1}, {0, 4}, {2, 2}};
    constexpr std::size_t n = 30;
    std::vector<complex_double> d;
    for (std::size_t i = 0; i < n; ++i) {
        d.push_back(eigenvalue[i % eigenvalue.size()]);
    }
    const operators<T> of(diagonal(d), identity(n));
    const auto steps = [&](const auto& space) {
        const auto b = space.make_vector(random_parts(n));
        auto x = space.make_vector(space.size(b));
        gmres_workspace work(space, space.size(b), 30);
        const iteration_report report = gmres(space, of.a, identity_operator{}, b, x, rule(1e-28), work);
        EXPECT_EQ(report.status, solve_status::converged);
        return report.iterations;
    };

    EXPECT_EQ(steps(space_of<T>()), 5);
    EXPECT_EQ(steps(host_space<T>{}), 10);
}

TEST(complex_methods, flexible_gmres_takes_another_preconditioner_in_every_step)
{
    using T = expansion<double, 2>;
    const auto space = space_of<T>();
    const complex_rows a = shifted_laplacian(6, {0.5, 0.5});
    const operators<T> of(a, jacobi(a));
    struct changing {
        const csr_operator<T>& m;
        mutable int step = 0;

        void apply(const complex_space<host_space<T>>& on, const vector<host_executor, T>& r,
                   vector<host_executor, T>& z) const
        {
            m.apply(on, r, z);
            on.scal(complex_number<T>(T{1.0}, T{++step % 3 / 4.0}), z);
        }
    };
    const std::vector<double> parts = random_parts(a.size());
    const auto b = space.make_vector(parts);
    auto x = space.make_vector(36);
    gmres_workspace work(space, 36, 36, preconditioning::flexible);

    const auto report = gmres(space, of.a, changing{of.m}, b, x, rule(1e-24), work);

    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_LE(distance(reals_of(x), complex_reference(a, parts)), 1e-22);
}

TEST(complex_methods, are_the_real_ones_where_all_is_real)
{
    using T = expansion<double, 3>;
    complex_rows a = random_rows(20, {2.0, 0.0});
    io::coo<double> real_parts;
    real_parts.rows = real_parts.cols = 20;
    for (index_t i = 0; i < 20; ++i) {
        for (index_t j = 0; j < 20; ++j) {
            a[i][j] = a[i][j].real();
            real_parts.row.push_back(i);
            real_parts.col.push_back(j);
            real_parts.value.push_back(a[i][j].real());
        }
    }
    const operators<T> of(a, identity(20));
    const host_space<T> real_space_of_20;
    const auto space = space_of<T>();
    std::vector<double> parts(40), b_parts(20);
    for (std::size_t i = 0; i < 20; ++i) {
        parts[2 * i] = b_parts[i] = std::cos(3.0 * static_cast<double>(i));
    }
    const csr_operator<T> real_a{csr_from_coo(real_parts)};
    const auto compare = [&](const char* name, const auto& method) {
        const auto b = space.make_vector(parts);
        const auto real_b = real_space_of_20.make_vector(b_parts);
        auto x = space.make_vector(20);
        auto y = real_space_of_20.make_vector(20);
        const iteration_report complex_report = method(space, of.a, identity_operator{}, b, x, rule(1e-30, 6));
        const iteration_report report =
            method(real_space_of_20, real_a, identity_operator{}, real_b, y, rule(1e-30, 6));
        EXPECT_EQ(complex_report.iterations, report.iterations) << name;
        for (index_t i = 0; i < 20; ++i) {
            EXPECT_NEAR(to_double(x.get(2 * i)), to_double(y.get(i)), 1e-14) << name;
            EXPECT_EQ(to_double(x.get(2 * i + 1)), 0.0) << name;
        }
    };
    // Those with pseudo-random shadow vectors have complex ones.
    compare("gmres", run_gmres);
    compare("bicgstab", run_bicgstab);
    compare("tfqmr", run_tfqmr);
}

TEST(complex_methods, bicg_is_cg_on_the_real_form_of_a_hermitian_matrix)
{
    using T = expansion<double, 3>;
    const auto space = space_of<T>();
    const operators<T> of(hermitian_rows(30, 2.5), identity(30));
    const auto b = space.make_vector(random_parts(30));
    for (const index_t k : {1, 2, 5, 12}) {
        auto x = space.make_vector(30);
        auto y = space.make_vector(30);
        EXPECT_EQ(run_complex_bicg(space, of, b, x, rule(0.0, k)).iterations, k);
        EXPECT_EQ(run_cg(space.real(), of.a, of.m, b, y, rule(0.0, k)).iterations, k);
        EXPECT_LE(distance(reals_of(x), reals_of(y)), 1e-40) << k;
    }
}

TEST(complex_methods, the_recurrence_residual_is_that_of_x)
{
    using T = expansion<double, 3>;
    const auto space = space_of<T>();
    const complex_rows a = random_rows(24, {1.5, -1.0});
    const operators<T> of(a, jacobi(a));
    const auto b = space.make_vector(random_parts(24));
    for_each_method([&](const char* name, const auto& run) {
        for (const index_t k : {1, 2, 4}) {
            auto x = space.make_vector(24);
            const iteration_report report = run(space, of, b, x, rule(0.0, k));
            auto r = space.make_vector(24);
            auto q = space.make_vector(24);
            make_residual(space, of.a, x, b, q, r);
            const double of_x = residual_ratio(space.norm2(r), space.norm2(b));
            EXPECT_NEAR(report.recursive_residual / of_x, 1.0, 1e-12) << name << " " << k;
        }
    });
}

TEST(complex_methods, end_after_as_many_steps_as_there_are_complex_unknowns)
{
    const auto space = space_of<multidigit>(multidigit_format(1000));
    const operators<multidigit> of(random_rows(20, {0.3, 0.2}), identity(20));
    const auto b = space.make_vector(random_parts(20));
    for_each_method([&](const std::string& name, const auto& run) {
        if (name == "gmres") {
            return;  // it has short cycles here
        }
        auto x = space.make_vector(20);
        const index_t most = name == "tfqmr" ? 40 : name == "idr" ? 25 : name == "bicgstabl" ? 10 : 20;
        EXPECT_EQ(run(space, of, b, x, rule(1e-100, most)).status, solve_status::converged) << name;
    });
    auto x = space.make_vector(20);
    gmres_workspace work(space, 20, 20);
    EXPECT_EQ(gmres(space, of.a, of.m, b, x, rule(1e-100, 20), work).status, solve_status::converged);
}

// Without the conjugates the shadow has the same span, so that only rounding errors would tell.
TEST(complex_methods, bicg_makes_its_shadow_orthogonal_too)
{
    using T = expansion<double, 2>;
    const auto space = space_of<T>();
    const operators<T> of(random_rows(40, {4.0, 3.0}), identity(40));
    const auto b = space.make_vector(random_parts(40));
    auto x = space.make_vector(40);
    bicg_workspace<std::decay_t<decltype(space)>> work(space, 40);

    bicg(space, of.a, of.a_h, of.m, of.m_h, b, x, rule(0.0, 4), work);

    const real first = to_real(space.norm2(b));
    for (const std::size_t each : {0, 4}) {  // r_4, and the shadow
        const auto& later = work.vectors[each];
        EXPECT_LE(to_double(to_real(abs(space.dot(later, b))) / (first * to_real(space.norm2(later)))), 1e-25) << each;
    }
}

TEST(complex_methods, make_the_residual_least_by_steps_with_complex_coefficients)
{
    using T = expansion<double, 2>;
    const auto space = space_of<T>();
    using space_type = std::decay_t<decltype(space)>;
    const operators<T> of(random_rows(40, {4.0, 3.0}), identity(40));
    const auto b = space.make_vector(random_parts(40));
    auto x = space.make_vector(40);
    const auto expect_orthogonal = [&](const auto& u, const auto& v, const char* what) {
        const double cosine = to_double(abs(space.dot(u, v)) / (space.norm2(u) * space.norm2(v)));
        EXPECT_LE(cosine, 1e-28) << what;
    };

    bicgstab_workspace<space_type> stabilized(space, 40);
    bicgstab(space, of.a, of.m, b, x, rule(0.0, 1), stabilized);
    expect_orthogonal(stabilized.vectors[0], stabilized.vectors[4], "bicgstab: r and t");

    x = space.make_vector(40);
    bicgstabl_workspace<space_type> by_polynomials(space, 40);
    bicgstabl(space, of.a, of.m, b, x, rule(0.0, 1), by_polynomials);
    expect_orthogonal(by_polynomials.r[0], by_polynomials.r[1], "bicgstabl: r_0 and r_1");
    expect_orthogonal(by_polynomials.r[0], by_polynomials.r[2], "bicgstabl: r_0 and r_2");

    x = space.make_vector(40);
    idr_workspace<space_type> reduced(space, 40);
    idr(space, of.a, of.m, b, x, rule(0.0, default_idr_vectors + 1), reduced);
    expect_orthogonal(reduced.r, reduced.t, "idr: r and t");
}

TEST(complex_methods, go_on_from_a_state_with_the_bits_of_one_run)
{
    struct memory final : run_keeper {
        std::vector<std::byte> message;
        index_t kept = 0;
        bool is_due() const override { return true; }
        void keep(const state_function& state) override
        {
            message_writer writer;
            state(writer);
            message = std::move(writer.message());
            ++kept;
        }
        bool find(const state_function& state) override
        {
            if (message.empty()) {
                return false;
            }
            message_reader reader(message);
            state(reader);
            return true;
        }
    };
    const auto expect = [&]<class T>(const complex_space<host_space<T>>& space, double tolerance) {
        const complex_rows a = random_rows(30, {1.2, 0.7});
        const operators<T> of(a, jacobi(a));
        const auto b = space.make_vector(random_parts(30));
        for_each_method([&](const char* name, const auto& run) {
            auto at_once = space.make_vector(30);
            const iteration_report expected = run(space, of, b, at_once, rule(tolerance));
            memory keeper;
            auto x = space.make_vector(30);
            iteration_report found;
            int runs = 0;
            do {
                x = space.make_vector(30);
                stop_rule in_pieces = rule(tolerance);
                in_pieces.keeper = &keeper;
                index_t asked = 0;
                in_pieces.poll = [&] { return ++asked > 3 ? std::optional(solve_status::interrupted) : std::nullopt; };
                found = run(space, of, b, x, in_pieces);
            } while (found.status == solve_status::interrupted && ++runs < 200);
            EXPECT_GT(runs, 1) << name;
            EXPECT_EQ(found.status, expected.status) << name;
            EXPECT_EQ(found.iterations, expected.iterations) << name;
            EXPECT_TRUE(reals_of(x) == reals_of(at_once)) << name;
        });
    };
    expect(space_of<expansion<double, 2>>(), 1e-22);
    expect(space_of<multidigit>(multidigit_format(200)), 1e-40);
}

TEST(complex_methods, with_few_arguments_reach_tolerances_below_binary64)
{
    const auto space = space_of<multidigit>(multidigit_format(1500));
    const complex_rows a = shifted_laplacian(5, {0.9, -0.4});
    const operators<multidigit> of(a, jacobi(a));
    const auto b = space.make_vector(random_parts(25));
    typed_rule wanted;
    wanted.relative_residual = real("1e-400", 64);
    const auto expect = [&](const char* name, auto&& method) {
        auto x = space.make_vector(25);
        const typed_report report = method(x);
        EXPECT_EQ(report.status, solve_status::converged) << name << ": " << report.message;
        EXPECT_LE(report.relative_residual, wanted.relative_residual) << name;
    };
    expect("gmres", [&](auto& x) { return gmres(space, of.a, of.m, b, x, wanted); });
    expect("bicgstab", [&](auto& x) { return bicgstab(space, of.a, of.m, b, x, wanted); });
    expect("bicgstabl", [&](auto& x) { return bicgstabl(space, of.a, of.m, b, x, wanted); });
    expect("idr", [&](auto& x) { return idr(space, of.a, of.m, b, x, wanted); });
    expect("tfqmr", [&](auto& x) { return tfqmr(space, of.a, of.m, b, x, wanted); });
    expect("bicg", [&](auto& x) { return bicg(space, of.a, of.a_h, of.m, of.m_h, b, x, wanted); });
}
