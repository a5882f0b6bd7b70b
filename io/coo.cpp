#include <residua/io/coo.hpp>

#include <algorithm>
#include <numeric>

namespace residua::io {

namespace {

std::size_t as_size(index_t i) { return static_cast<std::size_t>(i); }

/// Whether (major, minor) never decreases.
bool is_sorted(std::span<const index_t> major, std::span<const index_t> minor)
{
    for (std::size_t k = 1; k < major.size(); ++k) {
        if (major[k] < major[k - 1] || (major[k] == major[k - 1] && minor[k] < minor[k - 1])) {
            return false;
        }
    }
    return true;
}

/// Entries bucketed by row, each bucket in the order given; the rows lie in [0, rows).
///
/// returns  where each row begins in `order`, and at last the number of entries
std::vector<index_t> bucket_by_row(index_t rows, std::span<const index_t> row, std::vector<index_t>& order)
{
    std::vector<index_t> begin(as_size(rows) + 1, 0);
    for (const index_t r : row) {
        ++begin[as_size(r)];
    }
    // First begin[r] is the end of row r; filled from the back it becomes its beginning.
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    order.resize(row.size());
    for (std::size_t k = row.size(); k > 0; --k) {
        order[as_size(--begin[as_size(row[k - 1])])] = static_cast<index_t>(k - 1);
    }
    return begin;
}

}  // namespace

std::vector<index_t> row_major_order(index_t rows, std::span<const index_t> row, std::span<const index_t> col)
{
    if (is_sorted(row, col)) {
        return {};
    }
    std::vector<index_t> order;
    const auto by_column = [&](index_t left, index_t right) { return col[as_size(left)] < col[as_size(right)]; };
    // Buckets need memory for every row: only where the entries justify that.
    if (rows / 4 <= static_cast<index_t>(row.size())) {
        const std::vector<index_t> begin = bucket_by_row(rows, row, order);
        for (std::size_t r = 0; r < as_size(rows); ++r) {
            const auto first = order.begin() + begin[r];
            const auto last = order.begin() + begin[r + 1];
            if (!std::is_sorted(first, last, by_column)) {
                std::stable_sort(first, last, by_column);
            }
        }
        return order;
    }
    order.resize(row.size());
    std::iota(order.begin(), order.end(), index_t{0});
    std::stable_sort(order.begin(), order.end(), [&](index_t left, index_t right) {
        const index_t l = row[as_size(left)];
        const index_t r = row[as_size(right)];
        return l < r || (l == r && by_column(left, right));
    });
    return order;
}

std::vector<index_t> distinct_positions(std::span<const index_t> row, std::span<const index_t> col)
{
    const auto repeats = [&](std::size_t k) { return k > 0 && row[k] == row[k - 1] && col[k] == col[k - 1]; };
    std::size_t k = 0;
    while (k < row.size() && !repeats(k)) {
        ++k;
    }
    if (k == row.size()) {
        return {};
    }
    std::vector<index_t> begin;
    begin.reserve(row.size());
    for (k = 0; k < row.size(); ++k) {
        if (!repeats(k)) {
            begin.push_back(static_cast<index_t>(k));
        }
    }
    return begin;
}

namespace detail {

void keep_first(std::vector<index_t>& values, std::span<const index_t> begin)
{
    for (std::size_t run = 0; run < begin.size(); ++run) {
        values[run] = values[as_size(begin[run])];
    }
    values.resize(begin.size());
}

std::vector<index_t> outside(std::span<const index_t> begin, index_t size, std::span<const index_t> order)
{
    std::vector<index_t> places;
    std::size_t run = 0;
    for (index_t k = 0; k < size; ++k) {
        if (run < begin.size() && begin[run] == k) {
            ++run;
        } else {
            places.push_back(order.empty() ? k : order[as_size(k)]);
        }
    }
    std::sort(places.begin(), places.end());
    return places;
}

}  // namespace detail

}  // namespace residua::io
