#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <residua/solvers/matrix/matching.hpp>

#include "biased_random.hpp"

namespace residua::support {

using dense = std::vector<std::vector<double>>;
using order = std::vector<std::int32_t>;

/// What dense_rows() leaves out; zeros are stored.
constexpr double absent = -77.0;

inline sparse_matrix dense_rows(const dense& d)
{
    sparse_matrix a;
    a.rows = a.cols = static_cast<index_t>(d.size());
    a.row_begin.push_back(0);
    for (const std::vector<double>& row : d) {
        for (std::size_t j = 0; j < row.size(); ++j) {
            if (row[j] != absent) {
                a.column.push_back(static_cast<std::int32_t>(j));
                a.values.push_back(row[j]);
            }
        }
        a.row_begin.push_back(static_cast<index_t>(a.column.size()));
    }
    return a;
}

/// Entries on one in `sparsity` of the places, one in eight of them a stored zero, others by make(i, j).
template <class Make>
sparse_matrix random_sparse(biased_random& random, index_t n, int sparsity, const Make& make)
{
    sparse_matrix a;
    a.rows = a.cols = n;
    a.row_begin.push_back(0);
    for (std::int32_t i = 0; i < n; ++i) {
        for (std::int32_t j = 0; j < n; ++j) {
            if (random.one_in(sparsity)) {
                a.column.push_back(j);
                a.values.push_back(random.one_in(8) ? 0.0 : make(i, j));
            }
        }
        a.row_begin.push_back(static_cast<index_t>(a.column.size()));
    }
    return a;
}

inline order random_order(biased_random& random, index_t n)
{
    order p(static_cast<std::size_t>(n));
    std::iota(p.begin(), p.end(), 0);
    for (std::int32_t i = static_cast<std::int32_t>(n) - 1; i > 0; --i) {
        std::swap(p[i], p[random.integer(0, i)]);
    }
    return p;
}

/// Rows of columns; -1 are not counted.
inline order sorted_rows(const order& row_of_column)
{
    order rows;
    std::copy_if(row_of_column.begin(), row_of_column.end(), std::back_inserter(rows), [](auto i) { return i >= 0; });
    std::sort(rows.begin(), rows.end());
    return rows;
}

/// log2 |x|, off by 2^-54 at most.
inline long double log2_of(double x) { return std::log2(std::abs(static_cast<long double>(x))); }

/// log2 of the product of the matched entries.
inline long double log2_product(const sparse_matrix& a, const order& row_of_column)
{
    long double sum = 0.0L;
    for (std::int32_t i = 0; i < a.rows; ++i) {
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            sum += row_of_column[a.column[p]] == i ? log2_of(a.values[p]) : 0.0L;
        }
    }
    return sum;
}

/// How far log2 of the product may be from the largest, by the contract.
inline long double product_bound(index_t n)
{
    int bits = 0;
    while ((n >> bits) != 0) {
        ++bits;
    }
    return 1.001L * static_cast<long double>(n) * std::ldexp(1.0L, -std::min(40, 47 - bits));
}

/// By all permutations: the columns that can be matched, and the largest product of as many entries, in the rows and
/// columns of the matching.
struct best_of_all {
    index_t size = 0;
    long double log2_product = 0.0L;
};

inline best_of_all try_all(const sparse_matrix& a, const order& row_of_column)
{
    const auto n = static_cast<std::size_t>(a.rows);
    dense d(n, std::vector<double>(n, 0.0));
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            d[i][a.column[p]] = a.values[p];
        }
    }
    std::vector<char> in_row(n, 0);
    for (const std::int32_t i : row_of_column) {
        if (i >= 0) {
            in_row[i] = 1;
        }
    }
    best_of_all best{.size = 0, .log2_product = -std::numeric_limits<long double>::infinity()};
    order p(n);
    std::iota(p.begin(), p.end(), 0);
    do {
        index_t size = 0;
        bool same = true;
        long double sum = 0.0L;
        for (std::size_t j = 0; j < n; ++j) {
            const double x = d[p[j]][j];
            size += x != 0.0 ? 1 : 0;
            same = same && (row_of_column[j] >= 0) == (x != 0.0) && (x == 0.0 || in_row[p[j]]);
            sum += x != 0.0 ? log2_of(x) : 0.0L;
        }
        best.size = std::max(best.size, size);
        best.log2_product = same ? std::max(best.log2_product, sum) : best.log2_product;
    } while (std::next_permutation(p.begin(), p.end()));
    return best;
}

/// Rows that are matched twice, entries that are not there, a wrong size, and scaled entries out of their bounds.
inline void expect_contract(const sparse_matrix& a, const row_matching& m, double largest = 2.0, double least = 0.5)
{
    const auto n = static_cast<std::size_t>(a.rows);
    ASSERT_EQ(m.row_of_column.size(), n);
    ASSERT_EQ(m.row_exponent.size(), n);
    ASSERT_EQ(m.column_exponent.size(), n);
    const order rows = sorted_rows(m.row_of_column);
    EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
    EXPECT_EQ(static_cast<index_t>(rows.size()), m.size);

    index_t found = 0;
    std::vector<double> row_largest(n, 0.0), column_largest(n, 0.0);
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
            const std::int32_t j = a.column[p];
            // one power of two: exact, unless it is far below 1
            const double size = std::abs(std::ldexp(a.values[p], m.row_exponent[i] + m.column_exponent[j]));
            EXPECT_LT(size, largest) << i << ' ' << j;
            if (m.row_of_column[j] == i && a.values[p] != 0.0) {
                ++found;
                EXPECT_GT(size, least) << i << ' ' << j;
            }
            row_largest[i] = std::max(row_largest[i], size);
            column_largest[j] = std::max(column_largest[j], size);
        }
    }
    EXPECT_EQ(found, m.size);
    const auto any_entry = [&](auto&& chosen) {
        for (index_t i = 0; i < a.rows; ++i) {
            for (index_t p = a.row_begin[i]; p < a.row_begin[i + 1]; ++p) {
                if (a.values[p] != 0.0 && chosen(i, a.column[p])) {
                    return true;
                }
            }
        }
        return false;
    };
    for (index_t k = 0; k < a.rows; ++k) {
        if (row_largest[k] <= least) {
            EXPECT_FALSE(any_entry([&](index_t i, index_t) { return i == k; })) << "row " << k;
            EXPECT_EQ(m.row_exponent[k], 0);
        }
        if (column_largest[k] <= least) {
            EXPECT_FALSE(any_entry([&](index_t, index_t j) { return j == k; })) << "column " << k;
            EXPECT_EQ(m.column_exponent[k], 0);
        }
    }
}

/// Powers of two: scaled entries are at most 1, and matched ones are 1.
inline void expect_contract_of_powers(const sparse_matrix& a, const row_matching& m)
{
    expect_contract(a, m, std::nextafter(1.0, 2.0), std::nextafter(1.0, 0.0));
}

}  // namespace residua::support
