#include <residua/io/coo.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>

#include <residua/io/parallel.hpp>

namespace residua::io {

namespace {

std::size_t as_size(index_t i) { return static_cast<std::size_t>(i); }

/// Whether (major, minor) never decreases, or with `strictly` always increases.
bool is_sorted(std::span<const index_t> major, std::span<const index_t> minor, bool strictly)
{
    constexpr std::size_t block = std::size_t{1} << 20;
    const std::size_t size = major.size();
    std::atomic<bool> sorted{true};
    for_each_task(static_cast<index_t>((size + block - 1) / block), [&](index_t which) {
        const std::size_t first = std::max(static_cast<std::size_t>(which) * block, std::size_t{1});
        const std::size_t last = std::min(static_cast<std::size_t>(which) * block + block, size);
        for (std::size_t k = first; k < last && sorted; ++k) {
            if (major[k] < major[k - 1] ||
                (major[k] == major[k - 1] && (minor[k] < minor[k - 1] || (strictly && minor[k] == minor[k - 1])))) {
                sorted = false;
            }
        }
    });
    return sorted;
}

/// Entries bucketed by row, each bucket in the order given; the rows lie in [0, rows).
///
/// returns  where each row begins in `order`, and at last the number of entries
std::vector<index_t> bucket_by_row(index_t rows, std::span<const index_t> row, std::vector<index_t>& order)
{
    std::vector<index_t> begin = detail::row_beginnings(rows, row);
    std::vector<index_t> next(begin.begin(), begin.end() - 1);
    order.resize(row.size());
    for (std::size_t k = 0; k < row.size(); ++k) {
        order[as_size(next[as_size(row[k])]++)] = static_cast<index_t>(k);
    }
    return begin;
}

}  // namespace

bool is_row_major(std::span<const index_t> row, std::span<const index_t> col) { return is_sorted(row, col, true); }

std::vector<index_t> row_major_order(index_t rows, std::span<const index_t> row, std::span<const index_t> col)
{
    if (is_sorted(row, col, false)) {
        return {};
    }
    std::vector<index_t> order;
    const auto by_column = [&](index_t left, index_t right) { return col[as_size(left)] < col[as_size(right)]; };
    // Buckets need memory for every row: only where the entries justify that.
    if (detail::justify_rows(rows, row.size())) {
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

std::vector<index_t> row_beginnings(index_t rows, std::span<const index_t> row)
{
    std::vector<index_t> begin(as_size(rows) + 1, 0);
    for (const index_t r : row) {
        ++begin[as_size(r) + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    return begin;
}

std::vector<index_t> cut_rows(std::span<const index_t> begin)
{
    constexpr index_t least_entries = 1 << 16;
    const index_t entries = begin.back();
    const index_t ranges = std::clamp<index_t>(entries / least_entries, 1, available_threads());
    std::vector<index_t> first{0};
    for (index_t k = 1; k < ranges; ++k) {
        first.push_back(std::lower_bound(begin.begin(), begin.end(), entries / ranges * k) - begin.begin());
    }
    first.push_back(static_cast<index_t>(begin.size()) - 1);
    return first;
}

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
