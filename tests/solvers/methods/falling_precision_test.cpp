// CG whose bits fall with the residual: when they do, what it costs, and what it still reaches.
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/matrix/make_csr.hpp>
#include <residua/solvers/methods/cg.hpp>
#include <residua/solvers/methods/precision_schedule.hpp>
#include <residua/solvers/precond/chebyshev.hpp>
#include <residua/solvers/precond/triangular.hpp>
#include <residua/solvers/space/any_operator.hpp>
#include <residua/solvers/space/blas_space.hpp>
#include <residua/solvers/space/true_residual.hpp>

#include "tests/support/krylov.hpp"
#include "tests/support/systems.hpp"

using namespace residua;
using namespace residua::support;

namespace {

using space = multidigit_space<host_executor>;
static_assert(shortenable_space<space>);
static_assert(!shortenable_space<rns_space<host_executor>> && !shortenable_space<host_space<double>>);

constexpr double tolerance = 1e-100;
constexpr double norm_of_poisson = 8.0;

/// What cg made of A x = b: its report, ||b - A x|| / ||b|| by MPFR, and x.
struct outcome {
    iteration_report report;
    double true_residual;
    std::vector<real> x;

    /// How far the true residual is from the recursive one at most, in tolerances.
    double gap() const { return std::abs(true_residual - report.recursive_residual) / tolerance; }
};

std::vector<real> numbers_of(const space::vector& v)
{
    std::vector<real> all;
    for (index_t i = 0; i < v.size(); ++i) {
        all.push_back(to_real(v.get(i)));
    }
    return all;
}

outcome solve_by_cg(const linear_system& system, const any_operator<space>& m, long bits, double matrix_norm,
                    stop_rule r = rule(tolerance))
{
    const space on{{}, multidigit_format(bits)};
    any_operator<space> a;
    a.function = [rows = make_csr(system)](const space& at, const space::vector& x, space::vector& y) {
        at.spmv(rows, x, y);
    };
    space::vector x = on.make_vector(system.rows);
    space::vector b = on.make_vector(system.rows);
    for (index_t i = 0; i < b.size(); ++i) {
        b.set(i, on.make_scalar(system.b[static_cast<std::size_t>(i)]));
    }
    cg_workspace<space> work(on, system.rows);
    outcome result;
    for (int call = 0; call < 2; ++call) {  // a workspace that was left in fewer bits serves again
        on.fill(on.make_scalar(0.0), x);
        result.report = cg(on, a, m, b, x, r, work, matrix_norm);
    }
    result.x = numbers_of(x);
    const residual_evaluation at = evaluate_residual(system, result.x, real(1e-120));
    result.true_residual = to_double(at.norm2 / norm2(system.b));
    return result;
}

/// Poisson's equation with a right-hand side in which every eigenvector is, or the smooth ones for the most part.
linear_system poisson(index_t grid, bool smooth)
{
    const io::coo<double> a = poisson_2d(grid);
    std::vector<real> b;
    for (index_t i = 0; i < a.rows; ++i) {
        b.emplace_back(smooth ? 1.0 : static_cast<double>((i * 7919) % 1009) - 504.0);
    }
    return make_system(a, std::move(b));
}

/// M of Poisson's equation: none, a diagonal one, incomplete factors, a polynomial.
std::vector<any_operator<space>> preconditioners(const linear_system& system, long bits)
{
    const space on{{}, multidigit_format(bits)};
    std::vector<any_operator<space>> all(4);
    all[1].function = [](const space& at, const space::vector& x, space::vector& y) {
        at.copy(x, y);
        at.scal(at.make_scalar(0.25), y);
    };
    const auto factors = std::make_shared<triangular_preconditioner<space>>(on, factorize_ic0(system));
    all[2].function = [factors](const space& at, const space::vector& x, space::vector& y) {
        factors->apply(at, x, y);
    };
    any_operator<space> a;
    a.function = [rows = make_csr(system)](const space& at, const space::vector& x, space::vector& y) {
        at.spmv(rows, x, y);
    };
    using polynomial = chebyshev_preconditioner<space, any_operator<space>, any_operator<space>>;
    const auto p = std::make_shared<polynomial>(on, system.rows, a, all[1], find_chebyshev_interval(system));
    all[3].function = [p](const space& at, const space::vector& x, space::vector& y) { p->apply(at, x, y); };
    return all;
}

seen_spectrum spectrum_of(double smallest, double largest)
{
    seen_spectrum seen;  // a diagonal matrix
    seen.add_step(1.0 / smallest);
    seen.add_direction(0.0);
    seen.add_step(1.0 / largest);
    return seen;
}

}  // namespace

TEST(precision_schedule_test, has_the_bits_that_residual_growth_and_guard_need)
{
    const seen_spectrum seen = spectrum_of(1.0, 0x1p7);  // 9 bits, rounded up twice
    precision_schedule schedule(424, 0x1p-300, 8.0);
    EXPECT_FALSE(schedule.is_due(0, 1.0));
    const long needed = 300 + 1 + 8 + 20;  // at a residual of 1

    ASSERT_TRUE(schedule.is_due(60, 0x1p-60));
    ASSERT_TRUE(schedule.falls(60, 0x1p-60, 1.0, seen));
    EXPECT_GE(schedule.bits(), needed - 60);
    EXPECT_LT(schedule.bits(), needed - 60 + 52);
    const long reached = schedule.bits();
    EXPECT_FALSE(schedule.is_due(61, 0x1p-61));  // enough of them for that
    long before = reached;
    for (index_t k = 62; k < 300; ++k) {
        const double residual = std::ldexp(1.0, -static_cast<int>(k));
        if (schedule.is_due(k, residual) && schedule.falls(k, residual, 0.0, seen)) {
            EXPECT_EQ(schedule.bits(), before - 52);
            EXPECT_EQ(schedule.bits(), std::max(114L, needed - k)) << k;  // as soon as they suffice
            before = schedule.bits();
        }
    }
    EXPECT_EQ(before, 114);
}

TEST(precision_schedule_test, trusts_the_growth_once_the_residual_has_fallen_by_it_and_more)
{
    for (const double condition : {1.0, 0x1p20, 0x1p60}) {
        const seen_spectrum seen = spectrum_of(1.0, condition);
        precision_schedule schedule(374, 0x1p-300, 1.0);
        schedule.is_due(0, 1.0);
        int k = 1;
        while (!(schedule.is_due(k, std::ldexp(1.0, -k)) && schedule.falls(k, std::ldexp(1.0, -k), 0.0, seen))) {
            ++k;
        }
        EXPECT_NEAR(k, 18 + std::ilogb(condition), 1);
    }
    precision_schedule early(848, 0x1p-300, 1.0);
    early.is_due(0, 1.0);
    ASSERT_TRUE(early.is_due(1, 0.5));
    EXPECT_FALSE(early.falls(1, 0.5, 1.0, seen_spectrum{}));
    ASSERT_TRUE(early.falls(2, 0.5, 1.0, spectrum_of(1.0, 1.5)));
    EXPECT_EQ(early.bits(), 426);  // 300 + 20 + 64, and what exponents are rounded up by
}

TEST(precision_schedule_test, takes_the_growth_of_sums_too)
{
    precision_schedule small(424, 0x1p-300, 8.0), large(424, 0x1p-300, 8.0);
    for (precision_schedule* each : {&small, &large}) {
        each->is_due(0, 1.0);
    }
    ASSERT_TRUE(small.falls(110, 0x1p-110, 1.0, spectrum_of(1.0, 2.0)));
    ASSERT_TRUE(large.falls(110, 0x1p-110, 0x1p90, spectrum_of(1.0, 2.0)));
    EXPECT_EQ(small.bits(), 218);
    EXPECT_EQ(large.bits(), 374);  // 90 more for the growth, and 64 as the residual has fallen by little more
}

TEST(precision_schedule_test, has_a_bit_more_for_twice_the_iterations)
{
    const auto first_due = [](index_t k) {
        precision_schedule schedule(424, 0x1p-420, 1.0);
        schedule.is_due(0, 1.0);
        int e = 1;
        while (!schedule.is_due(k, std::ldexp(1.0, -e))) {
            ++e;
        }
        return e;
    };
    EXPECT_EQ(first_due(1024), first_due(1023) + 1);
    EXPECT_EQ(first_due(1 << 20), first_due(1) + 11);
}

TEST(precision_schedule_test, keeps_the_bits_without_a_norm_or_a_tolerance)
{
    for (const auto& [tolerance_of, norm] : std::vector<std::pair<double, double>>{
             {1e-100, 0.0}, {0.0, 1.0}, {1e-100, std::numeric_limits<double>::infinity()}}) {
        precision_schedule schedule(4096, tolerance_of, norm);
        schedule.is_due(0, 1.0);
        EXPECT_FALSE(schedule.is_due(1000, 1e-90));
    }
    precision_schedule of_zero(4096, 1e-100, 1.0);
    of_zero.is_due(0, 0.0);
    EXPECT_FALSE(of_zero.is_due(1, 0.0));
}

TEST(falling_precision_test, reaches_the_tolerance_in_the_iterations_of_all_bits)
{
    for (const long bits : {424L, 848L}) {
        for (const bool smooth : {true, false}) {
            const linear_system system = poisson(16, smooth);
            const std::vector<any_operator<space>> all = preconditioners(system, bits);
            for (std::size_t m = 0; m < all.size(); ++m) {
                const outcome falling = solve_by_cg(system, all[m], bits, norm_of_poisson);
                const outcome full = solve_by_cg(system, all[m], bits, 0.0);

                const auto what = testing::Message() << bits << " bits, preconditioner " << m << ", smooth " << smooth;
                EXPECT_EQ(falling.report.status, solve_status::converged) << what;
                EXPECT_NEAR(static_cast<double>(falling.report.iterations), static_cast<double>(full.report.iterations),
                            1.0 + 0.02 * static_cast<double>(full.report.iterations))
                    << what;
                EXPECT_TRUE(full.report.precision_changes.empty()) << what;
                ASSERT_GE(falling.report.precision_changes.size(), 2u) << what;
                EXPECT_LE(falling.report.precision_changes.back().precision_bits, 322) << what;
                EXPECT_LT(falling.gap(), 0x1p-20) << what;
            }
        }
    }
}

TEST(falling_precision_test, returns_the_best_iterate_where_it_is_stopped)
{
    const any_operator<space> none;
    for (const bool smooth : {true, false}) {  // the residual rises first, or falls
        const linear_system system = poisson(16, smooth);
        const outcome whole = solve_by_cg(system, none, 848, norm_of_poisson);
        ASSERT_LT(whole.report.precision_changes.front().iteration, 6);
        for (index_t most = 4; most < whole.report.iterations; most += 3) {
            const outcome stopped = solve_by_cg(system, none, 848, norm_of_poisson, rule(tolerance, most));
            EXPECT_EQ(stopped.report.status, solve_status::not_converged);
            EXPECT_NEAR(stopped.true_residual, stopped.report.recursive_residual,
                        0x1p-40 * stopped.report.recursive_residual)
                << most;
        }
    }
}

TEST(falling_precision_test, keeps_the_bits_where_the_rule_says_so)
{
    stop_rule keeps = rule(tolerance);
    keeps.keeps_bits = true;
    const outcome full = solve_by_cg(poisson(8, false), {}, 848, norm_of_poisson, keeps);
    EXPECT_TRUE(full.report.precision_changes.empty());
    EXPECT_EQ(full.x, solve_by_cg(poisson(8, false), {}, 848, 0.0).x);
}
