#include <residua/solvers/processes/row_pieces.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

namespace residua {
namespace {

constexpr index_t whole_tiles(index_t n) { return (n + tile_of_rows - 1) / tile_of_rows * tile_of_rows; }

/// The rows between the last one that needs a number from before and the first one that needs one from behind.
void find_inner_rows(const sparse_matrix& rows, index_t first, index_t last, local_rows& result)
{
    index_t begin = 0;
    index_t end = rows.rows;
    for (index_t i = 0; i < rows.rows; ++i) {
        if (rows.row_begin[i] == rows.row_begin[i + 1]) {
            continue;
        }
        if (rows.column[rows.row_begin[i]] < first) {
            begin = i + 1;
        }
        if (rows.column[rows.row_begin[i + 1] - 1] >= last) {
            end = std::min(end, i);
        }
    }
    begin = std::min(whole_tiles(begin), rows.rows);
    end = end == rows.rows ? end : end / tile_of_rows * tile_of_rows;
    result.inner_begin = begin;
    result.inner_end = std::max(begin, end);
}

/// The own numbers that rows need which are not inner ones, in at most 8 runs: narrower gaps are filled.
void find_border(local_rows& result)
{
    const sparse_matrix& rows = result.matrix;
    std::vector<bool> needed(static_cast<std::size_t>(rows.rows));
    for (index_t i = 0; i < rows.rows; ++i) {
        const bool is_inner = i >= result.inner_begin && i < result.inner_end;
        for (index_t k = rows.row_begin[i]; !is_inner && k < rows.row_begin[i + 1]; ++k) {
            const index_t own = rows.column[k] - result.ghosts_before;
            if (own >= 0 && own < rows.rows) {
                needed[static_cast<std::size_t>(own)] = true;
            }
        }
    }
    const index_t widest = rows.rows / 8;
    for (index_t i = 0; i < rows.rows; ++i) {
        if (!needed[static_cast<std::size_t>(i)]) {
            continue;
        }
        const bool is_near = !result.border.empty() && i - result.border.back() <= widest;
        for (index_t k = is_near ? result.border.back() + 1 : i; k <= i; ++k) {
            result.border.push_back(k);
        }
    }
}

}  // namespace

sparse_matrix cut_rows(const sparse_matrix& a, index_t begin, index_t end)
{
    const index_t from = a.row_begin[begin];
    const index_t to = a.row_begin[end];
    std::vector<index_t> row_begin(a.row_begin.begin() + begin, a.row_begin.begin() + end + 1);
    for (index_t& each : row_begin) {
        each -= from;
    }
    sparse_matrix part{.rows = end - begin,
                       .cols = a.cols,
                       .row_begin = std::move(row_begin),
                       .column = std::vector<std::int32_t>(a.column.begin() + from, a.column.begin() + to),
                       .values = std::vector<double>(a.values.begin() + from, a.values.begin() + to),
                       .complex = a.complex};
    if (!a.exact.empty()) {
        std::vector<index_t> source(static_cast<std::size_t>(to - from));
        std::iota(source.begin(), source.end(), from);
        part.exact = a.exact.gathered(source);
    }
    return part;
}

std::vector<index_t> ghosts_of(const sparse_matrix& rows, index_t first, index_t last)
{
    std::vector<index_t> ghosts;
    for (const std::int32_t column : rows.column) {
        if (column < first || column >= last) {
            ghosts.push_back(column);
        }
    }
    std::sort(ghosts.begin(), ghosts.end());
    ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
    return ghosts;
}

local_rows renumber_columns(const sparse_matrix& rows, index_t first, index_t last)
{
    local_rows result;
    result.ghosts = ghosts_of(rows, first, last);
    const std::vector<index_t>& ghosts = result.ghosts;
    result.ghosts_before = std::lower_bound(ghosts.begin(), ghosts.end(), first) - ghosts.begin();
    const auto place = [&](index_t column) {
        if (column >= first && column < last) {
            return result.ghosts_before + column - first;
        }
        const index_t ghost = std::lower_bound(ghosts.begin(), ghosts.end(), column) - ghosts.begin();
        return ghost + (column < first ? 0 : last - first);
    };
    result.matrix = rows;
    result.matrix.cols = static_cast<index_t>(ghosts.size()) + last - first;
    for (std::int32_t& column : result.matrix.column.own()) {
        column = static_cast<std::int32_t>(place(column));
    }
    find_inner_rows(rows, first, last, result);
    find_border(result);
    return result;
}

sparse_matrix local_rows::part(index_t begin, index_t end) const
{
    sparse_matrix result = cut_rows(matrix, begin, end);
    const bool inner = begin == inner_begin && end == inner_end;
    const auto own = static_cast<index_t>(border.size());
    result.cols = inner ? matrix.rows : places();
    for (std::int32_t& column : result.column.own()) {
        const index_t from_first = column - ghosts_before;
        if (inner) {
            column = static_cast<std::int32_t>(from_first);
        } else if (from_first >= matrix.rows) {
            column = static_cast<std::int32_t>(column - matrix.rows + own);
        } else if (from_first >= 0) {
            const index_t place = std::lower_bound(border.begin(), border.end(), from_first) - border.begin();
            column = static_cast<std::int32_t>(ghosts_before + place);
        }
    }
    return result;
}

halo_plan plan_halo(processes& all, const partition& rows, const std::vector<index_t>& ghosts)
{
    halo_plan plan;
    processes::bytes_by_rank wanted(static_cast<std::size_t>(all.count()));
    const auto size = static_cast<index_t>(ghosts.size());
    for (index_t begin = 0; begin < size;) {
        const index_t rank = rows.owner(ghosts[static_cast<std::size_t>(begin)]);
        const auto behind = std::lower_bound(ghosts.begin() + begin, ghosts.end(), rows.last(rank));
        const index_t end = behind - ghosts.begin();
        const auto bytes = std::as_bytes(
            std::span(ghosts).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
        wanted[static_cast<std::size_t>(rank)].assign(bytes.begin(), bytes.end());
        plan.arrivals.push_back({rank, begin, end});
        begin = end;
    }
    const processes::bytes_by_rank asked = all.all_to_all(std::move(wanted));
    for (std::size_t rank = 0; rank < asked.size(); ++rank) {
        if (asked[rank].empty()) {
            continue;
        }
        halo_plan::delivery& delivery = plan.deliveries.emplace_back(
            static_cast<index_t>(rank), std::vector<index_t>(asked[rank].size() / sizeof(index_t)));
        std::memcpy(delivery.rows.data(), asked[rank].data(), asked[rank].size());
        for (index_t& row : delivery.rows) {
            row -= rows.first(all.rank());
        }
    }
    return plan;
}

std::shared_ptr<const stored_rows> store_rows(processes& all, const partition& rows, const sparse_matrix& own)
{
    auto result = std::make_shared<stored_rows>();
    local_rows& local = result->places;
    local = renumber_columns(own, rows.first(all.rank()), rows.last(all.rank()));
    result->plan = plan_halo(all, rows, local.ghosts);
    local.for_each_part([&](index_t begin, index_t end) {
        result->parts.push_back({begin, end, stored_for_products(make_csr(local.part(begin, end)))});
    });
    local.matrix.row_begin = {};
    local.matrix.column = {};
    local.matrix.values = {};
    return result;
}

}  // namespace residua
