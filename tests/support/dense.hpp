#pragma once

#include <cmath>
#include <random>
#include <vector>

#include <residua/solvers/precond/factors.hpp>

#include "systems.hpp"

namespace residua::support {

using dense = std::vector<std::vector<double>>;

/// The entries of a sparse matrix, and zeros.
inline dense to_dense(const sparse_matrix& a)
{
    dense d(static_cast<std::size_t>(a.rows), std::vector<double>(static_cast<std::size_t>(a.cols), 0.0));
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k) {
            d[i][a.column[k]] = a.values[k];
        }
    }
    return d;
}

inline dense multiply(const dense& a, const dense& b)
{
    dense c(a.size(), std::vector<double>(a.size(), 0.0));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t k = 0; k < a.size(); ++k) {
            for (std::size_t j = 0; j < a.size(); ++j) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    return c;
}

/// Entries of very different sizes, of which `share` are stored, and the diagonal.
inline io::coo<double> any_matrix(index_t n, double share, unsigned seed)
{
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> entry(-1.0, 1.0), chance(0.0, 1.0);
    std::uniform_int_distribution<int> exponent(-12, 0);
    io::coo<double> a;
    a.rows = a.cols = n;
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            if (i == j || chance(random) < share) {
                a.row.push_back(i);
                a.col.push_back(j);
                a.value.push_back(std::ldexp(entry(random), exponent(random)));
            }
        }
    }
    return a;
}

/// A with random entries on the given share of the positions and a full diagonal.
inline sparse_matrix random_rows(index_t n, double share, bool symmetric, unsigned seed)
{
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> value(-1.0, 1.0), chance(0.0, 1.0);
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n),
                                          std::vector<double>(static_cast<std::size_t>(n), 0.0));
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j < n; ++j) {
            if (chance(random) < share) {
                rows[i][j] = value(random);
            }
        }
    }
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; symmetric && j < i; ++j) {
            rows[i][j] = rows[j][i];
        }
        rows[i][i] = symmetric ? static_cast<double>(n) : 2.0 + value(random);
    }
    return rows_of(from_rows(rows));
}

}  // namespace residua::support
