#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level1/elementwise.hpp>
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

/// A multiple of a vector, added to another.
template <class S>
typename S::vector sum_with_multiple(const typename S::scalar& a, const typename S::vector& x, typename S::vector y)
{
    blas::axpy(host_executor{}, a, x.view(), y.view());
    return y;
}

template <class S>
typename S::vector negated(const S& space, typename S::vector x)
{
    blas::scal(host_executor{}, space.make_scalar(-1.0), x.view());
    return x;
}

}  // namespace detail

/// The diagonal blocks of U are [a -b; b a] = S M [t1 t2; 0 t3], M = [1 0; q 1] with |q| <= 1 and S a swap of the two rows or
/// none. So the real form of L U is S (S L S M) (inverse(M) S U), where S and M have such blocks for all pivots: what is in
/// brackets is lower and upper triangular.
template <array_space S>
    requires(S::on_host)
std::vector<index_t> complex_elimination<S>::give_factors(view k, const std::vector<index_t>& order)
{
    const index_t n = static_cast<index_t>(order.size());
    std::vector<scalar> quotient;
    std::vector<char> is_swapped;
    std::vector<index_t> rows;
    for (index_t p = 0; p < n; ++p) {
        const scalar a = parts_[0].get(p, p), b = parts_[1].get(p, p);
        const bool swapped = abs(a) < abs(b);
        quotient.push_back(swapped ? a / b : b / a);
        is_swapped.push_back(swapped ? 1 : 0);
        const index_t first = 2 * order[static_cast<std::size_t>(p)], second = first + 1;
        rows.insert(rows.end(), {swapped ? second : first, swapped ? first : second});
    }
    constexpr index_t rows_of_tile = 8;  // which one thread writes
    const double work = 8.0 * detail::operations_of(space_) * static_cast<double>(n) * static_cast<double>(n);
    blas::detail::parallel_ranges(n, rows_of_tile / 2, work, [&](index_t from, index_t to) {
        for (index_t p = from; p < to; p += rows_of_tile / 2) {
            io::ask_for_stop();
            give_rows_of_u(k, p, std::min(p + rows_of_tile / 2, to), quotient, is_swapped);
        }
    });
    blas::detail::parallel_ranges(n, 1, work, [&](index_t from, index_t to) {
        for (index_t p = from; p < to; ++p) {
            io::ask_for_stop();
            give_column_of_l(k, p, quotient[static_cast<std::size_t>(p)], is_swapped);
        }
    });
    return rows;
}

template <array_space S>
    requires(S::on_host)
void complex_elimination<S>::give_rows_of_u(view k, index_t begin, index_t end, const std::vector<scalar>& quotient,
                                            const std::vector<char>& is_swapped)
{
    const index_t n = k.cols / 2, beyond = n - begin;
    // Of each row: re, im and -im of the numbers from column `begin` on. Then what the second row of the real form has of these.
    std::vector<std::array<typename S::vector, 5>> rows;
    for (index_t p = begin; p < end; ++p) {
        rows.push_back({space_.make_host_vector(beyond), space_.make_host_vector(beyond),
                        space_.make_host_vector(beyond), space_.make_host_vector(beyond),
                        space_.make_host_vector(beyond)});
    }
    for (index_t j = begin; j < n; ++j) {
        for (index_t p = begin; p < std::min(end, j + 1); ++p) {
            auto& row = rows[static_cast<std::size_t>(p - begin)];
            detail::copy_element<element>(parts_[0].view().column(j), p, row[0].view(), j - begin);
            detail::copy_element<element>(parts_[1].view().column(j), p, row[1].view(), j - begin);
        }
    }
    for (index_t p = begin; p < end; ++p) {
        auto& [re, im, minus_im, first, second] = rows[static_cast<std::size_t>(p - begin)];
        const scalar& q = quotient[static_cast<std::size_t>(p)];
        minus_im = detail::negated(space_, im);
        if (is_swapped[static_cast<std::size_t>(p)] != 0) {  // [re -im] - q [im re]
            first = detail::sum_with_multiple<S>(-q, im, re);
            second = detail::sum_with_multiple<S>(-q, re, minus_im);
            std::swap(re, im);  // the first row of the real form: [im re]
            std::swap(minus_im, im);
        } else {  // [im re] - q [re -im]
            first = detail::sum_with_multiple<S>(-q, re, im);
            second = detail::sum_with_multiple<S>(q, im, re);
        }
    }
    for (index_t j = begin; j < n; ++j) {
        for (index_t p = begin; p < std::min(end, j + 1); ++p) {
            const auto& [upper, unused, upper_beside, lower, lower_beside] = rows[static_cast<std::size_t>(p - begin)];
            detail::copy_element<element>(upper.view(), j - begin, k.column(2 * j), 2 * p);
            detail::copy_element<element>(upper_beside.view(), j - begin, k.column(2 * j + 1), 2 * p);
            detail::copy_element<element>(lower.view(), j - begin, k.column(2 * j), 2 * p + 1);
            detail::copy_element<element>(lower_beside.view(), j - begin, k.column(2 * j + 1), 2 * p + 1);
        }
    }
    for (index_t p = begin; p < end; ++p) {
        k.column(2 * p).store(2 * p + 1, quotient[static_cast<std::size_t>(p)]);
    }
}

template <array_space S>
    requires(S::on_host)
void complex_elimination<S>::give_column_of_l(view k, index_t column, const scalar& quotient,
                                              const std::vector<char>& is_swapped)
{
    const index_t n = k.cols / 2, first = column + 1;
    auto re = space_.make_host_vector(n - first), im = space_.make_host_vector(n - first);
    blas::copy(host_executor{}, parts_[0].view().column(column).part(first, n), re.view());
    blas::copy(host_executor{}, parts_[1].view().column(column).part(first, n), im.view());
    const auto write = [&](index_t j, const auto& upper, const auto& lower) {
        const auto to = k.column(j);
        detail::copy_spread<element>(n - first, {upper.view(), 0, 1}, {to, 2 * first, 2});
        detail::copy_spread<element>(n - first, {lower.view(), 0, 1}, {to, 2 * first + 1, 2});
        for (index_t i = first; i < n; ++i) {
            if (is_swapped[static_cast<std::size_t>(i)] != 0) {
                detail::swap_elements<element>(to, 2 * i, 2 * i + 1);
            }
        }
    };
    const auto minus_im = detail::negated(space_, im);
    if (is_swapped[static_cast<std::size_t>(column)] != 0) {  // columns [-im; re] and [re; im]
        write(2 * column, detail::sum_with_multiple<S>(quotient, re, minus_im),
              detail::sum_with_multiple<S>(quotient, im, re));
        write(2 * column + 1, re, im);
    } else {
        write(2 * column, detail::sum_with_multiple<S>(quotient, minus_im, re),
              detail::sum_with_multiple<S>(quotient, re, im));
        write(2 * column + 1, minus_im, re);
    }
}

template <array_space S>
    requires(S::on_host)
void complex_elimination<S>::give_lower(view k)
{
    const index_t n = k.cols / 2;
    const view re = parts_[0].view(), im = parts_[1].view();
    const scalar zero = space_.make_scalar(0.0);
    blas::detail::parallel_ranges(
        n, 1, 8.0 * static_cast<double>(n) * static_cast<double>(n), [&](index_t from, index_t to) {
            for (index_t j = from; j < to; ++j) {
                const index_t rows = n - j;
                detail::copy_spread<element>(rows, {re.column(j), j, 1}, {k.column(2 * j), 2 * j, 2});
                detail::copy_spread<element>(rows, {re.column(j), j, 1}, {k.column(2 * j + 1), 2 * j + 1, 2});
                detail::copy_spread<element>(rows, {im.column(j), j, 1}, {k.column(2 * j), 2 * j + 1, 2});
                blas::scal(host_executor{}, space_.make_scalar(-1.0), im.column(j));
                detail::copy_spread<element>(rows, {im.column(j), j, 1}, {k.column(2 * j + 1), 2 * j, 2});
                k.column(2 * j).store(2 * j + 1, zero);
                k.column(2 * j + 1).store(2 * j, zero);
            }
        });
}

}  // namespace residua
