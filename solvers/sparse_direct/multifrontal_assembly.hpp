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

/// The multiply-adds times the bits of a number from which on a front is eliminated on a device.
inline constexpr double least_front_work = 0x1p28;

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
template <class Exec>
auto multifrontal<S>::block_at(residua::vector<Exec, element>& v, index_t first, index_t rows, index_t cols)
    -> matrix_view<Exec, element>
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
template <class Exec>
auto multifrontal<S>::blocks_of(const front& f, residua::vector<Exec, element>& values,
                                residua::vector<Exec, element>& rest) const -> blocks<Exec>
{
    return {block_at(values, 0, f.order(), f.columns),
            block_at(values, f.order() * f.columns, f.columns, analysis_->is_symmetric() ? 0 : f.below()),
            block_at(rest, 0, f.below(), f.below())};
}

template <array_space S>
index_t multifrontal<S>::size_of_values(const front& f) const
{
    return f.columns * (f.order() + (analysis_->is_symmetric() ? 0 : f.below()));
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

/// Calls g(i, j, a) for each entry of A that a front adds: its place in the front, and the entry, scaled and with its sign.
template <array_space S>
template <class F>
void multifrontal<S>::for_each_entry(index_t f, const worker& w, const matrix_entries& m, const F& g) const
{
    for (index_t e = entry_begin_[f]; e < entry_begin_[f + 1]; ++e) {
        const entry& each = entry_[static_cast<std::size_t>(e)];
        const index_t row = analysis_->row_of_column[analysis_->tree.unknown[each.row]];
        const index_t unknown = analysis_->tree.unknown[each.column];
        const int scale = analysis_->row_exponent[row] + analysis_->column_exponent[unknown];
        const scalar a = m.exact.empty() ? scaled_entry(m.a.values[each.place], scale)
                                         : space_.make_scalar(ldexp(m.exact[each.place], scale));
        g(w.row_place[each.row], w.column_place[each.column], analysis_->negates(row) ? -a : a);
    }
}

template <array_space S>
void multifrontal<S>::add_child(const blocks<host_executor>& to, front& child, worker& w)
{
    const index_t m = child.order(), t = child.pivots, k = child.columns, cut = to.columns.cols;
    if (m == t) {
        return;
    }
    const bool symmetric = analysis_->is_symmetric();
    const std::vector<detail::stretch> upper = detail::stretches_of(child.row, t, k, w.row_place, cut),
                                       lower = detail::stretches_of(child.row, k, m, w.row_place, cut);
    const blocks<host_executor> from = blocks_of(child, *child.values, *child.rest);
    const auto add_column = [&](index_t j) {
        const index_t to_column = w.column_place[child.column[j]];
        const auto add_to = [&](const column& x, index_t row_of_x, const std::vector<detail::stretch>& stretches) {
            for (const detail::stretch& s : stretches) {
                const index_t skipped =
                    symmetric ? std::clamp<index_t>(j - s.from, 0, s.size) : 0;  // above the diagonal
                if (skipped == s.size) {
                    continue;
                }
                const index_t first = s.from + skipped - row_of_x, at = s.to + skipped, size = s.size - skipped;
                const auto source = x.part(first, first + size);
                if (to_column < cut) {
                    detail::add<S, element>(space_, source, to.columns.column(to_column).part(at, at + size));
                } else if (at < cut) {
                    detail::add<S, element>(space_, source, to.right.column(to_column - cut).part(at, at + size));
                } else {
                    detail::add<S, element>(space_, source,
                                            to.rest.column(to_column - cut).part(at - cut, at - cut + size));
                }
            }
        };
        if (j < k) {
            add_to(from.columns.column(j), 0, upper);
            add_to(from.columns.column(j), 0, lower);
        } else {
            if (!symmetric && k > t) {
                add_to(from.right.column(j - k), 0, upper);
            }
            add_to(from.rest.column(j - k), k, lower);
        }
    };
    const double work = 4.0 * static_cast<double>(precision_of(space_)) / 53.0 * static_cast<double>((m - t) * (m - t));
    blas::detail::parallel_ranges(m - t, 1, work, [&](index_t begin, index_t end) {
        for (index_t j = begin; j < end; ++j) {
            add_column(t + j);
        }
    });
}

/// Whether a device assembles and eliminates a front. What children delayed is on the host alone, and so are pivots in pairs.
template <array_space S>
bool multifrontal<S>::goes_to_device(index_t f) const
{
    const front& at = front_[static_cast<std::size_t>(f)];
    const auto& children = children_[static_cast<std::size_t>(f)];
    if (!options_.products.device || analysis_->in_pairs ||
        std::any_of(children.begin(), children.end(), [&](std::int32_t c) {
            return front_[static_cast<std::size_t>(c)].pivots < front_[static_cast<std::size_t>(c)].columns;
        })) {
        return false;
    }
    const double work = multiply_adds_of_front(static_cast<double>(at.columns), static_cast<double>(at.order())) *
                        static_cast<double>(precision_of(space_));
    return work >= options_.products.least_work.value_or(detail::least_front_work);
}

/// Stores the entries of A in a front on a device.
template <array_space S>
template <class Space>
void multifrontal<S>::store_entries(index_t f, const worker& w, const matrix_entries& m, const Space& there,
                                    const blocks<cuda_executor>& to) const
{
    const index_t count = entry_begin_[f + 1] - entry_begin_[f];
    std::vector<std::int32_t> rows, columns;
    auto numbers = space_.make_host_vector(count);
    for_each_entry(f, w, m, [&](std::int32_t i, std::int32_t j, const scalar& a) {
        numbers.set(static_cast<index_t>(rows.size()), a);
        rows.push_back(i);
        columns.push_back(j);
    });
    auto numbers_there = there.placed(std::move(numbers));
    detail::store_entries<element>(there.exec, block_at(numbers_there, 0, count, 1), rows, columns, to);
}

/// Adds the rest of a child, wherever it is, to a front on a device.
template <array_space S>
template <class Space>
void multifrontal<S>::add_rest(front& child, const worker& w, const Space& there, const blocks<cuda_executor>& to) const
{
    std::vector<std::int32_t> rows, columns;
    for (index_t i = child.columns; i < child.order(); ++i) {
        rows.push_back(w.row_place[child.row[i]]);
        columns.push_back(w.column_place[child.column[i]]);
    }
    std::optional<residua::vector<cuda_executor, element>> copy;
    if (!child.rest_there) {
        copy.emplace(to_device(there.exec, *child.rest));
    }
    detail::add_rest<element>(there.exec, block_at(copy ? *copy : *child.rest_there, 0, child.below(), child.below()),
                              rows, columns, analysis_->is_symmetric(), to);
}

/// Assembles and eliminates a front on a device, if it goes there and there is room for it: the factors then are on the
/// host, and the rest is there. Returns whether it has its pivots; nothing: the front is as it was.
template <array_space S>
std::optional<bool> multifrontal<S>::factorize_there([[maybe_unused]] index_t f, [[maybe_unused]] const worker& w,
                                                     [[maybe_unused]] const matrix_entries& m)
{
#if defined(RESIDUA_CUDA)
    if constexpr (detail::is_eliminated_on_device<element>) {
        if (!goes_to_device(f)) {
            return std::nullopt;
        }
        front& at = front_[static_cast<std::size_t>(f)];
        const front_shape before = at;
        const std::vector<std::int32_t>& children = children_[static_cast<std::size_t>(f)];
        try {
            const auto there = detail::on_device(with_own_stream(*options_.products.device), space_);
            auto values = there.make_vector(size_of_values(at));
            auto rest = there.make_vector(at.below() * at.below());
            const blocks<cuda_executor> matrix = blocks_of(at, values, rest);
            store_entries(f, w, m, there, matrix);
            for (const std::int32_t c : children) {
                add_rest(front_[static_cast<std::size_t>(c)], w, there, matrix);
            }
            using device_space = std::remove_const_t<decltype(there)>;
            block_elimination<device_space> elimination(there, {.panel = options_.panel});
            const bool goes_on = eliminate(f, there, elimination, matrix);
            at.values.emplace(to_host(there.exec, values));  // it waits: another thread may take the rest
            at.rest_there.emplace(std::move(rest));
#pragma omp atomic
            ++fronts_on_device_;
#pragma omp atomic
            products_on_device_ += elimination.products_on_device();
            for (const std::int32_t c : children) {
                front_[static_cast<std::size_t>(c)].rest.reset();
                front_[static_cast<std::size_t>(c)].rest_there.reset();
            }
            return goes_on;
        } catch (const cuda_error&) {
            throw;
        } catch (const resource_error&) {  // the host has more memory
            static_cast<front_shape&>(at) = before;
        }
    }
#endif
    return std::nullopt;
}

/// Brings the rest of a front to the host.
template <array_space S>
void multifrontal<S>::bring_rest([[maybe_unused]] front& f) const
{
#if defined(RESIDUA_CUDA)
    if (f.rest_there) {
        f.rest.emplace(to_host(with_own_stream(*options_.products.device), *f.rest_there));
        f.rest_there.reset();
    }
#endif
}

}  // namespace residua
