#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <residua/arith/expansion/convert.hpp>
#include <residua/arith/expansion/expansion.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/solvers/methods/typed.hpp>
#include <residua/solvers/space/blas_space.hpp>

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

/// The matrix of differences(space, skew), or its transpose, which is that of the skew with another sign.
io::coo<double> stored_differences(double skew)
{
    io::coo<double> a{n, n, {}, {}, {}};
    const auto add = [&](index_t row, index_t col, double value) {
        if (col >= 0 && col < n) {
            a.row.push_back(row);
            a.col.push_back(col);
            a.value.push_back(value);
        }
    };
    for (index_t i = 0; i < n; ++i) {
        add(i, i - 1, -(1.0 + skew));
        add(i, i, 2.0 + static_cast<double>(i % 50) / 8);
        add(i, i + 1, -(1.0 - skew));
    }
    return a;
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
    expect_solved(0.0, [&](const auto& a, auto& x) { return fcg(space, a, b, x, rule); });
    expect_solved(0.5, [&](const auto& a, auto& x) { return bicgstabl(space, a, b, x, rule); });
    expect_solved(0.5, [&](const auto& a, auto& x) { return tfqmr(space, a, b, x, rule); });
    expect_solved(0.5, [&](const auto& a, auto& x) { return idr(space, a, b, x, rule); });
    const auto transposed = differences(space, -0.5);
    expect_solved(0.5, [&](const auto& a, auto& x) { return bicg(space, a, transposed, b, x, rule); });
    expect_solved(0.5, [&](const auto& a, auto& x) { return lsqr(space, a, transposed, b, x, rule); });
}

TEST(typed, methods_with_lambdas_have_the_bits_of_methods_with_a_stored_matrix)
{
    using space_type = host_space<expansion<double, 4>>;
    const space_type space;
    const auto b = space.make_vector(std::vector<double>(n, 3.0));
    struct stored {
        csr<host_executor, double> entries;
        void apply(const space_type& in, const space_type::vector& from, space_type::vector& to) const
        {
            in.spmv(entries, from, to);
        }
    };
    std::vector<double> scales;
    for (index_t i = 0; i < n; ++i) {
        scales.push_back(1.0 / (2.0 + static_cast<double>(i % 50) / 8));
    }
    const auto scale = space.make_vector(scales);
    const auto m = [&](const auto& from, auto& to) {
        for (index_t i = 0; i < n; ++i) {
            to.set(i, scale.get(i) * from.get(i));
        }
    };
    const operator_view<space_type, decltype(m)> by(m);
    const auto expect_same = [&](double skew, const auto& few, const auto& alone) {
        const stored a{csr_from_coo(stored_differences(skew))};
        const stored a_t{csr_from_coo(stored_differences(-skew))};
        const auto product = [&](const auto& from, auto& to) { a.apply(space, from, to); };
        const auto product_t = [&](const auto& from, auto& to) { a_t.apply(space, from, to); };
        auto x = space.make_vector(n);
        auto y = space.make_vector(n);
        stop_rule rule;
        rule.relative_residual = 1e-30;
        rule.normal_reduction = 1e-30;
        const typed_report found = few(product, product_t, x, typed_rule{.relative_residual = 1e-30, .restart = 9});
        const iteration_report expected = alone(a, a_t, y, rule);
        EXPECT_EQ(found.status, solve_status::converged);
        EXPECT_EQ(found.iterations, expected.iterations);
        for (index_t i = 0; i < n; ++i) {
            for (int t = 0; t < 4; ++t) {
                ASSERT_EQ(x.get(i).t[t], y.get(i).t[t]) << "number " << i << ", term " << t;
            }
        }
    };
    const auto square = [&](double skew, const auto& method, auto work) {
        expect_same(
            skew, [&](const auto& a, const auto&, auto& x, const auto& r) { return method(space, a, m, b, x, r); },
            [&](const auto& a, const auto&, auto& x, const auto& r) { return method(space, a, by, b, x, r, work); });
    };
    square(
        0.0, [](auto&... all) { return cg(all...); }, cg_workspace(space, n));
    square(
        0.0, [](auto&... all) { return fcg(all...); }, cg_workspace(space, n));
    square(
        0.0, [](auto&... all) { return minres(all...); }, minres_workspace(space, n));
    square(
        0.5, [](auto&... all) { return bicgstab(all...); }, bicgstab_workspace(space, n));
    square(
        0.5, [](auto&... all) { return bicgstabl(all...); }, bicgstabl_workspace(space, n));
    square(
        0.5, [](auto&... all) { return tfqmr(all...); }, tfqmr_workspace(space, n));
    square(
        0.5, [](auto&... all) { return idr(all...); }, idr_workspace(space, n));
    square(
        0.5, [](auto&... all) { return gmres(all...); }, gmres_workspace(space, n, 9));
    expect_same(
        0.5, [&](const auto& a, const auto& a_t, auto& x, const auto& r) { return bicg(space, a, a_t, m, m, b, x, r); },
        [&](const auto& a, const auto& a_t, auto& x, const auto& r) {
            bicg_workspace work(space, n);
            return bicg(space, a, a_t, by, by, b, x, r, work);
        });
    expect_same(
        0.5, [&](const auto& a, const auto& a_t, auto& x, const auto& r) { return lsqr(space, a, a_t, b, x, r); },
        [&](const auto& a, const auto& a_t, auto& x, const auto& r) {
            lsqr_workspace work(space, n, n);
            return lsqr(space, a, a_t, b, x, r, work);
        });
}

TEST(typed, lsqr_claims_no_more_than_the_format_holds)
{
    const host_space<expansion<double, 2>> space;
    const auto a = [&](const auto& x, auto& y) {
        y.set(0, x.get(0));
        y.set(1, x.get(0));
    };
    const auto a_t = [&](const auto& y, auto& x) { x.set(0, y.get(0) + y.get(1)); };
    const auto b = space.make_vector(std::vector<double>{1.0, 2.0});
    const auto status_to = [&](const char* tolerance) {
        auto x = space.make_vector(1);
        const typed_report report = lsqr(space, a, a_t, b, x, to(tolerance));
        EXPECT_TRUE(report.least_squares);
        EXPECT_LT(abs(to_real(x.get(0)) - 1.5), 1e-25);
        return report.status;
    };
    EXPECT_EQ(status_to("1e-25"), solve_status::converged);
    EXPECT_EQ(status_to("1e-50"), solve_status::stagnated);
}

TEST(typed, lsqr_goes_on_until_the_normal_equations_hold_to_the_tolerance)
{
    // A triangle of 300 unknowns and a row of ones more: what one run of 800 bits cannot tell takes a second one.
    constexpr index_t cols = 300;
    const multidigit_space<host_executor> space{{}, multidigit_format(4096)};
    const auto diagonal = [&](index_t i) { return space.make_scalar(100.0 + static_cast<double>(i % 7)); };
    const auto a = [&](const auto& x, auto& y) {
        auto sum = space.make_scalar(0.0);
        for (index_t i = 0; i < cols; ++i) {
            y.set(i, i > 0 ? diagonal(i) * x.get(i) - x.get(i - 1) : diagonal(i) * x.get(i));
            sum = sum + x.get(i);
        }
        y.set(cols, sum);
    };
    const auto a_t = [&](const auto& y, auto& x) {
        for (index_t i = 0; i < cols; ++i) {
            const auto below = i + 1 < cols ? y.get(i + 1) : space.make_scalar(0.0);
            x.set(i, diagonal(i) * y.get(i) - below + y.get(cols));
        }
    };
    const auto b = space.make_vector(std::vector<double>(cols + 1, 1.0));
    auto x = space.make_vector(cols);
    auto r = space.make_vector(cols + 1);
    auto normal = space.make_vector(cols);
    const typed_report report = lsqr(space, a, a_t, b, x, to("1e-400"));
    EXPECT_EQ(report.status, solve_status::converged) << report.message;
    EXPECT_TRUE(report.least_squares);
    a(x, r);
    space.axpy(space.make_scalar(-1.0), b, r);
    a_t(r, normal);
    EXPECT_LT(to_real(space.norm2(normal)) / to_real(space.norm2(r)), real("1e-398", 64));
    EXPECT_GT(report.relative_residual, 0.01);
}

TEST(typed, gmres_starts_anew_after_as_many_iterations_as_it_is_told)
{
    const host_space<expansion<double, 2>> space;
    const auto b = ones(space);
    const auto restarts = [&](index_t restart) {
        auto x = space.make_vector(n);
        const typed_rule rule{.relative_residual = 1e-20, .restart = restart};
        return gmres(space, differences(space, 0.5), b, x, rule).restarts;
    };
    EXPECT_GT(restarts(5), restarts(50));
    EXPECT_LE(restarts(n), 1);  // the end of a cycle counts
    EXPECT_THROW(restarts(0), error);
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
    EXPECT_THROW(idr(space, a, b, shorter), error);
}

}  // namespace
}  // namespace residua
