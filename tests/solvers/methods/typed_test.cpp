#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/expansion.hpp>
#include <residua/solvers/methods/typed.hpp>
#include <residua/solvers/space/expansion_space.hpp>
#include <residua/solvers/space/format_space.hpp>

namespace residua {
namespace {

/// More than the iterations that the tests take: conjugate gradients do not end by themselves.
constexpr index_t n = 300;

/// Second differences and `skew` times first ones, with shift and up to 6 more on the diagonal, as a lambda.
template <class S>
auto differences(const S& space, double skew, double shift = 0.0)
{
    return [&space, skew, shift](const typename S::vector& x, typename S::vector& y) {
        const auto zero = space.make_scalar(0.0);
        for (index_t i = 0; i < x.size(); ++i) {
            const auto left = i > 0 ? x.get(i - 1) : zero;
            const auto right = i + 1 < x.size() ? x.get(i + 1) : zero;
            y.set(i, space.make_scalar(2.0 + shift + static_cast<double>(i % 50) / 8) * x.get(i) -
                         space.make_scalar(1.0 + skew) * left - space.make_scalar(1.0 - skew) * right);
        }
    };
}

/// ||b - A x|| / ||b|| for b = (1, ..., 1) in MPFR with 8000 bits.
template <class V>
real true_residual(const V& x, double skew, double shift = 0.0)
{
    constexpr long bits = 5000;
    const auto at = [&](index_t i) {
        return i < 0 || i >= n ? real(0.0, bits) : to_real(x.get(i)).with_precision(bits);
    };
    real square(0.0, bits);
    for (index_t i = 0; i < n; ++i) {
        const real r = 1 - ((2.0 + shift + static_cast<double>(i % 50) / 8) * at(i) - (1.0 + skew) * at(i - 1) -
                            (1.0 - skew) * at(i + 1));
        square += r * r;
    }
    return sqrt(square / n);
}

template <class S>
typename S::vector ones(const S& space)
{
    return space.make_vector(std::vector<double>(n, 1.0));
}

typed_rule to(const char* tolerance) { return {.relative_residual = real(tolerance, 64)}; }

TEST(typed, lambdas_are_operators)
{
    const host_space<expansion<double, 4>> space;
    const auto b = ones(space);
    auto x = space.make_vector(n);
    const typed_report report = cg(space, differences(space, 0.0), b, x, to("1e-55"));
    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_LE(true_residual(x, 0.0), real("1e-55", 64));
    EXPECT_GT(report.iterations, 10);
    EXPECT_LE(report.iterations, report.matvecs);
    EXPECT_GT(report.seconds, 0.0);
}

TEST(typed, lambdas_are_preconditioners)
{
    const host_space<expansion<double, 2>> space;
    const auto b = ones(space);
    const auto a = differences(space, 0.0);
    index_t calls = 0;
    const auto jacobi = [&](const auto& r, auto& z) {
        ++calls;
        for (index_t i = 0; i < n; ++i) {
            z.set(i, r.get(i) / (2.0 + static_cast<double>(i % 50) / 8));
        }
    };
    auto x = space.make_vector(n);
    auto y = space.make_vector(n);
    const typed_report with = cg(space, a, jacobi, b, x, to("1e-25"));
    const typed_report without = cg(space, a, identity_operator{}, b, y, to("1e-25"));
    EXPECT_EQ(with.status, solve_status::converged);
    EXPECT_EQ(without.status, solve_status::converged);
    EXPECT_LE(true_residual(x, 0.0), 1e-25);
    EXPECT_GE(calls, with.iterations);
    EXPECT_LT(with.iterations, without.iterations);
}

TEST(typed, all_methods_solve)
{
    const host_space<expansion<double, 3>> space;
    const auto b = ones(space);
    const auto expect_solved = [&](double skew, const auto& method) {
        auto x = space.make_vector(n);
        EXPECT_EQ(method(differences(space, skew), x).status, solve_status::converged);
        EXPECT_LE(true_residual(x, skew), real("1e-40", 64));
    };
    const typed_rule rule = to("1e-40");
    expect_solved(0.0, [&](const auto& a, auto& x) { return minres(space, a, b, x, rule); });
    expect_solved(0.5, [&](const auto& a, auto& x) { return bicgstab(space, a, b, x, rule); });
    expect_solved(0.5, [&](const auto& a, auto& x) { return gmres(space, a, b, x, rule); });
}

TEST(typed, a_tolerance_may_lie_below_the_range_of_doubles)
{
    const multidigit_space<host_executor> space{{}, multidigit_format(4096)};
    const auto b = ones(space);
    auto x = space.make_vector(n);
    index_t next = 0;
    real last;
    typed_rule rule = to("1e-400");
    rule.observer = [&](const iteration_view& at) {
        EXPECT_EQ(at.iteration, next++);
        EXPECT_EQ(at.precision_bits, 4096);
        EXPECT_GE(at.seconds, 0.0);
        last = at.relative_residual;
        return true;
    };
    const typed_report report = cg(space, differences(space, 0.0, 98.0), b, x, rule);
    EXPECT_EQ(report.status, solve_status::converged) << report.message;
    EXPECT_EQ(next, report.iterations + 1);
    const real found = true_residual(x, 0.0, 98.0);
    EXPECT_LE(found, rule.relative_residual);
    EXPECT_LE(abs(found / report.relative_residual - 1), 0x1p-40);
    EXPECT_LE(last, rule.relative_residual);
    EXPECT_GT(found, 0.0);
}

TEST(typed, the_precision_is_a_limit_that_the_report_tells)
{
    const host_space<double> space;
    const auto b = ones(space);
    auto x = space.make_vector(n);
    const typed_report report = cg(space, differences(space, 0.0), b, x, to("1e-400"));
    EXPECT_EQ(report.status, solve_status::stagnated) << report.iterations;
    EXPECT_FALSE(report.message.empty());
    EXPECT_LE(report.relative_residual, 1e-13);
    EXPECT_GT(report.relative_residual, 1e-20);
}

TEST(typed, the_observer_ends_the_run)
{
    const host_space<expansion<double, 2>> space;
    const auto b = ones(space);
    auto x = space.make_vector(n);
    typed_rule rule = to("1e-25");
    rule.observer = [](const iteration_view& at) { return at.iteration < 3; };
    const typed_report report = cg(space, differences(space, 0.0), b, x, rule);
    EXPECT_EQ(report.status, solve_status::interrupted);
    EXPECT_EQ(report.iterations, 3);
    EXPECT_LE(abs(true_residual(x, 0.0) / report.relative_residual - 1), 0x1p-40);
}

TEST(typed, a_limit_of_iterations_counts_over_all_rounds)
{
    const multidigit_space<host_executor> space{{}, multidigit_format(2048)};
    const auto b = ones(space);
    auto x = space.make_vector(n);
    typed_rule rule = to("1e-400");
    rule.max_iterations = 150;
    const typed_report report = cg(space, differences(space, 0.0, 98.0), b, x, rule);
    EXPECT_EQ(report.status, solve_status::not_converged);
    EXPECT_EQ(report.iterations, 150);
    EXPECT_LT(report.relative_residual, real("1e-250", 64));
}

TEST(typed, a_solution_and_zero_take_no_iteration)
{
    const host_space<expansion<double, 2>> space;
    auto b = space.make_vector(n);
    auto x = space.make_vector(n);
    EXPECT_EQ(cg(space, differences(space, 0.0), b, x).status, solve_status::converged);
    x = ones(space);
    differences(space, 0.0)(x, b);
    const typed_report report = cg(space, differences(space, 0.0), b, x);
    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(report.relative_residual, 0.0);
}

TEST(typed, bad_input_is_refused)
{
    const host_space<double> space;
    const auto b = ones(space);
    auto x = space.make_vector(n);
    auto shorter = space.make_vector(n - 1);
    const auto a = differences(space, 0.0);
    EXPECT_THROW(cg(space, a, b, x, {.relative_residual = 0.0}), error);
    EXPECT_THROW(cg(space, a, b, x, {.relative_residual = real(std::nan(""))}), error);
    EXPECT_THROW(cg(space, a, b, shorter), error);
}

}  // namespace
}  // namespace residua
