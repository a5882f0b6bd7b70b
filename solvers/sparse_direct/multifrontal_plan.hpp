#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <residua/solvers/sparse_direct/multifrontal.hpp>

/// The plan of multifrontal's solves: what they know of its fronts. Included where it is instantiated.
namespace residua {
namespace detail {

/// Lanes and cache lines begin at multiples of this many numbers.
inline constexpr index_t numbers_in_line = 8;
inline index_t whole_lines(index_t size) { return (size + numbers_in_line - 1) / numbers_in_line * numbers_in_line; }

}  // namespace detail

/// Numbers pivots front by front, finds the places of every rest in its parent, and chooses subtrees for threads.
template <array_space S>
void multifrontal<S>::make_plan()
{
    const sparse_analysis& known = *analysis_;
    const auto n = static_cast<std::size_t>(size());
    std::vector<std::int32_t> row_place(n), column_place(n);
    std::vector<double> cost;
    plan_.pivot_begin.assign(1, 0);
    plan_.rest_begin.assign(1, 0);
    for (const front& f : front_) {
        for (index_t k = 0; k < f.pivots; ++k) {
            const std::int32_t row = known.row_of_column[known.tree.unknown[f.row[k]]];
            const std::int32_t unknown = known.tree.unknown[f.column[k]];
            plan_.row.push_back({row, known.row_exponent[row], known.negates(row)});
            plan_.column.push_back({unknown, known.column_exponent[unknown], false});
        }
        if (f.pivots >= detail::numbers_in_line) {
            plan_.pivot_room = detail::whole_lines(plan_.pivot_room);
        }
        plan_.pivot_place.push_back(plan_.pivot_room);
        plan_.pivot_room += f.pivots;
        plan_.pivot_begin.push_back(plan_.pivot_begin.back() + f.pivots);
        plan_.rest_begin.push_back(plan_.rest_begin.back() + f.order() - f.pivots);
        cost.push_back(static_cast<double>(f.order() * f.pivots));
    }
    plan_.pivot_room = detail::whole_lines(plan_.pivot_room);
    const auto rests = static_cast<std::size_t>(plan_.rest_begin.back());
    plan_.row_above.resize(rests);
    plan_.column_above.resize(analysis_->is_symmetric() ? 0 : rests);
    for (std::size_t p = 0; p < front_.size(); ++p) {
        const front& above = front_[p];
        for (index_t i = 0; i < above.order(); ++i) {
            row_place[above.row[i]] = static_cast<std::int32_t>(i);
            column_place[above.column[i]] = static_cast<std::int32_t>(i);
        }
        for (const std::int32_t c : children_[p]) {
            const front& child = front_[static_cast<std::size_t>(c)];
            index_t at = plan_.rest_begin[c];
            for (index_t i = child.pivots; i < child.order(); ++i, ++at) {
                plan_.row_above[at] = row_place[child.row[i]];
                if (!analysis_->is_symmetric()) {
                    plan_.column_above[at] = column_place[child.column[i]];
                }
            }
        }
    }
    plan_.parts = subtrees(known.tree.parent, cost).choose(1.0 / (4.0 * std::max(2, io::available_threads())));
    std::vector<subtree> ascending = plan_.parts;
    std::sort(ascending.begin(), ascending.end(), [](const subtree& x, const subtree& y) { return x.first < y.first; });
    ascending.push_back({fronts(), fronts(), 0.0});
    index_t end = 0;
    for (const subtree& each : ascending) {
        if (end < each.first) {
            plan_.top.push_back({end, each.first, 0.0});
        }
        end = each.last;
    }
    place_rests();
}

/// Gives rests places in a workspace. Each subtree has a region of its own, as large as what waits at the same time.
/// Going up, the rests of children, which follow one another, and the rests of their children lie in two halves of
/// the region: a front takes the place of its grandchildren. Going down, a rest waits for all that is below its front.
template <array_space S>
void multifrontal<S>::place_rests()
{
    const std::vector<std::int32_t>& parent = analysis_->tree.parent;
    const auto size_of = [&](index_t f) { return detail::whole_lines(plan_.rest_begin[f + 1] - plan_.rest_begin[f]); };
    std::vector<int> half(front_.size(), 0);
    for (index_t f = fronts() - 1; f >= 0; --f) {
        half[f] = parent[f] == -1 ? 0 : 1 - half[parent[f]];
    }
    plan_.up_place.resize(front_.size());
    plan_.down_place.resize(front_.size());
    for (const subtree& each : plan_.top) {
        for (index_t f = each.first; f < each.last; ++f) {
            plan_.up_place[f] = plan_.down_place[f] = plan_.rest_room;
            plan_.rest_room += size_of(f);
        }
    }
    for (const subtree& each : plan_.parts) {
        index_t used[2] = {0, 0}, most[2] = {0, 0}, most_down = 0;
        for (index_t f = each.first; f < each.last; ++f) {
            const int mine = half[f];
            for (const std::int32_t c : children_[static_cast<std::size_t>(f)]) {
                used[1 - mine] -= size_of(c);
            }
            plan_.up_place[f] = used[mine];
            used[mine] += size_of(f);
            most[mine] = std::max(most[mine], used[mine]);
        }
        for (index_t f = each.last - 1; f >= each.first; --f) {
            const bool is_top = f == each.last - 1;
            plan_.down_place[f] = is_top ? plan_.rest_room : plan_.down_place[parent[f]] + size_of(parent[f]);
            most_down = std::max(most_down, plan_.down_place[f] + size_of(f) - plan_.rest_room);
            plan_.up_place[f] += plan_.rest_room + (half[f] == 0 ? 0 : most[0]);
        }
        plan_.rest_room += std::max(most[0] + most[1], most_down);
    }
}

}  // namespace residua
