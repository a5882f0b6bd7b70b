#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <residua/io/error.hpp>

namespace residua::io {

/// A sparse matrix as coordinates: entry k is value[k] at (row[k], col[k]), counted from 0.
///
/// What the library hands out and expects: entries sorted by row, then column, no position twice.
/// Explicit zeros are entries like others.
template <class T>
struct coo {
    index_t rows = 0;
    index_t cols = 0;
    std::vector<index_t> row;
    std::vector<index_t> col;
    std::vector<T> value;

    index_t size() const { return static_cast<index_t>(row.size()); }
};

/// The order of entries by row, then column: entry order[k] comes k-th.
///
/// shapes   row, col of one size; 0 <= row[k] < rows
/// order    stable: entries at the same position stay in the order given
/// cost     O(n) for n entries sorted by rows or by columns, also when interleaved with their
///          mirror images; else O(n log m) for at most m entries a row; O(n log n) if rows > 4 n
/// returns  an empty vector if the entries are in order already
std::vector<index_t> row_major_order(index_t rows, std::span<const index_t> row, std::span<const index_t> col);

/// Where runs of equal positions begin, in entries that are in row-major order.
///
/// returns  an empty vector if no position comes twice
std::vector<index_t> distinct_positions(std::span<const index_t> row, std::span<const index_t> col);

namespace detail {

/// values[k] <- values[order[k]]
template <class T>
void permute(std::vector<T>& values, std::span<const index_t> order)
{
    std::vector<T> permuted;
    permuted.reserve(order.size());
    for (const index_t k : order) {
        permuted.push_back(std::move(values[static_cast<std::size_t>(k)]));
    }
    values = std::move(permuted);
}

/// Keeps the first value of each run.
void keep_first(std::vector<index_t>& values, std::span<const index_t> begin);

/// The places before sorting of the entries that begin no run, ascending.
std::vector<index_t> outside(std::span<const index_t> begin, index_t size, std::span<const index_t> order);

/// Sums each run from left to right.
template <class T>
void sum_runs(std::vector<T>& values, std::span<const index_t> begin)
{
    std::size_t kept = 0;
    for (std::size_t run = 0; run < begin.size(); ++run) {
        const std::size_t first = static_cast<std::size_t>(begin[run]);
        const std::size_t last = run + 1 < begin.size() ? static_cast<std::size_t>(begin[run + 1]) : values.size();
        T sum = std::move(values[first]);
        for (std::size_t k = first + 1; k < last; ++k) {
            sum = sum + values[k];
        }
        values[kept++] = std::move(sum);
    }
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(kept), values.end());
}

}  // namespace detail

/// Sorts by row, then column, and sums entries at the same position.
///
/// shapes   value, and each of `more`, as long as row and col
/// order    a sum runs from left to right over its entries in the order given
/// returns  the entries that were added to an earlier one, by their places before sorting, ascending
template <class T, class... More>
std::vector<index_t> sort_and_sum(coo<T>& a, std::vector<More>&... more)
{
    const std::vector<index_t> order = row_major_order(a.rows, a.row, a.col);
    if (!order.empty()) {
        detail::permute(a.row, order);
        detail::permute(a.col, order);
        detail::permute(a.value, order);
        (detail::permute(more, order), ...);
    }
    const std::vector<index_t> begin = distinct_positions(a.row, a.col);
    if (begin.empty()) {
        return {};
    }
    std::vector<index_t> repeated = detail::outside(begin, a.size(), order);
    detail::keep_first(a.row, begin);
    detail::keep_first(a.col, begin);
    detail::sum_runs(a.value, begin);
    (detail::sum_runs(more, begin), ...);
    return repeated;
}

/// Whether A equals its transpose, explicit zeros and all: a stored entry has a stored mirror image.
template <class T>
bool is_symmetric(const coo<T>& a)
{
    if (a.rows != a.cols) {
        return false;
    }
    // Row-major order of the transpose: position k of it must hold entry k of A.
    const std::vector<index_t> order = row_major_order(a.cols, a.col, a.row);
    for (std::size_t k = 0; k < a.row.size(); ++k) {
        const std::size_t t = order.empty() ? k : static_cast<std::size_t>(order[k]);
        if (a.row[k] != a.col[t] || a.col[k] != a.row[t] || !(a.value[k] == a.value[t])) {
            return false;
        }
    }
    return true;
}

/// The entries on and below the diagonal: what a symmetric MatrixMarket file stores.
template <class T>
coo<T> lower_triangle(const coo<T>& a)
{
    coo<T> lower{a.rows, a.cols, {}, {}, {}};
    for (std::size_t k = 0; k < a.row.size(); ++k) {
        if (a.row[k] >= a.col[k]) {
            lower.row.push_back(a.row[k]);
            lower.col.push_back(a.col[k]);
            lower.value.push_back(a.value[k]);
        }
    }
    return lower;
}

}  // namespace residua::io
