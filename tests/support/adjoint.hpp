#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "krylov.hpp"

/// What the tests of methods for nonsymmetric and rectangular matrices share.
namespace residua::support {

/// M = diagonal
struct scaling {
    std::vector<double> diagonal;

    void apply(const real_space&, const std::vector<real>& x, std::vector<real>& y) const
    {
        for (std::size_t i = 0; i < x.size(); ++i) {
            y[i] = x[i] * real(diagonal[i], x[i].precision());
        }
    }
};

/// Positive numbers from 1/4 to 4, in no order.
inline std::vector<double> powers(std::size_t n)
{
    std::vector<double> d;
    for (std::size_t i = 0; i < n; ++i) {
        d.push_back(std::ldexp(1.0, static_cast<int>(i * 7 % 5) - 2));
    }
    return d;
}

inline io::coo<double> transposed(const io::coo<double>& a)
{
    io::coo<double> t = a;
    std::swap(t.rows, t.cols);
    std::swap(t.row, t.col);
    return t;
}

/// cos(3 i) 2^scale
inline std::vector<real> waves(const real_space& space, index_t n, int scale = 0)
{
    std::vector<real> b = space.make_vector(n);
    for (index_t i = 0; i < n; ++i) {
        b[static_cast<std::size_t>(i)] = ldexp(space.make_scalar(std::cos(3.0 * static_cast<double>(i))), scale);
    }
    return b;
}

/// b - A x, in 4 times the bits
inline std::vector<real> exact_residual(const real_space& space, const io::coo<double>& a, const std::vector<real>& b,
                                        const std::vector<real>& x)
{
    std::vector<real> r;
    for (const real& each : b) {
        r.push_back(each.with_precision(4 * space.bits));
    }
    for (std::size_t k = 0; k < a.value.size(); ++k) {
        r[a.row[k]] -= x[a.col[k]].with_precision(4 * space.bits) * real(a.value[k]);
    }
    return r;
}

/// ||b - A x|| / ||b||
inline double relative_residual(const real_space& space, const io::coo<double>& a, const std::vector<real>& b,
                                const std::vector<real>& x)
{
    return to_double(space.norm2(exact_residual(space, a, b, x)) / space.norm2(b));
}

/// Convection and diffusion on a line of n points, not symmetric and not normal.
inline io::coo<double> upwind(index_t n, double diagonal = 2.0 + 1.0 / 3.0)
{
    io::coo<double> a;
    a.rows = a.cols = n;
    const auto add = [&a](index_t i, index_t j, double value) {
        if (0 <= j && j < a.cols) {
            a.row.push_back(i);
            a.col.push_back(j);
            a.value.push_back(value);
        }
    };
    for (index_t i = 0; i < n; ++i) {
        add(i, i - 1, -1.5);
        add(i, i, diagonal);
        add(i, i + 1, -0.5);
    }
    return a;
}

/// r_k is b - A x_k in every iteration, whatever M and b, and zero after so many: run(space, a, m, b, x, rule).
///
/// apart  of the iterations at which it is looked
template <class Run>
void expect_residuals_of_x(const Run& run, index_t most, index_t apart)
{
    const real_space space{300};
    const io::coo<double> a = upwind(24);
    for (const bool scaled : {false, true}) {
        const scaling m{scaled ? powers(24) : std::vector<double>(24, 1.0)};
        for (const int scale : {0, 300, -900}) {
            const std::vector<real> b = waves(space, a.rows, scale);
            for (index_t k = 0; k < most - 1; k += apart) {
                std::vector<real> x = space.make_vector(a.rows);
                const iteration_report report = run(space, a, m, b, x, rule(0.0, k));
                EXPECT_EQ(report.status, solve_status::not_converged);
                EXPECT_EQ(report.iterations, k);
                EXPECT_NEAR(report.recursive_residual, relative_residual(space, a, b, x),
                            1e-12 * report.recursive_residual);
            }
            std::vector<real> x = space.make_vector(a.rows);
            const iteration_report report = run(space, a, m, b, x, rule(1e-60));
            EXPECT_EQ(report.status, solve_status::converged) << report.message;
            EXPECT_LE(report.iterations, most);
            EXPECT_LT(relative_residual(space, a, b, x), 1.001e-60);
        }
    }
}

/// Powers of two change nothing, and where they are taken out depends on the size of b: all residuals are the same.
template <class Run>
void expect_the_same_for_every_scale(const Run& run)
{
    const real_space space{500};
    const io::coo<double> a = upwind(300, 6.0);
    std::vector<double> first;
    for (const int scale : {0, 30, -45, -500}) {
        const std::vector<real> b = waves(space, a.rows, scale);
        std::vector<real> x = space.make_vector(a.cols);
        std::vector<double> residuals;
        stop_rule r = rule(1e-100);
        r.on_iteration = [&](index_t, double residual) { residuals.push_back(residual); };

        const iteration_report report = run(space, a, real_identity{}, b, x, r);

        EXPECT_EQ(report.status, solve_status::converged) << report.message;
        EXPECT_LT(report.iterations, 280);  // so that it is rescaled on the way, and not at the end
        EXPECT_LT(relative_residual(space, a, b, x), 1.001e-100);
        first = first.empty() ? residuals : first;
        EXPECT_EQ(residuals, first) << scale;
    }
}

/// An exact guess and a zero right-hand side take no step.
template <class Run>
void expect_no_step(const Run& run)
{
    const real_space space{200};
    const io::coo<double> a = from_rows(nonsymmetric);
    std::vector<real> b = space.make_vector(4);
    std::vector<real> x = space.make_vector(4);
    EXPECT_EQ(run(space, a, real_identity{}, b, x, rule(1e-50)).status, solve_status::converged);
    x = ones(4);
    real_matrix{a}.apply(space, x, b);
    const iteration_report report = run(space, a, real_identity{}, b, x, rule(1e-50));
    EXPECT_EQ(report.status, solve_status::converged);
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(report.matvecs, 1);
    EXPECT_EQ(x, ones(4));
}

}  // namespace residua::support
