#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/solver.hpp>
#include <residua/solvers/space/true_residual.hpp>

#include "biased_random.hpp"
#include "systems.hpp"

namespace residua::support {

using right_sides = std::vector<std::vector<real>>;

inline solve_options with(method m, long bits)
{
    solve_options options;
    options.method = m;
    options.precision_bits = bits;
    return options;
}

/// Numbers from -1 to 1, and more on the diagonal; symmetric positive definite.
inline io::coo<double> full_matrix(biased_random& random, index_t n)
{
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n),
                                          std::vector<double>(static_cast<std::size_t>(n)));
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j <= i; ++j) {
            rows[i][j] = rows[j][i] = 2.0 * random.uniform() - 1.0;
        }
        rows[i][i] += static_cast<double>(n);
    }
    return from_rows(rows);
}

/// Columns that need more or less work: random ones, zero, one with a short solution, and such from 2^-900 to 2^900.
inline right_sides mixed_columns(biased_random& random, const linear_system& system)
{
    right_sides all;
    for (const long e : {0L, -900L, 900L, 0L, -5000L, 3L}) {
        std::vector<real> b;
        for (index_t i = 0; i < system.rows; ++i) {
            b.push_back(ldexp(real(2.0 * random.uniform() - 1.0, 200) / real(3.0), e));
        }
        all.push_back(b);
    }
    all.insert(all.begin() + 2, std::vector<real>(static_cast<std::size_t>(system.rows), real(0.0)));
    all.insert(all.begin() + 1, row_sums(system));
    return all;
}

inline void expect_equal(const real& x, const real& y, const std::string& what)
{
    EXPECT_TRUE(x == y || (is_nan(x) && is_nan(y))) << what << ": " << to_string(x, 20) << " and " << to_string(y, 20);
}

/// All that a report says but times.
inline void expect_the_same(const solve_result& x, const solve_result& y, const std::string& where)
{
    SCOPED_TRACE(where);
    EXPECT_EQ(x.x, y.x);
    const solve_report& r = x.report;
    const solve_report& s = y.report;
    EXPECT_EQ(r.status, s.status);
    EXPECT_EQ(r.method, s.method);
    EXPECT_EQ(r.preconditioner, s.preconditioner);
    EXPECT_EQ(r.format, s.format);
    EXPECT_EQ(r.precision_bits, s.precision_bits);
    EXPECT_EQ(r.solution_bits, s.solution_bits);
    EXPECT_EQ(r.iterations, s.iterations);
    EXPECT_EQ(r.corrections, s.corrections);
    EXPECT_EQ(r.matvecs, s.matvecs);
    EXPECT_EQ(r.digits, s.digits);
    EXPECT_EQ(r.forward_kind, s.forward_kind);
    EXPECT_EQ(r.message, s.message);
    EXPECT_EQ(r.history.size(), s.history.size());
    EXPECT_EQ(r.escalations.size(), s.escalations.size());
    EXPECT_EQ(r.condition, s.condition);
    expect_equal(r.rtol, s.rtol, "rtol");
    expect_equal(r.rhs_norm, s.rhs_norm, "rhs_norm");
    expect_equal(r.recursive_residual, s.recursive_residual, "recursive_residual");
    expect_equal(r.relative_residual, s.relative_residual, "relative_residual");
    expect_equal(r.backward_error, s.backward_error, "backward_error");
    expect_equal(r.componentwise_backward_error, s.componentwise_backward_error, "componentwise_backward_error");
    EXPECT_EQ(r.forward_error, s.forward_error);
}

/// Together as each alone.
inline std::vector<solve_result> expect_as_alone(linear_system system, const right_sides& b,
                                                 const solve_options& options)
{
    const std::vector<solve_result> together = solver(system, options).solve(b);
    EXPECT_EQ(together.size(), b.size());
    for (std::size_t j = 0; j < together.size(); ++j) {
        system.b = b[j];
        expect_the_same(together[j], solve(system, options),
                        std::string(to_string(options.method)) + " column " + std::to_string(j + 1));
    }
    return together;
}

/// Two matrices along the diagonal.
inline io::coo<double> block_diagonal(const io::coo<double>& first, const io::coo<double>& second)
{
    io::coo<double> a = first;
    a.rows = a.cols = first.rows + second.rows;
    for (std::size_t k = 0; k < second.value.size(); ++k) {
        a.row.push_back(second.row[k] + first.rows);
        a.col.push_back(second.col[k] + first.rows);
        a.value.push_back(second.value[k]);
    }
    return a;
}

/// Hilbert's matrix, rounded.
inline io::coo<double> hilbert(index_t n)
{
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n),
                                          std::vector<double>(static_cast<std::size_t>(n)));
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            rows[i][j] = 1.0 / static_cast<double>(i + j + 1);
        }
    }
    return from_rows(rows);
}

inline std::vector<real> unit_vector(index_t n, index_t i)
{
    std::vector<real> e(static_cast<std::size_t>(n), real(0.0));
    e[static_cast<std::size_t>(i)] = real(1.0);
    return e;
}

}  // namespace residua::support
