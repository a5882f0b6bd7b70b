// What goes wrong, for every method: the status and what is told.
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/dense_direct/direct.hpp>
#include <residua/solvers/methods/bicgstab.hpp>
#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/methods/gmres.hpp>
#include <residua/solvers/methods/gmres_ir.hpp>
#include <residua/solvers/methods/minres.hpp>
#include <residua/solvers/methods/refine.hpp>
#include <residua/solvers/solve.hpp>
#include <residua/solvers/space/blas_space.hpp>

#include "tests/support/krylov.hpp"

using namespace residua;
using namespace residua::support;

namespace {

/// All but lsqr, which solves other problems too.
const std::vector<method> methods{method::automatic, method::cg,        method::minres,   method::gmres,
                                  method::bicgstab,  method::bicgstabl, method::idr,      method::tfqmr,
                                  method::bicg,      method::refine,    method::gmres_ir, method::direct};

struct fault {
    const char* name;
    std::function<linear_system()> system;
    solve_status status;
    const char* message = "";                       ///< a part of it
    std::vector<method> by = methods;               ///< for which it is
    std::function<void(solve_options&)> with = {};  ///< options
};

linear_system with_b(linear_system system, std::vector<real> b)
{
    system.b = std::move(b);
    return system;
}

const std::vector<fault> faults{
    {"singular, without a solution",
     [] {
         return with_b(system_of(from_rows({{1, 2, 3}, {2, 4, 6}, {3, 6, 10}})), {real(1.0), real(0.0), real(0.0)});
     },
     solve_status::breakdown},
    {"a zero row",
     [] {
         return with_b(system_of(from_rows({{1, 0, 0}, {0, 0, 0}, {0, 0, 2}})), ones(3));
     },
     solve_status::breakdown, "row 2 and column 2 have no nonzero entry"},
    {"a stored zero row",
     [] {
         io::coo<double> a = from_rows({{1, 0, 0}, {0, 1, 0}, {0, 0, 2}});
         a.value[1] = 0.0;
         return with_b(make_system(a, ones(3)), ones(3));
     },
     solve_status::breakdown, "row 2 and column 2 have no nonzero entry"},
    {"indefinite",
     [] {
         return with_b(system_of(from_rows({{1, 2}, {2, 1}})), {real(1.0), real(-2.0)});
     },
     solve_status::breakdown,
     "definite",
     {method::cg}},
    {"indefinite, without a preconditioner",
     [] {
         return with_b(system_of(from_rows({{1, 0}, {0, -3}})), ones(2));
     },
     solve_status::breakdown,
     "definite",
     {method::cg},
     [](solve_options& o) { o.preconditioner = preconditioner::none; }},
    {"indefinite, incomplete factors",
     [] {
         return with_b(system_of(from_rows({{1, 2}, {2, 1}})), {real(1.0), real(-2.0)});
     },
     solve_status::breakdown,
     "not positive",
     {method::cg, method::minres},
     [](solve_options& o) { o.preconditioner = preconditioner::ic0; }},
    {"a zero right-hand side", [] { return with_b(system_of(poisson_1d(4)), std::vector<real>(4, real(0.0))); },
     solve_status::converged},
    {"a zero right-hand side and a guess",
     [] { return with_b(system_of(poisson_1d(4)), std::vector<real>(4, real(0.0))); }, solve_status::converged, "",
     methods, [](solve_options& o) { o.initial_guess = ones(4); }},
    {"an exact guess", [] { return with_solution_ones(poisson_1d(4)); }, solve_status::converged, "", methods,
     [](solve_options& o) { o.initial_guess = ones(4); }},
    {"one unknown", [] { return system_of(from_rows({{3}})); }, solve_status::converged},
    {"one unknown, near the end of the range", [] { return system_of(from_rows({{0x1p-1074}})); },
     solve_status::converged},
    {"one unknown, singular", [] { return system_of(from_rows({{0}})); }, solve_status::breakdown,
     "row 1 and column 1 have no nonzero entry"},
    {"a huge restart",
     [] { return with_solution_ones(poisson_1d(6)); },
     solve_status::converged,
     "",
     {method::gmres, method::gmres_ir},
     [](solve_options& o) { o.restart = std::numeric_limits<index_t>::max(); }},
};

solve_options options_of(const fault& f, method m)
{
    solve_options options;
    options.method = m;
    options.precision_bits = 106;
    if (f.with) {
        f.with(options);
    }
    return options;
}

using space = host_space<double>;
using dvector = vector<host_executor, double>;

/// tridiag(-1, 2, -1), whose k-th product has a bad first element.
struct failing_matrix {
    double bad;
    int at;
    mutable int products = 0;

    void apply(const space&, const dvector& x, dvector& y) const
    {
        for (index_t i = 0; i < x.size(); ++i) {
            y.set(i, 2.0 * x.get(i) - (i > 0 ? x.get(i - 1) : 0.0) - (i + 1 < x.size() ? x.get(i + 1) : 0.0));
        }
        if (++products == at) {
            y.set(0, bad);
        }
    }
};

/// Like it for a preconditioner, c times the identity.
struct failing_identity {
    double bad;
    int at;
    double factor = 1.0;
    mutable int products = 0;

    void apply(const space& on, const dvector& x, dvector& y) const
    {
        on.copy(x, y);
        on.scal(factor, y);
        if (++products == at) {
            y.set(0, bad);
        }
    }
};

constexpr index_t n = 20;
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class A, class M>
iteration_report run(method m, const A& a, const M& precond, const dvector& b, dvector& x)
{
    const space on;
    const stop_rule stop = rule(1e-14, 60);
    switch (m) {
        case method::cg: {
            cg_workspace<space> work(on, n);
            return cg(on, a, precond, b, x, stop, work);
        }
        case method::minres: {
            minres_workspace<space> work(on, n);
            return minres(on, a, precond, b, x, stop, work);
        }
        case method::gmres: {
            gmres_workspace<space> work(on, n, 8);
            return gmres(on, a, precond, b, x, stop, work);
        }
        case method::bicgstab: {
            bicgstab_workspace<space> work(on, n);
            return bicgstab(on, a, precond, b, x, stop, work);
        }
        case method::refine: {
            refine_workspace<space> work(on, n);
            return refine(on, a, precond, b, x, stop, work);
        }
        default: {  // gmres-ir
            refine_workspace<space> work(on, n);
            const gmres_corrections<space, space, A, M> corrections(on, on, a, precond, n, rule(1e-4, 60), n);
            return refine(on, a, corrections, b, x, stop, work);
        }
    }
}

double residual_of(const dvector& x)
{
    dvector y(n);
    failing_matrix{0.0, 0}.apply(space{}, x, y);
    double largest = 0.0;
    for (index_t i = 0; i < n; ++i) {
        largest = std::max(largest, std::isfinite(y.get(i)) ? std::abs(1.0 - y.get(i)) : infinity);
    }
    return largest;
}

}  // namespace

TEST(faults_test, end_with_their_status_by_every_method)
{
    for (const fault& f : faults) {
        for (const method m : f.by) {
            SCOPED_TRACE(std::string(f.name) + " by " + std::string(to_string(m)));
            const linear_system system = f.system();

            const solve_result result = solve(system, options_of(f, m));

            EXPECT_EQ(result.report.status, f.status) << to_string(result.report.status) << result.report.message;
            EXPECT_NE(result.report.message.find(f.message), std::string::npos) << result.report.message;
            EXPECT_EQ(result.report.message.empty(), f.status == solve_status::converged) << result.report.message;
            ASSERT_EQ(static_cast<index_t>(result.x.size()), system.rows);
            for (const real& x : result.x) {
                EXPECT_TRUE(is_finite(x));
            }
            EXPECT_TRUE(is_finite(result.report.relative_residual));
            EXPECT_TRUE(is_finite(result.report.backward_error));
            EXPECT_TRUE(is_finite(result.report.componentwise_backward_error));
        }
    }
}

TEST(faults_test, nothing_is_iterated_where_nothing_is_to_be_done)
{
    for (const fault& f : faults) {
        const std::string name = f.name;
        if (name == "an exact guess" || name.starts_with("a zero right-hand side")) {
            for (const method m : f.by) {
                EXPECT_EQ(solve(f.system(), options_of(f, m)).report.iterations, 0) << name << to_string(m);
            }
        }
    }
}

TEST(faults_test, a_nan_or_an_infinity_in_the_middle_is_a_breakdown_with_the_best_x)
{
    for (const method m :
         {method::cg, method::minres, method::gmres, method::bicgstab, method::refine, method::gmres_ir}) {
        for (const double bad : {std::nan(""), infinity, -infinity}) {
            for (const int at : {1, 2, 3, 6, 9}) {
                for (const bool in_matrix : {true, false}) {
                    SCOPED_TRACE(std::string(to_string(m)) + " " + std::to_string(bad) + " at " + std::to_string(at) +
                                 (in_matrix ? " of A" : " of M"));
                    const failing_matrix a{bad, in_matrix ? at : 0};
                    // damped: so refinement by M goes some steps
                    const failing_identity precond{bad, in_matrix ? 0 : at, m == method::refine ? 0.25 : 1.0};
                    dvector b(n), x(n);
                    for (index_t i = 0; i < n; ++i) {
                        b.set(i, 1.0);
                    }

                    const iteration_report report = run(m, a, precond, b, x);

                    if ((in_matrix ? a.products : precond.products) < at) {
                        continue;  // it was done before
                    }
                    EXPECT_NE(report.status, solve_status::converged);
                    EXPECT_TRUE(report.status == solve_status::breakdown || m == method::refine ||
                                m == method::gmres_ir)
                        << to_string(report.status);
                    EXPECT_LE(residual_of(x), n) << "x is no worse than the residual of a few steps";
                    EXPECT_FALSE(std::isnan(report.recursive_residual));
                }
            }
        }
    }
}

TEST(faults_test, dense_factors_of_what_is_not_finite_fail)
{
    for (const double bad : {std::nan(""), infinity}) {
        for (const bool symmetric : {true, false}) {
            matrix<host_executor, double> a(3, 3);
            for (index_t i = 0; i < 3; ++i) {
                a.set(i, i, 4.0);
            }
            a.set(2, 1, bad);
            a.set(1, 2, bad);
            const dense_factors<space> factors(space{}, std::move(a), symmetric);
            EXPECT_FALSE(factors.failure().empty());
        }
    }
}

TEST(faults_test, a_restart_length_that_memory_does_not_hold_is_refused)
{
    const linear_system system = system_of(poisson_1d(400000));
    for (const method m : {method::gmres, method::gmres_ir}) {
        solve_options options;
        options.method = m;
        options.precision_bits = 106;
        options.restart = std::numeric_limits<index_t>::max();
        try {
            solve(system, options);
            FAIL() << "not refused";
        } catch (const resource_error& e) {
            EXPECT_NE(std::string(e.what()).find("bytes"), std::string::npos) << e.what();
            EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
        }
    }
}
