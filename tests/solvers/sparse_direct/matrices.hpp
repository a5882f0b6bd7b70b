#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include <residua/solvers/precond/factors.hpp>

#include "tests/support/dense.hpp"
#include "tests/support/sparse.hpp"
#include "tests/support/systems.hpp"

namespace residua::support {

/// No zero on the diagonal that stays one, and pivots that have to wait.
inline sparse_matrix with_zeros(index_t n, std::uint32_t seed)
{
    io::coo<double> a = any_matrix(n, 4.0 / static_cast<double>(n), seed);
    std::mt19937_64 random(seed);
    for (std::size_t k = 0; k < a.value.size(); ++k) {
        a.value[k] = a.row[k] == a.col[k] && random() % 2 == 0 ? 0.0 : a.value[k];
    }
    return rows_of(a);
}

/// Blocks of random numbers, and rows and columns beside them.
inline sparse_matrix bordered_blocks(std::size_t blocks, std::size_t size, std::size_t border, bool symmetric,
                                     std::mt19937_64& random)
{
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    const std::size_t n = blocks * size + border;
    std::vector<std::vector<double>> a(n, std::vector<double>(n, 0.0));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const bool there = i / size == j / size || i >= blocks * size || j >= blocks * size;
            a[i][j] = there ? value(random) + (i == j ? static_cast<double>(n) / 4.0 : 0.0) : 0.0;
        }
    }
    for (std::size_t i = 0; i < n && symmetric; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            a[i][j] = a[j][i];
        }
    }
    return rows_of(from_rows(a));
}

/// A diagonal matrix: as many roots as rows.
inline sparse_matrix diagonal(std::int32_t n)
{
    sparse_matrix a{.rows = n, .cols = n, .row_begin = {0}, .column = {}, .values = {}};
    for (std::int32_t i = 0; i < n; ++i) {
        a.column.push_back(i);
        a.values.push_back(3.0 + i);
        a.row_begin.push_back(i + 1);
    }
    return a;
}

}  // namespace residua::support
