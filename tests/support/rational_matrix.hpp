#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <gmpxx.h>

#include <residua/arith/base/random.hpp>
#include <residua/solvers/matrix/make_system.hpp>

/// Small systems in exact rational arithmetic.
namespace residua::support {

using rational_matrix = std::vector<std::vector<mpq_class>>;
using rational_vector = std::vector<mpq_class>;

/// The reduced row echelon form, and the columns of its pivots.
inline std::vector<std::size_t> reduce(rational_matrix& a)
{
    std::vector<std::size_t> pivots;
    const std::size_t columns = a.empty() ? 0 : a.front().size();
    for (std::size_t j = 0; j < columns && pivots.size() < a.size(); ++j) {
        const std::size_t k = pivots.size();
        const auto row = std::find_if(a.begin() + static_cast<std::ptrdiff_t>(k), a.end(),
                                      [&](const rational_vector& r) { return r[j] != 0; });
        if (row == a.end()) {
            continue;
        }
        std::swap(*row, a[k]);
        const mpq_class pivot = a[k][j];
        for (mpq_class& x : a[k]) {
            x /= pivot;
        }
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (const mpq_class factor = a[i][j]; i != k && factor != 0) {
                for (std::size_t l = j; l < columns; ++l) {
                    a[i][l] -= factor * a[k][l];
                }
            }
        }
        pivots.push_back(j);
    }
    return pivots;
}

/// X of A X = B, A not singular.
inline rational_matrix solved(rational_matrix a, const rational_matrix& b)
{
    const std::size_t n = a.size();
    for (std::size_t i = 0; i < n; ++i) {
        a[i].insert(a[i].end(), b[i].begin(), b[i].end());
    }
    reduce(a);
    for (rational_vector& row : a) {
        row.erase(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n));
    }
    return a;
}

inline rational_matrix transposed(const rational_matrix& a)
{
    rational_matrix t(a.empty() ? 0 : a.front().size(), rational_vector(a.size()));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a[i].size(); ++j) {
            t[j][i] = a[i][j];
        }
    }
    return t;
}

inline rational_matrix product(const rational_matrix& a, const rational_matrix& b)
{
    rational_matrix c(a.size(), rational_vector(b.empty() ? 0 : b.front().size()));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t k = 0; k < b.size(); ++k) {
            for (std::size_t j = 0; j < b[k].size(); ++j) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    return c;
}

/// What exact arithmetic says of A x = b.
struct judgement {
    std::size_t rank = 0;
    bool in_range = false;
    rational_vector x;  ///< the shortest of those that make ||b - A x|| least
};

inline judgement judge_exactly(const rational_matrix& a, const rational_vector& b)
{
    judgement truth;
    rational_matrix rows = a;
    const std::vector<std::size_t> pivots = reduce(rows);
    truth.rank = pivots.size();
    rational_matrix both = a;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both[i].push_back(b[i]);
    }
    truth.in_range = reduce(both).size() == truth.rank;
    truth.x.assign(a.front().size(), 0);
    if (truth.rank == 0) {
        return truth;
    }
    rational_matrix c;  // A = C F of full rank
    for (const rational_vector& row : a) {
        rational_vector& of = c.emplace_back();
        for (const std::size_t j : pivots) {
            of.push_back(row[j]);
        }
    }
    rows.resize(truth.rank);
    rational_matrix right(b.size(), rational_vector(1));
    for (std::size_t i = 0; i < b.size(); ++i) {
        right[i][0] = b[i];
    }
    const rational_matrix ct = transposed(c);
    const rational_matrix y = solved(product(ct, c), product(ct, right));
    const rational_matrix x = product(transposed(rows), solved(product(rows, transposed(rows)), y));
    for (std::size_t j = 0; j < x.size(); ++j) {
        truth.x[j] = x[j][0];
    }
    return truth;
}

inline real to_real(const mpq_class& x, long bits)
{
    real value(0.0, bits);
    mpfr_set_q(value.mpfr(), x.get_mpq_t(), MPFR_RNDN);
    return value;
}

/// ||x - x*||_inf / ||x*||_inf; 0 where both are zero.
inline double relative_error(const std::vector<real>& x, const rational_vector& truth)
{
    constexpr long bits = 2000;
    real error(0.0, bits);
    real size(0.0, bits);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const real exact = to_real(truth[i], bits);
        error = max(error, abs(x[i].with_precision(bits) - exact));
        size = max(size, abs(exact));
    }
    return is_zero(error) ? 0.0 : to_double(error / size);
}

inline linear_system system_of(const rational_matrix& a, const rational_vector& b)
{
    io::coo<double> entries;
    entries.rows = static_cast<index_t>(a.size());
    entries.cols = static_cast<index_t>(a.front().size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a[i].size(); ++j) {
            if (a[i][j] != 0) {
                entries.row.push_back(static_cast<index_t>(i));
                entries.col.push_back(static_cast<index_t>(j));
                entries.value.push_back(a[i][j].get_d());
            }
        }
    }
    std::vector<real> right;
    for (const mpq_class& x : b) {
        right.push_back(to_real(x, 64));
    }
    return make_system(entries, std::move(right));
}

struct random_integers {
    splitmix64 next;

    int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
    rational_matrix matrix(std::size_t rows, std::size_t columns, int most, int zeros)
    {
        rational_matrix a(rows, rational_vector(columns));
        for (rational_vector& row : a) {
            for (mpq_class& x : row) {
                x = below(10) < zeros ? 0 : below(2 * most + 1) - most;
            }
        }
        return a;
    }
};

/// The Laplacian of edges between n vertices, with weights.
inline rational_matrix laplacian(std::size_t n, const std::vector<std::pair<std::size_t, std::size_t>>& edges)
{
    rational_matrix a(n, rational_vector(n));
    int weight = 1;
    for (const auto& [i, j] : edges) {
        a[i][i] += weight;
        a[j][j] += weight;
        a[i][j] -= weight;
        a[j][i] -= weight;
        weight = weight % 3 + 1;
    }
    return a;
}

}  // namespace residua::support
