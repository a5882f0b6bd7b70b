#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/matrix/make_csr.hpp>
#include <residua/solvers/methods/bicgstab.hpp>
#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/methods/gmres.hpp>
#include <residua/solvers/planning/plan.hpp>
#include <residua/solvers/solve.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/krylov.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using space = multidigit_space<host_executor>;
static_assert(vector_space<space>);

/// A binary64 matrix as an operator on multi-digit floats.
struct matrix_of {
    csr<host_executor, double> a;

    void apply(const space& on, const space::vector& x, space::vector& y) const { on.spmv(a, x, y); }
};

struct identity {
    bool is_identity() const { return true; }
    void apply(const space& on, const space::vector& x, space::vector& y) const { on.copy(x, y); }
};

/// As the identity, but it does not say so.
struct copying {
    void apply(const space& on, const space::vector& x, space::vector& y) const { on.copy(x, y); }
};

/// The solution of A x = A ones by a method, and its report.
struct run {
    iteration_report report;
    std::vector<real> x;
};

template <class Method>
run solve_for_ones_with(const io::coo<double>& entries, long bits, const Method& method)
{
    const space on{{}, multidigit_format(bits)};
    const matrix_of a{csr_from_coo(entries)};
    space::vector x = on.make_vector(entries.rows);
    space::vector b = on.make_vector(entries.rows);
    space::vector ones_vector = on.make_vector(entries.rows);
    on.fill(on.make_scalar(1.0), ones_vector);
    a.apply(on, ones_vector, b);
    run r;
    r.report = method(on, a, b, x);
    for (index_t i = 0; i < x.size(); ++i) {
        r.x.push_back(to_real(x.get(i)));
    }
    return r;
}

solve_options in_multidigit(method m, long bits, preconditioner p = preconditioner::automatic)
{
    solve_options options;
    options.format = number_format::multidigit;
    options.method = m;
    options.precision_bits = bits;
    options.preconditioner = p;
    return options;
}

const auto by_cg = [](const space& on, const matrix_of& a, const space::vector& b, space::vector& x) {
    cg_workspace<space> work(on, x.size());
    return cg(on, a, identity{}, b, x, rule(1e-60), work);
};

TEST(multidigit_space_test, cg_takes_the_iterations_that_mpfr_takes)
{
    for (const long bits : {212L, 300L, 424L, 1696L}) {
        const io::coo<double> a = poisson_1d(60);
        const run ours = solve_for_ones_with(a, bits, by_cg);
        const real_run real_ones = solve_for_ones(
            a, bits, [](const real_space& on, const real_matrix& m, const std::vector<real>& b, std::vector<real>& x) {
                cg_workspace<real_space> work(on, static_cast<index_t>(x.size()));
                return cg(on, m, real_identity{}, b, x, rule(1e-60), work);
            });
        EXPECT_EQ(ours.report.status, solve_status::converged);
        EXPECT_NEAR(static_cast<double>(ours.report.iterations), static_cast<double>(real_ones.report.iterations), 1.0);
        EXPECT_GT(agreeing_digits(ours.x, ones(60)), 55.0);
    }
}

TEST(multidigit_space_test, krylov_methods_see_the_residual_of_any_b)
{
    const space on{{}, multidigit_format(200)};
    const index_t n = 30;
    const matrix_of a{csr_from_coo(poisson_1d(n))};
    const auto methods = [&](int which, const space::vector& b, space::vector& x) {
        const stop_rule to = rule(1e-20);
        if (which == 0) {
            cg_workspace<space> work(on, n);
            return cg(on, a, identity{}, b, x, to, work);
        }
        if (which == 1) {
            bicgstab_workspace<space> work(on, n);
            return bicgstab(on, a, identity{}, b, x, to, work);
        }
        gmres_workspace<space> work(on, n, n);
        return gmres(on, a, identity{}, b, x, to, work);
    };
    for (const long e : {0L, 1000L, 1300L, 20000L, -1000L, -1300L, -20000L, 2000000000L, -2000000000L}) {
        for (int which = 0; which < 3; ++which) {
            space::vector x = on.make_vector(n);
            space::vector b = on.make_vector(n);
            space::vector r = on.make_vector(n);
            on.fill(ldexp(on.make_scalar(1.0), e), b);
            const iteration_report report = methods(which, b, x);
            a.apply(on, x, r);
            on.axpy(on.make_scalar(-1.0), b, r);
            const double truth = to_double(on.norm2(r) / on.norm2(b));
            const bool squares_fit = std::abs(e) < 1000000000L;  // into exponents of 32 bits
            EXPECT_TRUE(report.status == solve_status::converged || !squares_fit)
                << e << " " << which << report.message;
            EXPECT_TRUE(truth <= 1e-19 || report.status != solve_status::converged)
                << e << " " << which << " " << truth;
        }
    }
}

TEST(multidigit_space_test, no_preconditioner_has_the_bits_of_one_that_copies)
{
    const io::coo<double> a = poisson_1d(40);
    const io::coo<double> b = from_rows(nonsymmetric);
    const auto same = [](const run& one, const run& other) {
        EXPECT_EQ(one.report.iterations, other.report.iterations);
        ASSERT_EQ(one.x.size(), other.x.size());
        for (std::size_t i = 0; i < one.x.size(); ++i) {
            EXPECT_EQ(one.x[i], other.x[i]);
        }
    };
    const auto cg_with = [](const auto& m) {
        return [&m](const space& on, const matrix_of& matrix, const space::vector& rhs, space::vector& x) {
            cg_workspace<space> work(on, x.size());
            return cg(on, matrix, m, rhs, x, rule(1e-50), work);
        };
    };
    const auto bicgstab_with = [](const auto& m) {
        return [&m](const space& on, const matrix_of& matrix, const space::vector& rhs, space::vector& x) {
            bicgstab_workspace<space> work(on, x.size());
            return bicgstab(on, matrix, m, rhs, x, rule(1e-50), work);
        };
    };
    const auto gmres_with = [](const auto& m) {
        return [&m](const space& on, const matrix_of& matrix, const space::vector& rhs, space::vector& x) {
            gmres_workspace<space> work(on, x.size(), 4);
            return gmres(on, matrix, m, rhs, x, rule(1e-50), work, orthogonalization::modified_gram_schmidt);
        };
    };
    const identity none;
    const copying copies;
    same(solve_for_ones_with(a, 212, cg_with(none)), solve_for_ones_with(a, 212, cg_with(copies)));
    same(solve_for_ones_with(b, 212, bicgstab_with(none)), solve_for_ones_with(b, 212, bicgstab_with(copies)));
    const run by_gmres = solve_for_ones_with(b, 212, gmres_with(none));
    same(by_gmres, solve_for_ones_with(b, 212, gmres_with(copies)));
    EXPECT_EQ(by_gmres.report.status, solve_status::converged);
    EXPECT_GT(agreeing_digits(by_gmres.x, ones(4)), 48.0);
}

TEST(multidigit_space_test, triangles_and_permutations)
{
    const space on{{}, multidigit_format(424)};
    csr<host_executor, double> a = csr_from_coo(from_rows({{2, 0, 0}, {1, 4, 0}, {3, -1, 5}}));
    const auto t = on.make_triangle(blas::uplo::lower, a);
    space::vector b = on.make_vector(3);
    space::vector x = on.make_vector(3);
    for (index_t i = 0; i < 3; ++i) {
        b.set(i, on.make_scalar(static_cast<double>(2 + 3 * i)));
    }
    on.trsv(t, b, x);  // 1, 1, 6/5
    EXPECT_EQ(to_double(x.get(1)), 1.0);
    EXPECT_EQ(to_real(x.get(2)), to_real(on.make_scalar(6.0) / on.make_scalar(5.0)));
    const auto p = on.make_permutation({2, 0, 1}, {3, 0, -1});
    on.permute(p, b, x);
    EXPECT_EQ(to_double(x.get(0)), 64.0);
    EXPECT_EQ(to_double(x.get(2)), 2.5);
}

TEST(multidigit_solve_test, every_method_solves_with_every_preconditioner_that_fits)
{
    using p = preconditioner;
    const linear_system symmetric = with_solution_ones(poisson_1d(40));
    const linear_system other = with_solution_ones(from_rows(nonsymmetric));
    std::vector<method> methods{method::automatic};
    for (const method_traits& each : all_methods()) {
        methods.push_back(each.method);
    }
    for (const method m : methods) {
        for (const p each : {p::automatic, p::none, p::jacobi, p::block_jacobi, p::ssor, p::ilu0, p::iluk, p::ilut,
                             p::ic0, p::chebyshev, p::lu}) {
            if (!fits(m, each)) {
                continue;
            }
            const bool needs_symmetry = traits_of(m).symmetric;
            const solve_result result = solve(needs_symmetry ? symmetric : other, in_multidigit(m, 500, each));
            const std::string what = std::string(to_string(m)) + " " + std::string(to_string(each));

            EXPECT_EQ(result.report.status, solve_status::converged) << what;
            EXPECT_EQ(result.report.format, number_format::multidigit) << what;
            EXPECT_EQ(result.report.precision_bits, 500) << what;
            EXPECT_GT(agreeing_digits(result.x, ones(needs_symmetry ? 40 : 4)), 120.0) << what;
        }
    }
}

TEST(multidigit_solve_test, serves_its_shortest_and_its_longest_precision)
{
    const linear_system system = with_solution_ones(poisson_1d(30));

    const solve_result shortest = solve(system, in_multidigit(method::direct, multidigit_least_bits));
    EXPECT_EQ(shortest.report.status, solve_status::converged);
    EXPECT_GT(agreeing_digits(shortest.x, ones(30)), 15.0);

    solve_options options = in_multidigit(method::cg, multidigit_format::most_bits);
    options.rtol = real("1e-1200", 64);
    const solve_result longest = solve(system, options);
    EXPECT_EQ(longest.report.status, solve_status::converged);
    EXPECT_EQ(longest.report.corrections, 1);
    EXPECT_GT(agreeing_digits(longest.x, ones(30)), 1195.0);
}

TEST(multidigit_solve_test, factorises_a_matrix_as_it_is_where_binary64_needs_it_scaled)
{
    solve_options options = in_multidigit(method::direct, 3000);
    options.rtol = real("1e-800", 64);

    const solve_result result = solve(with_solution_ones(from_rows({{0, 1e300}, {1e300, 1e-300}})), options);

    EXPECT_EQ(result.report.status, solve_status::converged);
    EXPECT_EQ(result.report.corrections, 1);  // scaled, the least entry would be lost at first
    EXPECT_GT(agreeing_digits(result.x, ones(2)), 790.0);
}

TEST(multidigit_solve_test, precisions_are_those_asked_for)
{
    const auto served = [](long bits, executor where = executor::host) {
        solve_options options = in_multidigit(method::gmres, bits);
        options.executor = where;
        const long served_bits = choose_precision(options, real(1.0));
        return std::pair(arithmetic_of(options.format, served_bits).format, served_bits);
    };
    using result = std::pair<number_format, long>;
    for (const long bits : {64L, 65L, 106L, 1000L, 4095L, 4096L}) {
        EXPECT_EQ(served(bits), result(number_format::multidigit, bits));
        EXPECT_EQ(served(bits, executor::cuda), result(number_format::multidigit, bits));
    }
    EXPECT_THROW(served(63), unsupported_error);
    EXPECT_THROW(served(4097), unsupported_error);
    EXPECT_EQ(served(0), result(number_format::multidigit, 128));  // 16 digits at condition 1
}

TEST(multidigit_solve_test, is_raised_to_the_digits_asked_for)
{
    solve_options options = in_multidigit(method::automatic, 0);
    options.digits = 700;
    const solve_result result = solve(with_solution_ones(poisson_1d(20)), options);

    EXPECT_EQ(result.report.status, solve_status::converged);
    EXPECT_EQ(result.report.format, number_format::multidigit);
    EXPECT_GE(result.report.digits, 700);
    EXPECT_GT(agreeing_digits(result.x, ones(20)), 700.0);
}

TEST(multidigit_solve_test, a_gpu_takes_every_preconditioner)
{
    for (const method m : {method::cg, method::minres, method::gmres, method::bicgstab, method::bicgstabl, method::idr,
                           method::tfqmr, method::bicg, method::lsqr}) {
        for (const preconditioner p : {preconditioner::none, preconditioner::jacobi, preconditioner::automatic}) {
            solve_options options = in_multidigit(m, 200, p);
            options.executor = executor::cuda;
            EXPECT_NO_THROW(require_executor(options));
        }
    }
    solve_options options = in_multidigit(method::direct, 200);
    options.executor = executor::cuda;
    EXPECT_NO_THROW(require_executor(options));
    for (const method m : {method::refine, method::gmres_ir, method::automatic}) {
        options.method = m;
        EXPECT_NO_THROW(require_executor(options));
    }
}

TEST(multidigit_solve_test, computes_the_same_bits_on_a_gpu)
{
    if (cuda_devices().empty()) {
        GTEST_SKIP() << why_no_cuda_device();
    }
    const linear_system system = with_solution_ones(poisson_1d(500));
    using p = preconditioner;
    for (const auto& [m, each] : {std::pair(method::cg, p::jacobi), {method::cg, p::ic0}, {method::gmres, p::lu}}) {
        solve_options options = in_multidigit(m, 300, each);
        options.executor = executor::host;
        const solve_result host = solve(system, options);
        options.executor = executor::cuda;
        const solve_result device = solve(system, options);

        EXPECT_EQ(device.report.executor, executor::cuda);
        EXPECT_EQ(device.report.iterations, host.report.iterations);
        EXPECT_EQ(device.x, host.x);
    }
}

}  // namespace
