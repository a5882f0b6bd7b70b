#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/io/matrix_market.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/precond/factors.hpp>

#include "real_space.hpp"

namespace residua::support {

/// A small matrix written out by rows; zeros are not stored.
inline io::coo<double> from_rows(const std::vector<std::vector<double>>& rows)
{
    io::coo<double> a;
    a.rows = a.cols = static_cast<index_t>(rows.size());
    a.cols = rows.empty() ? 0 : static_cast<index_t>(rows.front().size());
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t j = 0; j < a.cols; ++j) {
            if (rows[i][j] != 0.0) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(rows[i][j]);
            }
        }
    }
    return a;
}

inline std::vector<real> ones(index_t n) { return std::vector<real>(static_cast<std::size_t>(n), real(1.0)); }

/// A x = (1, ..., 1)'.
inline linear_system system_of(const io::coo<double>& a) { return make_system(a, ones(a.rows)); }

inline io::coo<double> read_binary64(const std::string& file)
{
    return io::read_matrix_market(io::load(file), [](std::string_view decimal) { return to_double(real(decimal, 53)); })
        .entries;
}

inline io::coo<real> read_decimal(const std::string& file, long bits)
{
    return io::read_matrix_market(io::load(file), [bits](std::string_view decimal) { return real(decimal, bits); })
        .entries;
}

inline sparse_matrix rows_of(const io::coo<double>& a) { return system_of(a); }

/// A x = b with x = (1, ..., 1), exactly.
inline linear_system with_solution_ones(const io::coo<double>& a)
{
    linear_system system = system_of(a);
    system.b = row_sums(system);
    return system;
}

/// -u'' on a square of m x m points: Poisson's matrix.
inline io::coo<double> poisson_2d(index_t m)
{
    io::coo<double> a;
    a.rows = a.cols = m * m;
    for (index_t i = 0; i < a.rows; ++i) {
        const auto entry = [&](bool inside, index_t j, double value) {
            if (inside) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(value);
            }
        };
        entry(i >= m, i - m, -1.0);
        entry(i % m > 0, i - 1, -1.0);
        entry(true, i, 4.0);
        entry(i % m < m - 1, i + 1, -1.0);
        entry(i + m < a.rows, i + m, -1.0);
    }
    return a;
}

/// -u'' on a line of n points: tridiagonal (-1, 2, -1).
inline io::coo<double> poisson_1d(index_t n)
{
    io::coo<double> a;
    a.rows = a.cols = n;
    for (index_t i = 0; i < n; ++i) {
        for (const index_t j : {i - 1, i, i + 1}) {
            if (j >= 0 && j < n) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(i == j ? 2.0 : -1.0);
            }
        }
    }
    return a;
}

/// Hilbert's matrix times a common denominator: integers, condition about exp(3.5 n).
inline io::coo<double> scaled_hilbert(index_t n)
{
    double denominator = 1.0;
    for (index_t k = 2; k < 2 * n; ++k) {
        double a = denominator, b = static_cast<double>(k);
        while (b != 0.0) {
            const double r = std::fmod(a, b);
            a = b;
            b = r;
        }
        denominator *= static_cast<double>(k) / a;
    }
    io::coo<double> m;
    m.rows = m.cols = n;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            m.row.push_back(i);
            m.col.push_back(j);
            m.value.push_back(denominator / static_cast<double>(i + j + 1));
        }
    }
    return m;
}

/// A as an operator of real_space, every operation rounded, row sums from left to right.
struct real_matrix {
    io::coo<double> a;

    void apply(const real_space& space, const std::vector<real>& x, std::vector<real>& y) const
    {
        space.fill(space.make_scalar(0.0), y);
        for (std::size_t k = 0; k < a.value.size(); ++k) {
            y[a.row[k]] += x[a.col[k]] * real(a.value[k]);
        }
    }
};

struct real_identity {
    void apply(const real_space& space, const std::vector<real>& x, std::vector<real>& y) const { space.copy(x, y); }
};

/// Division by the diagonal.
struct real_jacobi {
    std::vector<real> diagonal;

    explicit real_jacobi(const io::coo<double>& a) : diagonal(static_cast<std::size_t>(a.rows))
    {
        for (std::size_t k = 0; k < a.value.size(); ++k) {
            if (a.row[k] == a.col[k]) {
                diagonal[a.row[k]] = real(a.value[k]);
            }
        }
    }

    void apply(const real_space&, const std::vector<real>& x, std::vector<real>& y) const
    {
        for (std::size_t i = 0; i < x.size(); ++i) {
            y[i] = x[i] / diagonal[i];
        }
    }
};

/// max |x_i - 1|
inline real error_of_ones(const std::vector<real>& x)
{
    real largest(0.0);
    for (const real& each : x) {
        largest = max(largest, abs(each - real(1.0)));
    }
    return largest;
}

/// -log10 of max |x_i - y_i| / max |y_i|.
inline double agreeing_digits(const std::vector<real>& x, const std::vector<real>& y)
{
    real difference(0.0), size(0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        difference = max(difference, abs(x[i] - y[i]));
        size = max(size, abs(y[i]));
    }
    return is_zero(difference) ? 1e9 : -to_double(log10((difference / size).with_precision(64)));
}

}  // namespace residua::support
