#include <residua/io/coo.hpp>

#include <algorithm>
#include <numeric>

namespace residua::io {

namespace {

std::size_t as_size(index_t i)
{
    return static_cast<std::size_t>(i);
}

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

/// One stable counting pass: `order` sorted by key[order[k]]; the keys lie in [0, buckets).
std::vector<index_t> counting_pass(const std::vector<index_t>& order, std::span<const index_t> key,
                                   index_t buckets)
{
    std::vector<index_t> place(as_size(buckets) + 1, 0);
    for (const index_t k : key) {
        ++place[as_size(k) + 1];
    }
    std::partial_sum(place.begin(), place.end(), place.begin());

    std::vector<index_t> sorted(order.size());
    for (const index_t entry : order) {
        sorted[as_size(place[as_size(key[as_size(entry)])]++)] = entry;
    }
    return sorted;
}

}  // namespace

std::vector<index_t> row_major_order(index_t rows, index_t cols, std::span<const index_t> row,
                                     std::span<const index_t> col)
{
    if (is_sorted(row, col)) {
        return {};
    }
    std::vector<index_t> order(row.size());
    std::iota(order.begin(), order.end(), index_t{0});

    // Counting needs memory for every row and column: only where the entries justify that.
    const index_t affordable = 4 * static_cast<index_t>(row.size());
    const bool by_columns = is_sorted(col, row);
    if (rows <= affordable && (by_columns || cols <= affordable)) {
        if (!by_columns) {
            order = counting_pass(order, col, cols);
        }
        return counting_pass(order, row, rows);
    }
    std::stable_sort(order.begin(), order.end(), [&](index_t left, index_t right) {
        const std::size_t l = as_size(left);
        const std::size_t r = as_size(right);
        return row[l] != row[r] ? row[l] < row[r] : col[l] < col[r];
    });
    return order;
}

std::vector<index_t> distinct_positions(std::span<const index_t> row, std::span<const index_t> col)
{
    const auto repeats = [&](std::size_t k) {
        return k > 0 && row[k] == row[k - 1] && col[k] == col[k - 1];
    };
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

std::vector<index_t> outside(std::span<const index_t> begin, index_t size,
                             std::span<const index_t> order)
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
