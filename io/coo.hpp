#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/io/error.hpp>
#include <residua/io/parallel.hpp>

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
///
/// throws  error if there is no sum of T
template <class T>
void sum_runs(std::vector<T>& values, std::span<const index_t> begin)
{
    if constexpr (!requires(const T& x) { T(x + x); }) {
        throw error("a position stands twice in the file, and such values are not added");
    } else {
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
}

/// Whether the entries are so numerous that arrays with an element for each row cost little beside them.
inline bool justify_rows(index_t rows, std::size_t entries) { return rows / 4 <= static_cast<index_t>(entries); }

/// Where each row begins among `row.size()` entries sorted by row, and at last their number; 0 <= row[k] < rows.
std::vector<index_t> row_beginnings(index_t rows, std::span<const index_t> row);

/// The first rows of ranges with about as many entries each, one for each thread, and at last the number of rows.
std::vector<index_t> cut_rows(std::span<const index_t> begin);

/// Sorts the entries from `first` on in one row by column; stable.
template <class T>
void sort_row(std::span<index_t> col, std::span<T> value)
{
    constexpr std::size_t few = 32;
    const std::size_t size = col.size();
    if (size <= few) {
        for (std::size_t k = 1; k < size; ++k) {
            const index_t c = col[k];
            const T v = value[k];
            std::size_t at = k;
            for (; at > 0 && c < col[at - 1]; --at) {
                col[at] = col[at - 1];
                value[at] = value[at - 1];
            }
            col[at] = c;
            value[at] = v;
        }
        return;
    }
    if (std::is_sorted(col.begin(), col.end())) {
        return;
    }
    std::vector<std::pair<index_t, T>> entries(size);
    for (std::size_t k = 0; k < size; ++k) {
        entries[k] = {col[k], value[k]};
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& left, const auto& right) { return left.first < right.first; });
    for (std::size_t k = 0; k < size; ++k) {
        std::tie(col[k], value[k]) = entries[k];
    }
}

/// Puts the entries in the rows from `first` on to where these begin, each row in the order given. First they go to groups of
/// rows, few enough to write to all of them at once, and then from each group to its rows, which the cache holds.
///
/// end     where the last of the rows ends
/// next    where the rows begin; on return, where they end
template <class T>
void scatter(const coo<T>& a, index_t first, index_t end, std::vector<index_t>& next, std::vector<index_t>& col,
             std::vector<T>& value)
{
    constexpr std::uint64_t most_groups = 256;
    struct record {
        std::uint64_t row;
        index_t col;
        T value;
    };
    if (next.empty()) {
        return;
    }
    const std::uint64_t rows = next.size();
    const index_t offset = next.front();
    const auto size = static_cast<std::size_t>(end - offset);
    int shift = 0;
    while (rows >> shift >= most_groups) {
        ++shift;
    }
    std::vector<index_t> group;
    for (std::uint64_t row = 0; row < rows; row += std::uint64_t{1} << shift) {
        group.push_back(next[row] - offset);
    }
    const std::unique_ptr<record[]> grouped(new record[size]);  // not set
    expect_filling(grouped.get(), size * sizeof(record));
    for (std::size_t k = 0; k < a.row.size(); ++k) {
        const auto row = static_cast<std::uint64_t>(a.row[k] - first);
        if (row < rows) {
            grouped[static_cast<std::size_t>(group[row >> shift]++)] = {row, a.col[k], a.value[k]};
        }
    }
    for (std::size_t k = 0; k < size; ++k) {
        const auto place = static_cast<std::size_t>(next[grouped[k].row]++);
        col[place] = grouped[k].col;
        value[place] = grouped[k].value;
    }
}

/// Sorts by row, then column, where no position comes twice; otherwise nothing happens.
///
/// cost     O(n) and for every row a sort of its entries, on several threads; memory for the entries twice more
/// returns  whether no position comes twice
template <class T>
bool sort_distinct(coo<T>& a)
{
    const std::vector<index_t> begin = row_beginnings(a.rows, a.row);
    const std::vector<index_t> ranges = cut_rows(begin);
    std::vector<index_t> col;
    std::vector<T> value;
    const auto make_room = [&](auto& numbers) {
        numbers.reserve(a.row.size());
        expect_filling(numbers.data(), a.row.size() * sizeof(numbers[0]));
        numbers.resize(a.row.size());
    };
    make_room(col);
    make_room(value);
    std::atomic<bool> distinct{true};
    for_each_task(static_cast<index_t>(ranges.size()) - 1, [&](index_t range) {
        const index_t first = ranges[static_cast<std::size_t>(range)];
        const auto rows = static_cast<std::uint64_t>(ranges[static_cast<std::size_t>(range) + 1] - first);
        std::vector<index_t> next(begin.begin() + first, begin.begin() + first + static_cast<index_t>(rows));
        scatter(a, first, begin[static_cast<std::size_t>(first) + rows], next, col, value);
        for (std::size_t row = 0; row < rows; ++row) {
            const auto from = static_cast<std::size_t>(begin[static_cast<std::size_t>(first) + row]);
            const auto size = static_cast<std::size_t>(next[row]) - from;
            const std::span<index_t> columns(col.data() + from, size);
            sort_row(columns, std::span<T>(value.data() + from, size));
            if (std::adjacent_find(columns.begin(), columns.end()) != columns.end()) {
                distinct = false;
                return;
            }
        }
    });
    if (!distinct) {
        return false;
    }
    for_each_task(static_cast<index_t>(ranges.size()) - 1, [&](index_t range) {
        for (index_t row = ranges[static_cast<std::size_t>(range)]; row < ranges[static_cast<std::size_t>(range) + 1];
             ++row) {
            std::fill(a.row.begin() + begin[static_cast<std::size_t>(row)],
                      a.row.begin() + begin[static_cast<std::size_t>(row) + 1], row);
        }
    });
    a.col = std::move(col);
    a.value = std::move(value);
    return true;
}

}  // namespace detail

/// Whether the entries are sorted by row, then column, and no position comes twice.
bool is_row_major(std::span<const index_t> row, std::span<const index_t> col);

/// Sorts by row, then column, and sums entries at the same position.
///
/// shapes   value, and each of `more`, as long as row and col
/// order    a sum runs from left to right over its entries in the order given
/// throws   error if a position comes twice and T has no +
/// returns  the entries that were added to an earlier one, by their places before sorting, ascending
template <class T, class... More>
std::vector<index_t> sort_and_sum(coo<T>& a, std::vector<More>&... more)
{
    if (is_row_major(a.row, a.col)) {
        return {};
    }
    if constexpr (std::is_trivially_copyable_v<T> && std::default_initializable<T> && sizeof...(More) == 0) {
        if (detail::justify_rows(a.rows, a.row.size()) && detail::sort_distinct(a)) {
            return {};
        }
    }
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
///
/// cost  O(n) and memory for every row, or for every entry if rows are many; little if A's rows soon differ from its columns
template <class T>
bool is_symmetric(const coo<T>& a)
{
    if (a.rows != a.cols) {
        return false;
    }
    const std::size_t size = a.row.size();
    const auto mirrored = [&](std::size_t k, std::size_t t) {
        return a.row[k] == a.col[t] && a.col[k] == a.row[t] && a.value[k] == a.value[t];
    };
    if (!detail::justify_rows(a.rows, size)) {
        // Row-major order of the transpose: position k of it must hold entry k of A.
        const std::vector<index_t> order = row_major_order(a.cols, a.col, a.row);
        for (std::size_t k = 0; k < size; ++k) {
            if (!mirrored(k, order.empty() ? k : static_cast<std::size_t>(order[k]))) {
                return false;
            }
        }
        return true;
    }
    // The rows one after the other meet the entries of each column, too, in the order of row-major entries.
    std::vector<index_t> next = detail::row_beginnings(a.rows, a.row);
    for (std::size_t k = 0; k < size; ++k) {
        const auto t = static_cast<std::size_t>(next[static_cast<std::size_t>(a.col[k])]++);
        if (t >= size || !mirrored(k, t)) {
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
