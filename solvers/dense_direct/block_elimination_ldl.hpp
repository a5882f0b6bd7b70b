#pragma once

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/base/permutation.hpp>
#include <residua/solvers/dense_direct/block_elimination.hpp>
#include <residua/solvers/dense_direct/block_elimination_search.hpp>
#include <residua/solvers/dense_direct/block_product.hpp>
#include <residua/solvers/dense_direct/elements.hpp>

/// L D L' of block_elimination. Included where it is instantiated.
namespace residua {
namespace detail {

template <class E>
void exchange(column_view<E> x, index_t i, column_view<E> y, index_t j)
{
    const auto held = x.load(i);
    x.store(i, y.load(j));
    y.store(j, held);
}

}  // namespace detail

template <array_space S>
ldl_pivots block_elimination<S>::ldl(view a, double threshold)
{
    const index_t n = a.cols;
    set_panel(a.rows, n, true);
    threshold_ = threshold;
    ldl_ = {.count = 0,
            .column = std::vector<index_t>(static_cast<std::size_t>(n)),
            .is_pair = std::vector<char>(static_cast<std::size_t>(n), 0)};
    std::iota(ldl_.column.begin(), ldl_.column.end(), index_t{0});
    bool goes_on = true;
    for (bool again = false; goes_on && ldl_.count < n; again = true) {
        const index_t begin = ldl_.count;
        with_rows(a, 0, begin, n, [&] {
            if (again) {
                join_pairs(a, begin, n);
            }
            ldl_.count += ldl(a, begin, n);
            if (again && ldl_.count == begin) {
                ldl_.count += ldl_of_rest(a, begin);
            }
        });
        goes_on = !again || ldl_.count > begin;
    }
    return ldl_;
}

template <array_space S>
index_t block_elimination<S>::ldl(view a, index_t begin, index_t end)
{
    if constexpr (has_products) {
        if (end - begin > part_of(end - begin)) {
            const index_t middle = middle_of(begin, end), right = end - middle;
            const index_t left_found = ldl(a, begin, middle);
            const index_t next = begin + left_found, left_over = middle - next;
            update_lower(a, begin, next, middle, end);
            index_t right_found = 0;
            with_rows(a, begin, next, end, [&] {
                if (left_over > 0) {
                    std::vector<index_t> from(static_cast<std::size_t>(end - next));
                    std::iota(from.begin(), from.end(), next);
                    std::rotate(from.begin(), from.begin() + left_over, from.end());
                    rearrange(a, next, from);
                }
                right_found = ldl(a, next, next + right);
                update_lower(a, next, next + right_found, end - left_over, end);
            });
            return left_found + right_found;
        }
    }
    return ldl_columns(a, begin, end);
}

template <array_space S>
index_t block_elimination<S>::ldl_columns(view a, index_t begin, index_t end)
{
    index_t k = begin;
    while (k < end) {
        io::ask_for_stop();
        const detail::pivot_place pivot = find_pivot(a, k, end);
        if (pivot.size == 0) {
            break;
        }
        const auto bring = [&](index_t to, index_t from) {
            if (from != to) {
                swap_symmetric(a, begin, to, from);
                std::swap(ldl_.column[static_cast<std::size_t>(to)], ldl_.column[static_cast<std::size_t>(from)]);
            }
        };
        bring(k, pivot.first);
        if (pivot.size == 2) {
            bring(k + 1, pivot.second);
            ldl_.is_pair[static_cast<std::size_t>(k)] = 1;
        }
        eliminate(a, k, pivot.size, end);
        k += pivot.size;
    }
    return k - begin;
}

template <array_space S>
index_t block_elimination<S>::ldl_of_rest(view a, index_t begin)
{
    if constexpr (S::on_host) {
        return ldl_columns(a, begin, a.cols);
    } else {
        const auto sizes = sizes_of_columns(a, begin, a.cols);
        const scalar zero = space_.make_scalar(0.0);
        bool is_zero = true;
        for (index_t j = begin; j < a.cols; ++j) {
            const column_sizes of_column = sizes(j);
            is_zero = is_zero && of_column.own == zero && of_column.beside.size == zero;
        }
        return is_zero ? 0 : ldl_on_host(a, begin);
    }
}

template <array_space S>
detail::pivot_place block_elimination<S>::find_pivot(view a, index_t begin, index_t end)
    requires(S::on_host)
{
    return detail::find_pivot(space_, threshold_, a, begin, end);
}

template <array_space S>
void block_elimination<S>::eliminate(view a, index_t k, index_t size, index_t end)
    requires(S::on_host)
{
    if (size == 1) {
        eliminate_one(a, k, end);
    } else {
        eliminate_pair(a, k, end);
    }
}

template <array_space S>
auto block_elimination<S>::sizes_of_columns(view a, index_t begin, index_t end)
    requires(S::on_host)
{
    return [=, this](index_t j) {
        return column_sizes{detail::largest_beside(space_, a, begin, end, j, -1), abs(a.column(j).load(j))};
    };
}

template <array_space S>
void block_elimination<S>::join_pairs(view a, index_t begin, index_t end)
{
    std::vector<char> taken(static_cast<std::size_t>(end), 0);
    std::vector<index_t> from, alone;
    const auto sizes = sizes_of_columns(a, begin, end);
    for (index_t j = begin; j < end; ++j) {
        if (taken[static_cast<std::size_t>(j)] != 0) {
            continue;
        }
        const auto [beside, own] = sizes(j);
        if (beside.row > j && taken[static_cast<std::size_t>(beside.row)] == 0 &&
            own < space_.make_scalar(detail::good_pivot) * beside.size) {
            taken[static_cast<std::size_t>(beside.row)] = 1;
            from.insert(from.end(), {j, beside.row});
        } else {
            alone.push_back(j);
        }
    }
    from.insert(from.end(), alone.begin(), alone.end());
    rearrange(a, begin, from);
}

template <array_space S>
void block_elimination<S>::eliminate_one(view a, index_t k, index_t end)
{
    const index_t m = a.rows;
    if constexpr (is_native) {
        detail::eliminate_symmetric_column(a.block(k, k, m - k, end - k));
    } else {
        const host_executor exec;
        const auto column = a.column(k);
        const scalar inverse = space_.make_scalar(1.0) / column.load(k);
        const double work = detail::operations_of(space_) * static_cast<double>((m - k) * (end - k));
        blas::detail::parallel_ranges(end - k - 1, 1, work, [&](index_t from, index_t to) {
            for (index_t j = k + 1 + from; j < k + 1 + to; ++j) {
                blas::axpy(exec, -(column.load(j) * inverse), column.part(j, m), a.column(j).part(j, m));
            }
        });
        blas::scal(exec, inverse, column.part(k + 1, m));
    }
}

template <array_space S>
void block_elimination<S>::eliminate_pair(view a, index_t k, index_t end)
{
    const index_t m = a.rows;
    if constexpr (is_native) {
        detail::eliminate_symmetric_pair(a.block(k, k, m - k, end - k));
    } else {
        const host_executor exec;
        const auto first = a.column(k), second = a.column(k + 1);
        const scalar one = space_.make_scalar(1.0), beside = first.load(k + 1);
        const scalar of_first = first.load(k) / beside, of_second = second.load(k + 1) / beside;
        const scalar t = one / (of_first * of_second - one) / beside;  // inverse(D) = [of_second, -1; -1, of_first] t
        const scalar e_11 = of_second * t, e_22 = of_first * t, e_12 = -t;
        const double work = 2.0 * detail::operations_of(space_) * static_cast<double>((m - k) * (end - k));
        blas::detail::parallel_ranges(end - k - 2, 1, work, [&](index_t from, index_t to) {
            for (index_t j = k + 2 + from; j < k + 2 + to; ++j) {
                const scalar x = first.load(j), y = second.load(j);
                const auto rest = a.column(j).part(j, m);
                blas::axpy(exec, -(e_11 * x + e_12 * y), first.part(j, m), rest);
                blas::axpy(exec, -(e_12 * x + e_22 * y), second.part(j, m), rest);
            }
        });
        if (k + 2 < m) {
            auto held = space_.make_host_vector(m - k - 2);
            const auto x = first.part(k + 2, m), y = second.part(k + 2, m);
            blas::copy(exec, x, held.view());
            blas::waxpby(exec, e_11, x, e_12, y, x);
            blas::waxpby(exec, e_12, std::as_const(held).view(), e_22, y, y);
        }
        second.store(k, beside);
        first.store(k + 1, space_.make_scalar(0.0));
    }
}

template <array_space S>
void block_elimination<S>::swap_symmetric(view a, index_t begin, index_t p, index_t q)
    requires(S::on_host)
{
    const auto of_p = a.column(p), of_q = a.column(q);
    for (index_t j = begin; j < p; ++j) {
        detail::swap_elements<element>(a.column(j), p, q);
    }
    detail::exchange<element>(of_p, p, of_q, q);
    for (index_t i = p + 1; i < q; ++i) {
        detail::exchange<element>(of_p, i, a.column(i), q);
    }
    for (index_t i = q + 1; i < a.rows; ++i) {
        detail::exchange<element>(of_p, i, of_q, i);
    }
}

template <array_space S>
void block_elimination<S>::rearrange(view a, index_t begin, const std::vector<index_t>& from)
{
    const auto n = static_cast<index_t>(from.size());
    const std::vector<index_t> columns = ldl_.column;
    std::vector<index_t> source;
    for (index_t k = 0; k < n; ++k) {
        const index_t place = from[static_cast<std::size_t>(k)];
        source.push_back(place - begin);
        ldl_.column[static_cast<std::size_t>(begin + k)] = columns[static_cast<std::size_t>(place)];
    }
    move_symmetric(a.block(begin, begin, a.rows - begin, n), source);
}

template <array_space S>
void block_elimination<S>::move_symmetric(view a, const std::vector<index_t>& from)
    requires(S::on_host)
{
    const host_executor exec;
    const index_t m = a.rows, n = a.cols;
    auto copy = space_.make_matrix(m, n);
    const view held = copy.view();
    const auto source = [&](index_t k) { return from[static_cast<std::size_t>(k)]; };
    const double operations = static_cast<double>(m * n * precision_of(space_)) / 32.0;
    blas::detail::parallel_ranges(n, 1, operations, [&](index_t first, index_t last) {
        for (index_t j = first; j < last; ++j) {
            blas::copy(exec, a.column(j).part(j, m), held.column(j).part(j, m));
        }
    });
    blas::detail::parallel_ranges(n, 1, operations, [&](index_t first, index_t last) {
        for (index_t j = first; j < last; ++j) {
            for (index_t i = j; i < n; ++i) {
                const index_t p = source(i), q = source(j);
                detail::copy_element<element>(held.column(std::min(p, q)), std::max(p, q), a.column(j), i);
            }
            blas::copy(exec, held.column(source(j)).part(n, m), a.column(j).part(n, m));
        }
    });
}

template <array_space S>
template <class F>
void block_elimination<S>::with_rows(view a, index_t first, index_t begin, index_t end, const F& f)
{
    const std::vector<index_t> before(ldl_.column.begin() + begin, ldl_.column.begin() + end);
    f();
    if (first == begin || std::equal(before.begin(), before.end(), ldl_.column.begin() + begin)) {
        return;
    }
    std::vector<index_t> place(ldl_.column.size()), order;
    for (index_t k = 0; k < end - begin; ++k) {
        place[static_cast<std::size_t>(before[static_cast<std::size_t>(k)])] = k;
    }
    std::transform(ldl_.column.begin() + begin, ldl_.column.begin() + end, std::back_inserter(order),
                   [&](index_t column) { return place[static_cast<std::size_t>(column)]; });
    swap_rows(a.block(begin, first, end - begin, begin - first), swaps_of(order), 0, end - begin);
}

template <array_space S>
void block_elimination<S>::update_lower(view a, index_t begin, index_t end, index_t first, index_t last)
    requires multiplied_number<typename S::element>
{
    if (begin == end || first == last) {
        return;
    }
    const view l = a.block(first, begin, a.rows - first, end - begin);
    auto v = space_.make_matrix(end - begin, last - first);
    times_pivots(a, begin, l.block(0, 0, last - first, end - begin), v.view());
    subtract_lower(l, v.view(), a.block(first, first, a.rows - first, last - first));
}

template <array_space S>
void block_elimination<S>::times_pivots(view a, index_t begin, view l, view v)
    requires(S::on_host)
{
    const double operations = 2.0 * detail::operations_of(space_) * static_cast<double>(l.rows * l.cols);
    const auto is_pair = [&](index_t k) { return ldl_.is_pair[static_cast<std::size_t>(begin + k)] != 0; };
    const auto pivot = [&](index_t i, index_t j) { return a.column(begin + j).load(begin + i); };
    blas::detail::parallel_ranges(l.rows, least_columns, operations, [&](index_t from, index_t to) {
        if constexpr (is_native) {
            for (index_t k = 0; k < l.cols; ++k) {
                const element* const x = l.data() + k * l.ld;
                element* const row = v.data() + k;
                if (is_pair(k)) {
                    const element d_11 = pivot(k, k), d_12 = pivot(k, k + 1), d_22 = pivot(k + 1, k + 1);
                    for (index_t i = from; i < to; ++i) {
                        row[i * v.ld] = d_11 * x[i] + d_12 * x[i + l.ld];
                        row[i * v.ld + 1] = d_12 * x[i] + d_22 * x[i + l.ld];
                    }
                    ++k;
                } else {
                    const element d = pivot(k, k);
                    for (index_t i = from; i < to; ++i) {
                        row[i * v.ld] = d * x[i];
                    }
                }
            }
        } else {
            const host_executor exec;
            auto product = space_.make_matrix(to - from, l.cols);
            const view w = product.view();
            for (index_t k = 0; k < l.cols; ++k) {
                const auto x = l.column(k).part(from, to);
                if (is_pair(k)) {
                    const auto y = l.column(k + 1).part(from, to);
                    blas::waxpby(exec, pivot(k, k), x, pivot(k, k + 1), y, w.column(k));
                    blas::waxpby(exec, pivot(k, k + 1), x, pivot(k + 1, k + 1), y, w.column(k + 1));
                    ++k;
                } else {
                    blas::copy(exec, x, w.column(k));
                    blas::scal(exec, pivot(k, k), w.column(k));
                }
            }
            detail::transpose(w, v.block(0, from, l.cols, to - from));
        }
    });
}

template <array_space S>
void block_elimination<S>::ldl_beyond(view a, const ldl_pivots& pivots, view c)
{
    if constexpr (has_products) {
        if (c.rows == 0 || pivots.count == 0) {
            return;
        }
        ldl_ = pivots;
        const view l = a.block(a.cols, 0, c.rows, pivots.count);
        auto v = space_.make_matrix(pivots.count, c.rows);
        times_pivots(a, 0, l, v.view());
        subtract_lower(l, v.view(), c);
    } else {
        throw unsupported_error("RNS floats have no products of blocks");
    }
}

}  // namespace residua
