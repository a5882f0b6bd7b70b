#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <vector>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/solvers/dense_direct/elements.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

/// The fronts of multifrontal before their elimination. Included where it is instantiated.
namespace residua {
namespace detail {

/// Entries of a child's column that are neighbours in the parent too.
struct stretch {
    index_t from, to, size;
};

/// The stretches of rows first, ..., last - 1 of a child, none of which goes across row `cut` of the parent.
inline std::vector<stretch> stretches_of(const std::vector<std::int32_t>& row, index_t first, index_t last,
                                         const std::vector<std::int32_t>& place, index_t cut)
{
    std::vector<stretch> all;
    for (index_t i = first; i < last; ++i) {
        const index_t to = place[static_cast<std::size_t>(row[static_cast<std::size_t>(i)])];
        if (!all.empty() && i > first && to == all.back().to + all.back().size && to != cut) {
            ++all.back().size;
        } else {
            all.push_back({i, to, 1});
        }
    }
    return all;
}

/// y <- y + x
template <class S, class E>
void add(const S& space, vector_view<host_executor, const E> x, vector_view<host_executor, E> y)
{
    if constexpr (native_number<E>) {
        (void)space;
        for (index_t i = 0; i < x.size; ++i) {
            y.data()[i] += x.data()[i];
        }
    } else {
        blas::axpy(host_executor{}, space.make_scalar(1.0), x, y);
    }
}

}  // namespace detail

template <array_space S>
auto multifrontal<S>::block_at(typename S::vector& v, index_t first, index_t rows, index_t cols) -> view
{
    return {v.view().start.from(first), rows, cols, rows, v.format()};
}

template <array_space S>
auto multifrontal<S>::columns_of(const front& f) const -> view
{
    return block_at(const_cast<typename S::vector&>(*f.values), 0, f.order(), f.columns);
}

template <array_space S>
auto multifrontal<S>::right_of(const front& f) const -> view
{
    return block_at(const_cast<typename S::vector&>(*f.values), f.order() * f.columns, f.columns,
                    analysis_->is_symmetric() ? 0 : f.below());
}

template <array_space S>
auto multifrontal<S>::rest_of(const front& f) const -> view
{
    return block_at(const_cast<typename S::vector&>(*f.rest), 0, f.below(), f.below());
}

/// Finds the rows and columns of a front: what the children delayed, its own pivots, and what is below them.
template <array_space S>
void multifrontal<S>::start(index_t f, worker& w)
{
    const assembly_tree& tree = analysis_->tree;
    front& at = front_[static_cast<std::size_t>(f)];
    for (const std::int32_t c : children_[static_cast<std::size_t>(f)]) {
        const front& child = front_[static_cast<std::size_t>(c)];
        at.row.insert(at.row.end(), child.row.begin() + child.pivots, child.row.begin() + child.columns);
        at.column.insert(at.column.end(), child.column.begin() + child.pivots, child.column.begin() + child.columns);
    }
    const auto below = tree.below(f);
    for (auto* labels : {&at.row, &at.column}) {
        const std::size_t delayed = labels->size();
        labels->resize(delayed + static_cast<std::size_t>(tree.pivots(f)));
        std::iota(labels->begin() + static_cast<std::ptrdiff_t>(delayed), labels->end(),
                  static_cast<std::int32_t>(tree.first_pivot[f]));
        labels->insert(labels->end(), below.begin(), below.end());
    }
    const index_t order = at.order();
    at.columns = order - static_cast<index_t>(below.size());
    for (index_t i = 0; i < order; ++i) {
        w.row_place[at.row[i]] = static_cast<std::int32_t>(i);
        w.column_place[at.column[i]] = static_cast<std::int32_t>(i);
    }
    at.values.emplace(space_.make_vector(at.columns * (analysis_->is_symmetric() ? order : order + at.below())));
    at.rest.emplace(space_.make_vector(at.below() * at.below()));
}

/// 2^exponent value, in the range of the format, which may be wider or narrower than that of binary64.
template <array_space S>
auto multifrontal<S>::scaled_entry(double value, int exponent) const -> scalar
{
    if constexpr (number<element>) {
        return space_.make_scalar(ldexp(value, exponent));
    } else {
        return ldexp(space_.make_scalar(value), exponent);
    }
}

template <array_space S>
void multifrontal<S>::add_matrix(index_t f, worker& w, const matrix_entries& m)
{
    const front& at = front_[static_cast<std::size_t>(f)];
    const view p = columns_of(at), r = right_of(at);
    for (index_t e = entry_begin_[f]; e < entry_begin_[f + 1]; ++e) {
        const entry& each = entry_[static_cast<std::size_t>(e)];
        const auto i = w.row_place[each.row], j = w.column_place[each.column];
        const index_t row = analysis_->row_of_column[analysis_->tree.unknown[each.row]];
        const index_t unknown = analysis_->tree.unknown[each.column];
        const int scale = analysis_->row_exponent[row] + analysis_->column_exponent[unknown];
        const scalar a = m.exact.empty() ? scaled_entry(m.a.values[each.place], scale)
                                         : space_.make_scalar(ldexp(m.exact[each.place], scale));
        if (j < at.columns) {
            p.column(j).store(i, a);
        } else {
            r.column(j - at.columns).store(i, a);
        }
    }
}

template <array_space S>
void multifrontal<S>::add_child(front& parent, front& child, worker& w)
{
    const index_t m = child.order(), t = child.pivots, k = child.columns, cut = parent.columns;
    if (m == t) {
        return;
    }
    const bool symmetric = analysis_->is_symmetric();
    const std::vector<detail::stretch> upper = detail::stretches_of(child.row, t, k, w.row_place, cut),
                                       lower = detail::stretches_of(child.row, k, m, w.row_place, cut);
    const view from_p = columns_of(child), from_r = right_of(child), from_c = rest_of(child);
    const view p = columns_of(parent), r = right_of(parent), c = rest_of(parent);
    const auto add_column = [&](index_t j) {
        const index_t to_column = w.column_place[child.column[j]];
        const auto add_to = [&](const column& x, index_t row_of_x, const std::vector<detail::stretch>& stretches) {
            for (const detail::stretch& s : stretches) {
                const index_t skipped =
                    symmetric ? std::clamp<index_t>(j - s.from, 0, s.size) : 0;  // above the diagonal
                if (skipped == s.size) {
                    continue;
                }
                const index_t from = s.from + skipped - row_of_x, to = s.to + skipped, size = s.size - skipped;
                const auto source = x.part(from, from + size);
                if (to_column < cut) {
                    detail::add<S, element>(space_, source, p.column(to_column).part(to, to + size));
                } else if (to < cut) {
                    detail::add<S, element>(space_, source, r.column(to_column - cut).part(to, to + size));
                } else {
                    detail::add<S, element>(space_, source, c.column(to_column - cut).part(to - cut, to - cut + size));
                }
            }
        };
        if (j < k) {
            add_to(from_p.column(j), 0, upper);
            add_to(from_p.column(j), 0, lower);
        } else {
            if (!symmetric && k > t) {
                add_to(from_r.column(j - k), 0, upper);
            }
            add_to(from_c.column(j - k), k, lower);
        }
    };
    const double work = 4.0 * static_cast<double>(precision_of(space_)) / 53.0 * static_cast<double>((m - t) * (m - t));
    blas::detail::parallel_ranges(m - t, 1, work, [&](index_t begin, index_t end) {
        for (index_t j = begin; j < end; ++j) {
            add_column(t + j);
        }
    });
}

}  // namespace residua
