#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "krylov.hpp"

namespace residua::support {

/// M = diagonal
struct real_scaling {
    std::vector<double> diagonal;

    void apply(const real_space&, const std::vector<real>& x, std::vector<real>& y) const
    {
        for (std::size_t i = 0; i < x.size(); ++i) {
            y[i] = x[i] * real(diagonal[i], x[i].precision());
        }
    }
};

/// A full matrix of size n without a structure, and far from singular. With a large diagonal residuals only fall.
inline io::coo<double> full_matrix(int n, double diagonal = 3.0)
{
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n),
                                          std::vector<double>(static_cast<std::size_t>(n)));
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            rows[i][j] = std::cos(1.0 + i * i + 3.0 * j + 0.5 * i * j) + (i == j ? diagonal : 0.0);
        }
    }
    return from_rows(rows);
}

/// u' by central differences on n points, plus a small multiple of u: eigenvalues 0.01 +- 2 i t.
inline io::coo<double> nearly_skew(int n)
{
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n),
                                          std::vector<double>(static_cast<std::size_t>(n)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i][i] = 0.01;
        if (i > 0) {
            rows[i][i - 1] = -1.0;
            rows[i - 1][i] = 1.0;
        }
    }
    return from_rows(rows);
}

inline std::vector<real> waves(const real_space& space, index_t n)
{
    std::vector<real> b = space.make_vector(n);
    for (index_t i = 0; i < n; ++i) {
        b[static_cast<std::size_t>(i)] = space.make_scalar(std::cos(3.0 * static_cast<double>(i)));
    }
    return b;
}

inline std::vector<real> times_power_of_two(std::vector<real> x, int e)
{
    for (real& element : x) {
        element = ldexp(element, e);
    }
    return x;
}

/// b - A x
inline std::vector<real> residual_of(const real_space& space, const io::coo<double>& a, const std::vector<real>& b,
                                     const std::vector<real>& x)
{
    std::vector<real> r = space.make_vector(a.rows);
    real_matrix{a}.apply(space, x, r);
    for (std::size_t i = 0; i < r.size(); ++i) {
        r[i] = b[i] - r[i];
    }
    return r;
}

inline double relative_residual(const real_space& space, const io::coo<double>& a, const std::vector<real>& b,
                                const std::vector<real>& x)
{
    return to_double(space.norm2(residual_of(space, a, b, x)) / space.norm2(b));
}

/// What every Krylov method for any nonsingular matrix does. solve(space, a, m, b, x, rule) runs it.
template <class Solve>
void expect_usual_behaviour(const Solve& solve)
{
    const real_space space{300};
    const io::coo<double> a = from_rows(nonsymmetric);
    const real_identity none;
    const double nan = std::nan("");

    // the residual of the recursion is that of x in every iteration, whatever M
    const real_scaling m{{0.5, -3.0, 1.0, 7.0}};
    const std::vector<real> b = waves(space, 4);
    for (index_t most = 0; most < 8; ++most) {
        std::vector<real> x = waves(space, 4);
        const iteration_report report = solve(space, a, m, b, x, rule(1e-70, most));
        EXPECT_LE(report.iterations, most);
        EXPECT_NEAR(report.recursive_residual, relative_residual(space, a, b, x),
                    1e-12 * report.recursive_residual + 1e-80);
    }

    // powers of two change nothing but exponents
    std::vector<real> x = space.make_vector(4);
    const iteration_report plain = solve(space, a, m, b, x, rule(1e-70));
    EXPECT_EQ(plain.status, solve_status::converged);
    for (const int e : {-900, 70, 300}) {
        std::vector<real> y = space.make_vector(4);
        const iteration_report scaled = solve(space, a, m, times_power_of_two(b, e), y, rule(1e-70));
        EXPECT_EQ(scaled.iterations, plain.iterations) << e;
        EXPECT_EQ(scaled.recursive_residual, plain.recursive_residual) << e;
        EXPECT_EQ(times_power_of_two(y, -e), x) << e;
    }

    // and each of these makes other steps those that the residual is rescaled before
    const std::vector<real> right = waves(space, 30);
    for (const io::coo<double>& other : {nearly_skew(30), full_matrix(30, 24.0)}) {
        x = space.make_vector(30);
        solve(space, other, none, right, x, rule(1e-60, 200));
        for (const int e : {7, 14, 22, 31, 39, 48, 60}) {
            std::vector<real> y = space.make_vector(30);
            solve(space, other, none, times_power_of_two(right, e), y, rule(1e-60, 200));
            EXPECT_EQ(times_power_of_two(y, -e), x) << e;
        }
    }

    // nothing to do
    x = space.make_vector(4);
    EXPECT_EQ(solve(space, a, none, x, x, rule(1e-50)).iterations, 0);
    x = ones(4);
    std::vector<real> image = space.make_vector(4);
    real_matrix{a}.apply(space, x, image);
    const iteration_report exact = solve(space, a, none, image, x, rule(1e-50));
    EXPECT_EQ(exact.status, solve_status::converged);
    EXPECT_EQ(exact.iterations, 0);

    // one unknown
    x = space.make_vector(1);
    const iteration_report one = solve(space, from_rows({{-4}}), none, {real(8.0)}, x, rule(1e-50));
    EXPECT_EQ(one.status, solve_status::converged);
    EXPECT_LE(one.iterations, 2);
    EXPECT_LT(std::abs(to_double(x[0] + real(2.0))), 1e-49);

    // no solution
    for (const auto& rows : {std::vector<std::vector<double>>{{2, 1, 0}, {0, 0, 0}, {1, 0, -2}}, {{0, 1}, {0, 0}}}) {
        x = space.make_vector(static_cast<index_t>(rows.size()));
        const iteration_report report = solve(space, from_rows(rows), none, ones(space.size(x)), x, rule(1e-50, 500));
        EXPECT_NE(report.status, solve_status::converged);
        EXPECT_TRUE(is_finite(x[0]));
    }

    // not a number, from the beginning and from M
    auto rows = nonsymmetric;
    for (const double bad : {nan, HUGE_VAL}) {
        rows[3][3] = bad;
        x = space.make_vector(4);
        const iteration_report report = solve(space, from_rows(rows), none, b, x, rule(1e-50));
        EXPECT_EQ(report.status, solve_status::breakdown);
        EXPECT_NE(report.message.find("NaN"), std::string::npos) << report.message;
        EXPECT_TRUE(is_finite(x[0]));
        const iteration_report by_m = solve(space, a, real_scaling{{1.0, 1.0, bad, 1.0}}, b, x, rule(1e-50));
        EXPECT_EQ(by_m.status, solve_status::breakdown);
        EXPECT_TRUE(is_finite(x[0]));
    }
}

}  // namespace residua::support
