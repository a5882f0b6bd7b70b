#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <residua/solvers/precond/factors.hpp>

namespace residua::support {

/// Entries of a symmetric matrix, of either triangle.
struct symmetric_entries {
    index_t n = 0;
    std::map<std::pair<index_t, index_t>, double> value = {};

    void set(index_t i, index_t j, double x) { value[{i, j}] = value[{j, i}] = x; }

    sparse_matrix rows() const
    {
        sparse_matrix a{.rows = n, .cols = n};
        std::vector<index_t> row_begin(static_cast<std::size_t>(n) + 1, 0);
        for (const auto& [at, x] : value) {
            ++row_begin[at.first + 1];
            a.column.push_back(static_cast<std::int32_t>(at.second));
            a.values.push_back(x);
        }
        for (index_t i = 0; i < n; ++i) {
            row_begin[i + 1] += row_begin[i];
        }
        a.row_begin = std::move(row_begin);
        return a;
    }
};

class any_numbers {
public:
    explicit any_numbers(unsigned seed) : random_(seed) {}
    double number() { return std::uniform_real_distribution<double>(-1.0, 1.0)(random_); }
    bool chance(double share) { return std::uniform_real_distribution<double>(0.0, 1.0)(random_) < share; }
    index_t below(index_t n) { return static_cast<index_t>(random_() % static_cast<std::uint64_t>(n)); }

private:
    std::mt19937_64 random_;
};

/// Poisson's equation on a grid, less a shift.
inline sparse_matrix shifted_grid(index_t width, index_t height, double shift)
{
    symmetric_entries a{width * height};
    for (index_t y = 0; y < height; ++y) {
        for (index_t x = 0; x < width; ++x) {
            const index_t k = y * width + x;
            a.set(k, k, 4.0 - shift);
            if (x > 0) {
                a.set(k, k - 1, -1.0);
            }
            if (y > 0) {
                a.set(k, k - width, -1.0);
            }
        }
    }
    return a.rows();
}

/// [H, B'; B, 0] with a grid for H, and a B that has three entries in a row. Zeros first, so that they come early.
inline sparse_matrix saddle_point(index_t width, index_t constraints, unsigned seed)
{
    any_numbers random(seed);
    const sparse_matrix h = shifted_grid(width, width, -0.5);
    symmetric_entries a{h.rows + constraints};
    for (index_t i = 0; i < h.rows; ++i) {
        for (index_t p = h.row_begin[i]; p < h.row_begin[i + 1]; ++p) {
            a.set(constraints + i, constraints + h.column[p], h.values[p]);
        }
        a.set(constraints + i, constraints + i, 5.5 + random.number());
    }
    for (index_t c = 0; c < constraints; ++c) {
        for (int k = 0; k < 3; ++k) {
            a.set(c, constraints + (3 * c + k) % h.rows, 1.0 + random.number() / 2.0);
        }
        a.set(c, constraints + random.below(h.rows), random.number());
    }
    return a.rows();
}

/// Entries at random, zeros in most of the diagonal, and units that differ from row to row by powers of two.
inline sparse_matrix any_indefinite(index_t n, double share, int range, unsigned seed)
{
    any_numbers random(seed);
    std::vector<int> unit(static_cast<std::size_t>(n));
    std::generate(unit.begin(), unit.end(), [&] { return static_cast<int>(random.number() * range); });
    symmetric_entries a{n};
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j <= i; ++j) {
            // neighbours in pairs are there, so that the matrix is not structurally singular
            if (random.chance(i == j ? 0.3 : share) || (i % 2 == 1 && j == i - 1) || (i == j && i == n - 1)) {
                a.set(i, j, std::ldexp(random.number(), unit[i] + unit[j]));
            }
        }
    }
    return a.rows();
}

/// Symmetric, in places 2 x 2 pivots alone: zeros on the diagonal of a matrix of pairs and a few entries beside.
inline sparse_matrix zero_diagonal(index_t n, unsigned seed)
{
    any_numbers random(seed);
    symmetric_entries a{n};
    for (index_t i = 0; i + 1 < n; i += 2) {
        a.set(i, i + 1, 1.0 + std::abs(random.number()));
    }
    for (index_t k = 0; k < n; ++k) {
        const index_t i = random.below(n), j = random.below(n);
        if (i != j && i / 2 != j / 2) {
            a.set(i, j, random.number() / 4.0);
        }
    }
    return a.rows();
}

/// A diagonal of pairs [1, 2; 2, 4] and a last entry, whose leading pivots vanish if the diagonal is taken.
inline sparse_matrix pairs_of_both_kinds(index_t n)
{
    symmetric_entries a{n};
    for (index_t i = 0; i + 1 < n; i += 2) {
        a.set(i, i, i % 4 == 0 ? 0x1p-40 : 3.0);
        a.set(i + 1, i + 1, i % 4 == 0 ? -0x1p-30 : -1.0);
        a.set(i, i + 1, 1.0);
    }
    for (index_t i = 0; i + 7 < n; ++i) {
        a.set(i, i + 7, 0.125);
    }
    if (n % 2 == 1) {
        a.set(n - 1, n - 1, -5.0);
    }
    return a.rows();
}

}  // namespace residua::support
