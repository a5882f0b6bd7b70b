#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <residua/solvers/matrix/sparse_matrix.hpp>

/// Entries of a matrix between the processes that read them and those that have their rows.
namespace residua {

/// An entry on its way to who has its row.
struct placed_entry {
    std::int32_t row;  ///< from the first own one of who gets it
    std::int32_t column;
    double value;
};
using entry_lists = std::vector<std::vector<placed_entry>>;

/// The entries of own rows as they came from each process, in the order of the file, as rows with ascending columns.
///
/// on_sum  called with row and column of each entry that was added to an earlier one
template <class F>
sparse_matrix rows_of(std::vector<entry_lists>& came, index_t rows, index_t columns, const F& on_sum)
{
    std::vector<index_t> begin(static_cast<std::size_t>(rows) + 1, 0);
    for (const entry_lists& of_process : came) {
        for (const std::vector<placed_entry>& list : of_process) {
            for (const placed_entry& each : list) {
                ++begin[static_cast<std::size_t>(each.row) + 1];
            }
        }
    }
    for (std::size_t i = 1; i < begin.size(); ++i) {
        begin[i] += begin[i - 1];
    }
    std::vector<std::int32_t> column(static_cast<std::size_t>(begin.back()));
    std::vector<double> values(column.size());
    std::vector<index_t> next(begin.begin(), begin.end() - 1);
    for (entry_lists& of_process : came) {
        for (std::vector<placed_entry>& list : of_process) {
            for (const placed_entry& each : list) {
                const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(each.row)]++);
                column[at] = each.column;
                values[at] = each.value;
            }
            std::vector<placed_entry>().swap(list);
        }
    }
    std::vector<std::pair<std::int32_t, double>> row;
    index_t kept = 0;
    for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
        const index_t from = std::exchange(begin[i], kept), to = begin[i + 1];
        row.clear();
        for (index_t k = from; k < to; ++k) {
            row.emplace_back(column[static_cast<std::size_t>(k)], values[static_cast<std::size_t>(k)]);
        }
        const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
        if (!std::is_sorted(row.begin(), row.end(), before)) {
            std::stable_sort(row.begin(), row.end(), before);
        }
        for (const auto& [j, value] : row) {
            if (kept > begin[i] && column[static_cast<std::size_t>(kept) - 1] == j) {
                values[static_cast<std::size_t>(kept) - 1] += value;
                on_sum(static_cast<index_t>(i), static_cast<index_t>(j));
                continue;
            }
            column[static_cast<std::size_t>(kept)] = j;
            values[static_cast<std::size_t>(kept++)] = value;
        }
    }
    begin.back() = kept;
    column.resize(static_cast<std::size_t>(kept));
    values.resize(static_cast<std::size_t>(kept));
    return {.rows = rows,
            .cols = columns,
            .row_begin = std::move(begin),
            .column = std::move(column),
            .values = std::move(values)};
}

}  // namespace residua
