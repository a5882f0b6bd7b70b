#pragma once

#include <algorithm>
#include <atomic>
#include <iterator>
#include <span>
#include <utility>

#include <residua/io/interruption.hpp>
#include <residua/solvers/sparse_direct/bundle.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>
#include <residua/solvers/sparse_direct/solve_steps.hpp>

/// The solves of multifrontal, for several right-hand sides. Included where it is instantiated.
///
/// A front has a number for each of its pivots and for each other row, the rest. It writes its own numbers only, so
/// that subtrees go to threads. The operations on a number, and their order, depend on the tree and the format alone:
///
///   up     pivots are b and the rest is zero; the rests of children are added, child by child, ascending. Then the columns
///          of L in steps of `columns_of_step`: the pivots of a step are found, and their products subtracted from the pivots
///          below and from the rest. By rows of U' instead: the products of all pivots before a step are subtracted from it
///          at once, then the step is found, and at the end all products from the rest
///   down   the rest is what the parent has found. By L': the products of the rest, and of the pivots below by stretches, the
///          last one first, are subtracted from a step, which is found, the last one first. By U: the products of the rest are
///          subtracted from all pivots; then a step is found, the last one first, and its products are subtracted from the
///          pivots before it
namespace residua {

/// Calls f(first, last) for each subtree, by `threads` threads.
template <array_space S>
template <class F>
void multifrontal<S>::for_parts(int threads, const F& f) const
{
    std::atomic<std::size_t> next = 0;
    const auto work = [&](index_t, index_t) {
        for (std::size_t mine = next++; mine < plan_.parts.size(); mine = next++) {
            f(plan_.parts[mine].first, plan_.parts[mine].last);
        }
    };
    if (threads == 1) {
        work(0, 0);
    } else {
        blas::detail::run_team(threads, work);
    }
}

/// The ends of the pivots of a front: where their numbers come from or go to.
template <array_space S>
auto multifrontal<S>::ends_of(index_t f, const std::vector<end_place>& of) const -> std::span<const end_place>
{
    return {of.data() + plan_.pivot_begin[f], of.data() + plan_.pivot_begin[f + 1]};
}

/// Loads the right-hand sides at the pivots of a front. Its rest becomes zero, and so do vectors beyond the last one.
template <array_space S>
void multifrontal<S>::load_right_hand_sides(index_t f, const solve_work& w) const
{
    const auto place = ends_of(f, w.transposed ? plan_.column : plan_.row);
    const solve_scalar zero = space_of_solves().make_scalar(0.0);
    for (std::size_t b = 0; b < w.pivots.size(); ++b) {
        const bundle& to = w.pivots[b];
        const auto x = std::span(w.x).subspan(b * detail::bundle_of<solve_element>::most);
        const index_t width = detail::width_of<solve_element>(to);
        const index_t count = std::min(width, static_cast<index_t>(x.size()));
        for (index_t k = plan_.pivot_place[f]; const end_place& e : place) {
            for (index_t c = 0; c < count; ++c) {
                detail::store<solve_element>(to, k, c, e.times(x[c].load(e.at)));
            }
            for (index_t c = count; c < width; ++c) {
                detail::store<solve_element>(to, k, c, zero);
            }
            ++k;
        }
        const index_t rest = plan_.rest_begin[f + 1] - plan_.rest_begin[f];
        detail::clear<solve_space, solve_element>(space_of_solves(),
                                                  detail::part_of<solve_element>(w.rest[b], plan_.up_place[f], rest));
    }
}

/// Takes the rest of a front, on the way down, from its parent.
template <array_space S>
void multifrontal<S>::take_from_parent(index_t f, const solve_work& w) const
{
    const std::int32_t parent = analysis_->tree.parent[f];
    if (parent == -1) {
        return;
    }
    const auto place = places_above(f, !w.transposed);
    for (std::size_t b = 0; b < w.pivots.size(); ++b) {
        detail::take_from_places<solve_element>(numbers_of(parent, w, b, plan_.down_place), place, w.rest[b],
                                                plan_.down_place[f]);
    }
}

template <array_space S>
void multifrontal<S>::add_children(index_t f, const solve_work& w) const
{
    for (const std::int32_t c : children_[static_cast<std::size_t>(f)]) {
        const auto place = places_above(c, w.transposed);
        for (std::size_t b = 0; b < w.pivots.size(); ++b) {
            detail::add_to_places<solve_space, solve_element>(space_of_solves(), w.rest[b], plan_.up_place[c], place,
                                                              numbers_of(f, w, b, plan_.up_place));
        }
    }
}

/// The places in the parent of a front's rest: by columns for L U where these are asked for, otherwise by rows.
template <array_space S>
std::span<const std::int32_t> multifrontal<S>::places_above(index_t f, bool by_columns) const
{
    const auto& all = by_columns && kind() == factor_kind::lu ? plan_.column_above : plan_.row_above;
    return {all.data() + plan_.rest_begin[f], all.data() + plan_.rest_begin[f + 1]};
}

template <array_space S>
auto multifrontal<S>::numbers_of(index_t f, const solve_work& w, std::size_t b, const std::vector<index_t>& rest) const
    -> detail::front_numbers<solve_element>
{
    return {w.pivots[b], w.rest[b], plan_.pivot_place[f], rest[f], front_[static_cast<std::size_t>(f)].pivots};
}

/// Solves with L, or with U', of a front.
template <array_space S>
void multifrontal<S>::solve_up(index_t f, const solve_work& w) const
{
    const front& at = front_[static_cast<std::size_t>(f)];
    const index_t m = at.order(), k = at.columns, t = at.pivots;
    const index_t found = plan_.pivot_place[f], rest = plan_.up_place[f];
    const view p = columns_of(at);
    const auto subtract = [&](view a, bool transposed, index_t from, const std::vector<bundle>& of, index_t to) {
        detail::subtract_product_of<S, solve_element>(space_, a, transposed, w.pivots, from, of, to);
    };
    if (w.transposed && kind() == factor_kind::lu) {
        for (index_t j = 0; j < t; j += columns_of_step) {
            const index_t cols = std::min(columns_of_step, t - j);
            subtract(p.block(0, j, j, cols), true, found, w.pivots, found + j);
            detail::solve_triangle<solve_element>(blas::uplo::upper, blas::diag::non_unit, true,
                                                  p.block(j, j, cols, cols), w.pivots, found + j);
        }
        subtract(p.block(0, t, t, k - t), true, found, w.rest, rest);
        subtract(right_of(at).block(0, 0, t, m - k), true, found, w.rest, rest + k - t);
        return;
    }
    const auto diagonal = is_cholesky() ? blas::diag::non_unit : blas::diag::unit;
    for (index_t j = 0; j < t; j += columns_of_step) {
        const index_t cols = std::min(columns_of_step, t - j);
        detail::solve_triangle<solve_element>(blas::uplo::lower, diagonal, false, p.block(j, j, cols, cols), w.pivots,
                                              found + j);
        subtract(p.block(j + cols, j, t - j - cols, cols), false, found + j, w.pivots, found + j + cols);
        subtract(p.block(t, j, m - t, cols), false, found + j, w.rest, rest);
    }
}

/// Solves with U, D L' or L' of a front.
template <array_space S>
void multifrontal<S>::solve_down(index_t f, const solve_work& w) const
{
    const front& at = front_[static_cast<std::size_t>(f)];
    const index_t m = at.order(), k = at.columns, t = at.pivots;
    const index_t found = plan_.pivot_place[f], rest = plan_.down_place[f];
    const index_t last = (t - 1) / columns_of_step * columns_of_step;  // the last step
    const view p = columns_of(at);
    const auto subtract = [&](view a, bool transposed, const std::vector<bundle>& of, index_t from, index_t to) {
        detail::subtract_product_of<S, solve_element>(space_, a, transposed, of, from, w.pivots, to);
    };
    if (!w.transposed && kind() == factor_kind::lu) {
        subtract(p.block(0, t, t, k - t), false, w.rest, rest, found);
        subtract(right_of(at).block(0, 0, t, m - k), false, w.rest, rest + k - t, found);
        for (index_t j = last; j >= 0 && t > 0; j -= columns_of_step) {
            const index_t cols = std::min(columns_of_step, t - j);
            detail::solve_triangle<solve_element>(blas::uplo::upper, blas::diag::non_unit, false,
                                                  p.block(j, j, cols, cols), w.pivots, found + j);
            subtract(p.block(0, j, j, cols), false, w.pivots, found + j, found);
        }
        return;
    }
    if (kind() == factor_kind::ldl) {
        for (const bundle& each : w.pivots) {
            solve_pivots(at, each, found);
        }
    }
    const auto diagonal = is_cholesky() ? blas::diag::non_unit : blas::diag::unit;
    for (index_t j = last; j >= 0 && t > 0; j -= columns_of_step) {
        const index_t cols = std::min(columns_of_step, t - j);
        subtract(p.block(t, j, m - t, cols), true, w.rest, rest, found + j);
        for (index_t end = t; end > j + cols;) {
            const index_t begin = std::max(j + cols, (end - 1) / columns_of_stretch * columns_of_stretch);
            subtract(p.block(begin, j, end - begin, cols), true, w.pivots, found + begin, found + j);
            end = begin;
        }
        detail::solve_triangle<solve_element>(blas::uplo::lower, diagonal, true, p.block(j, j, cols, cols), w.pivots,
                                              found + j);
    }
}

/// Stores the pivots of a front in the solutions.
template <array_space S>
void multifrontal<S>::give(index_t f, const solve_work& w) const
{
    const auto place = ends_of(f, w.transposed ? plan_.row : plan_.column);
    for (std::size_t b = 0; b < w.pivots.size(); ++b) {
        const bundle& from = w.pivots[b];
        const auto x = std::span(w.x).subspan(b * detail::bundle_of<solve_element>::most);
        const index_t count = std::min(detail::width_of<solve_element>(from), static_cast<index_t>(x.size()));
        for (index_t k = plan_.pivot_place[f]; const end_place& e : place) {
            for (index_t c = 0; c < count; ++c) {
                x[c].store(e.at, e.times(detail::load<solve_element>(from, k, c)));
            }
            ++k;
        }
    }
}

/// Asks for the numbers of a small front before they are needed: processors see no way from one front to the next.
template <array_space S>
void multifrontal<S>::fetch_ahead(index_t f) const
{
    if constexpr (number<element>) {
        constexpr index_t line = 64 / sizeof(typename view::word), most = 128 * line;  // words
        const auto values = std::as_const(*front_[static_cast<std::size_t>(f)].values).view();
        const index_t words = values.start.plane_stride * (number_traits<element>::terms - 1) + values.size;
        for (index_t k = 0; k < std::min(most, words); k += line) {
            __builtin_prefetch(values.data() + k, 0, 2);
        }
    }
}

template <array_space S>
void multifrontal<S>::solve_together(std::span<vector* const> x, bool transposed) const
{
    constexpr index_t most = detail::bundle_of<solve_element>::most;
    const auto count = static_cast<index_t>(x.size());
    const index_t width = count == 1 ? 1 : most;
    const index_t numbers = (plan_.pivot_room + plan_.rest_room) * width;
    std::vector<vector> memory = spare_->reused();
    if (!memory.empty() && memory.front().size() < numbers) {
        memory.clear();
    }
    solve_work w{transposed, {}, {}, {}};
    std::transform(x.begin(), x.end(), std::back_inserter(w.x), [](vector* each) { return each->view(); });
    for (index_t b = 0; b < (count + width - 1) / width; ++b) {
        if (b == static_cast<index_t>(memory.size())) {
            memory.push_back(space_of_solves().make_vector(numbers));
        }
        const bundle all = detail::bundle_at<solve_element>(memory[static_cast<std::size_t>(b)].view(), width);
        w.pivots.push_back(detail::part_of<solve_element>(all, 0, plan_.pivot_room));
        w.rest.push_back(detail::part_of<solve_element>(all, plan_.pivot_room, plan_.rest_room));
    }
    const double operations = 2.0 * detail::operations_of(space_) * entries_ * static_cast<double>(count);
    const int threads = static_cast<int>(std::clamp<std::size_t>(
        plan_.parts.size(), 1, static_cast<std::size_t>(blas::detail::threads_for(operations))));
    const auto up = [&](index_t first, index_t last) {
        for (index_t f = first; f < last; ++f) {
            io::ask_for_stop_at(f);
            if (f + 1 < last) {
                fetch_ahead(f + 1);
            }
            load_right_hand_sides(f, w);
            add_children(f, w);
            solve_up(f, w);
        }
    };
    const auto down = [&](index_t first, index_t last) {
        for (index_t f = last - 1; f >= first; --f) {
            io::ask_for_stop_at(f);
            if (f > first) {
                fetch_ahead(f - 1);
            }
            take_from_parent(f, w);
            solve_down(f, w);
            give(f, w);
        }
    };
    for_parts(threads, up);
    std::for_each(plan_.top.begin(), plan_.top.end(), [&](const subtree& each) { up(each.first, each.last); });
    std::for_each(plan_.top.rbegin(), plan_.top.rend(), [&](const subtree& each) { down(each.first, each.last); });
    for_parts(threads, down);
    spare_->leave(std::move(memory));
}

template <array_space S>
void multifrontal<S>::solve(const columns<solve_space>& x, bool transposed) const
{
    constexpr std::size_t most = detail::bundle_of<solve_element>::most * detail::bundle_of<solve_element>::together;
    for (std::size_t j = 0; j < x.size(); j += most) {
        solve_together(std::span(x).subspan(j, std::min(most, x.size() - j)), transposed);
    }
}

template <array_space S>
auto multifrontal<S>::factors_of(index_t f) const -> front_factors
{
    const front& at = front_[static_cast<std::size_t>(f)];
    return {at.pivots, at.row, at.column, at.is_pair, columns_of(at), right_of(at)};
}

}  // namespace residua
