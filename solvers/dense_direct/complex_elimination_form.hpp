#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level2/combine.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/dense_direct/block_product.hpp>
#include <residua/solvers/dense_direct/complex_elimination.hpp>
#include <residua/solvers/dense_direct/elements.hpp>

/// What complex_elimination does with real forms. For complex_elimination.cpp.
namespace residua {
namespace detail {

/// Numbers of a column that are `step` apart, from `first` on.
template <class E>
struct spread {
    column_view<E> column;
    index_t first;
    index_t step;
};

/// y <- x, n numbers of one format
template <class E>
void copy_spread(index_t n, const spread<const E>& x, const spread<E>& y)
{
    if constexpr (run_time_format<E>) {
        for (index_t k = 0; k < n; ++k) {
            copy_element<E>(x.column, x.first + k * x.step, y.column, y.first + k * y.step);
        }
    } else {
        for (int term = 0; term < number_traits<E>::terms; ++term) {
            const auto* const from = x.column.plane(term) + x.first;
            auto* const to = y.column.plane(term) + y.first;
            for (index_t k = 0; k < n; ++k) {
                to[k * y.step] = from[k * x.step];
            }
        }
    }
}

/// y_k <- x_from[k], numbers of one format
template <class E>
void gather(const std::vector<index_t>& from, column_view<const E> x, column_view<E> y)
{
    if constexpr (run_time_format<E>) {
        for (index_t k = 0; k < y.size; ++k) {
            copy_element<E>(x, from[static_cast<std::size_t>(k)], y, k);
        }
    } else {
        for (int term = 0; term < number_traits<E>::terms; ++term) {
            for (index_t k = 0; k < y.size; ++k) {
                y.plane(term)[k] = x.plane(term)[from[static_cast<std::size_t>(k)]];
            }
        }
    }
}

}  // namespace detail

/// The diagonal blocks of U are [a -b; b a] = S M [t1 t2; 0 t3], M = [1 0; q 1] with |q| <= 1 and S a swap of the two rows or
/// none. So the real form of L U is S (S L S M) (inverse(M) S U), where S and M have such blocks for all pivots: what is in
/// brackets is lower and upper triangular.
template <array_space S>
    requires(S::on_host)
std::vector<index_t> complex_elimination<S>::give_factors(view k, parts a, const std::vector<index_t>& order)
{
    const index_t n = static_cast<index_t>(order.size());
    real_pivots by{{}, space_.make_host_vector(n), {}, {}};
    std::vector<index_t> rows;
    for (index_t p = 0; p < n; ++p) {
        const scalar re = a.re.column(p).load(p), im = a.im.column(p).load(p);
        const bool swapped = abs(re) < abs(im);
        by.quotient.push_back(swapped ? re / im : im / re);
        by.minus_quotient.view().store(p, -by.quotient.back());
        by.first.push_back(swapped ? n + p : p);
        by.second.push_back(swapped ? p : n + p);
        const index_t first = 2 * order[static_cast<std::size_t>(p)], second = first + 1;
        rows.insert(rows.end(), {swapped ? second : first, swapped ? first : second});
    }
    const double work = 8.0 * detail::operations_of(space_) * static_cast<double>(n) * static_cast<double>(n);
    blas::detail::parallel_ranges(n, 1, work, [&](index_t from, index_t to) { give_columns(k, a, from, to, by); });
    return rows;
}

template <array_space S>
    requires(S::on_host)
void complex_elimination<S>::give_columns(view k, parts a, index_t begin, index_t end, const real_pivots& by)
{
    const host_executor exec;
    const index_t n = k.cols / 2;
    // Two columns of the real form, [re; im] and [-im; re], and of one of them the first and second rows of the pivots.
    auto column = space_.make_host_vector(2 * n), beside = space_.make_host_vector(2 * n);
    auto first = space_.make_host_vector(n), second = space_.make_host_vector(n);
    for (index_t j = begin; j < end; ++j) {
        io::ask_for_stop();
        const bool is_swapped = by.first[static_cast<std::size_t>(j)] != j;
        const auto re = a.re.column(j), im = a.im.column(j);
        const auto store = [&](index_t from, index_t to, auto left, auto right) {
            blas::copy(exec, re.part(from, to), left.part(from, to));
            blas::copy(exec, im.part(from, to), left.part(n + from, n + to));
            blas::copy(exec, im.part(from, to), right.part(from, to));
            blas::scal(exec, space_.make_scalar(-1.0), right.part(from, to));
            blas::copy(exec, re.part(from, to), right.part(n + from, n + to));
        };
        const auto left = column.view(), right = beside.view();
        store(0, j + 1, left, right);
        store(j + 1, n, is_swapped ? right : left, is_swapped ? left : right);
        for (const index_t below : {j + 1, n + j + 1}) {  // L: the first column and q times the second
            blas::axpy(exec, by.quotient[static_cast<std::size_t>(j)], right.part(below, below + n - j - 1),
                       left.part(below, below + n - j - 1));
        }
        for (const index_t to : {2 * j, 2 * j + 1}) {
            const auto from = to == 2 * j ? left : right;
            detail::gather<element>(by.first, from, first.view());
            detail::gather<element>(by.second, from, second.view());
            // U: the second row less q times the first
            const view upper{second.view().start, j + 1, 1, n, second.format()};
            blas::detail::combine_entries(
                exec, "complex_elimination",
                blas::detail::entry_sum<host_executor, element>{
                    .to = upper,
                    .first = {.x = blas::detail::places_of(upper)},
                    .second = {{.x = blas::detail::places_by_row(first.view()),
                                .entry = blas::detail::places_by_row(by.minus_quotient.view())}}});
            detail::copy_spread<element>(n, {first.view(), 0, 1}, {k.column(to), 0, 2});
            detail::copy_spread<element>(n, {second.view(), 0, 1}, {k.column(to), 1, 2});
        }
        k.column(2 * j).store(2 * j + 1, by.quotient[static_cast<std::size_t>(j)]);
    }
}

template <array_space S>
    requires(S::on_host)
void complex_elimination<S>::give_lower(view k, parts a)
{
    const host_executor exec;
    const index_t n = a.cols();
    const scalar zero = space_.make_scalar(0.0);
    const double work = 8.0 * static_cast<double>(n) * static_cast<double>(n);
    blas::detail::parallel_ranges(n, 1, work, [&](index_t from, index_t to) {
        auto re = space_.make_host_vector(n), im = space_.make_host_vector(n);
        for (index_t j = from; j < to; ++j) {
            const index_t rows = n - j;
            const auto left = k.column(2 * j), right = k.column(2 * j + 1);
            blas::copy(exec, a.re.column(j).part(j, n), re.view().part(j, n));
            blas::copy(exec, a.im.column(j).part(j, n), im.view().part(j, n));
            detail::copy_spread<element>(rows, {re.view(), j, 1}, {left, 2 * j, 2});
            detail::copy_spread<element>(rows, {im.view(), j, 1}, {left, 2 * j + 1, 2});
            blas::scal(exec, space_.make_scalar(-1.0), im.view().part(j, n));
            detail::copy_spread<element>(rows, {im.view(), j, 1}, {right, 2 * j, 2});
            detail::copy_spread<element>(rows, {re.view(), j, 1}, {right, 2 * j + 1, 2});
            left.store(2 * j + 1, zero);
            right.store(2 * j, zero);
        }
    });
}

}  // namespace residua
