#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <residua/solvers/precond/factors.hpp>
#include <residua/solvers/sparse_direct/ordering.hpp>

namespace residua::support {

using numbers = std::vector<std::int32_t>;

/// -Laplace's operator on a grid, and the central differences of a wind that blows along the first axis.
inline sparse_matrix grid(std::int32_t nx, std::int32_t ny, std::int32_t nz = 1, double wind = 0.0)
{
    sparse_matrix a;
    a.rows = a.cols = index_t{nx} * ny * nz;
    a.row_begin.push_back(0);
    const double diagonal = nz > 1 ? 6.0 : 4.0;
    for (std::int32_t z = 0; z < nz; ++z) {
        for (std::int32_t y = 0; y < ny; ++y) {
            for (std::int32_t x = 0; x < nx; ++x) {
                const std::int32_t at = (z * ny + y) * nx + x;
                const auto put = [&](bool there, std::int32_t j, double value) {
                    if (there) {
                        a.column.push_back(j);
                        a.values.push_back(value);
                    }
                };
                put(z > 0, at - nx * ny, -1.0);
                put(y > 0, at - nx, -1.0);
                put(x > 0, at - 1, -1.0 - wind);
                put(true, at, diagonal);
                put(x + 1 < nx, at + 1, -1.0 + wind);
                put(y + 1 < ny, at + nx, -1.0);
                put(z + 1 < nz, at + nx * ny, -1.0);
                a.row_begin.push_back(static_cast<index_t>(a.column.size()));
            }
        }
    }
    return a;
}

inline numbers random_order(index_t n, std::mt19937_64& random)
{
    numbers p(static_cast<std::size_t>(n));
    std::iota(p.begin(), p.end(), 0);
    for (std::size_t i = p.size(); i > 1; --i) {
        std::swap(p[i - 1], p[random() % i]);
    }
    return p;
}

inline bool is_permutation_of(index_t n, numbers p)
{
    std::sort(p.begin(), p.end());
    numbers all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    return p == all;
}

/// Row i of the result is row rows[i] of A, and column columns[j] of A its column j.
inline sparse_matrix permuted(const sparse_matrix& a, std::span<const std::int32_t> rows,
                              std::span<const std::int32_t> columns)
{
    numbers place(columns.size());
    for (std::size_t j = 0; j < columns.size(); ++j) {
        place[columns[j]] = static_cast<std::int32_t>(j);
    }
    sparse_matrix b{.rows = a.rows, .cols = a.rows, .row_begin = {0}, .column = {}, .values = {}};
    for (const std::int32_t i : rows) {
        std::vector<std::pair<std::int32_t, double>> row;
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            row.emplace_back(place[a.column[p]], a.values[p]);
        }
        std::sort(row.begin(), row.end());
        for (const auto& [column, value] : row) {
            b.column.push_back(column);
            b.values.push_back(value);
        }
        b.row_begin.push_back(static_cast<index_t>(b.column.size()));
    }
    return b;
}

/// The neighbours of each unknown.
using graph = std::vector<std::set<std::int32_t>>;

inline graph graph_of(const symmetric_pattern& pattern)
{
    graph g(static_cast<std::size_t>(pattern.n));
    for (index_t i = 0; i < pattern.n; ++i) {
        g[i].insert(pattern.neighbor.begin() + pattern.begin[i], pattern.neighbor.begin() + pattern.begin[i + 1]);
    }
    return g;
}

inline symmetric_pattern pattern_from(const graph& g)
{
    symmetric_pattern pattern{.n = static_cast<index_t>(g.size()), .begin = {0}, .neighbor = {}};
    for (const auto& neighbors : g) {
        pattern.neighbor.insert(pattern.neighbor.end(), neighbors.begin(), neighbors.end());
        pattern.begin.push_back(static_cast<index_t>(pattern.neighbor.size()));
    }
    return pattern;
}

inline graph random_graph(index_t n, double share, std::mt19937_64& random)
{
    graph g(static_cast<std::size_t>(n));
    std::uniform_real_distribution<double> chance(0.0, 1.0);
    for (std::int32_t i = 0; i < n; ++i) {
        for (std::int32_t j = 0; j < i; ++j) {
            if (chance(random) < share) {
                g[i].insert(j);
                g[j].insert(i);
            }
        }
    }
    return g;
}

/// The rows below the diagonal of each column of L, as places in the order of elimination: one unknown after the other
/// is taken out, and its neighbours become neighbours of each other.
inline graph columns_of_l(graph g, std::span<const std::int32_t> order)
{
    numbers place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        place[order[k]] = static_cast<std::int32_t>(k);
    }
    graph l(g.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        const std::set<std::int32_t> left = g[order[k]];
        for (const std::int32_t i : left) {
            l[k].insert(place[i]);
            g[i].insert(left.begin(), left.end());
            g[i].erase(i);
            g[i].erase(order[k]);
        }
    }
    return l;
}

inline index_t entries_of(const graph& l)
{
    return std::accumulate(l.begin(), l.end(), index_t{0},
                           [](index_t sum, const auto& column) { return sum + static_cast<index_t>(column.size()); });
}

}  // namespace residua::support
