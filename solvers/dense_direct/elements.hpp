#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/blas/base/view.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/multidigit/for_indices.hpp>
#include <residua/solvers/dense_direct/native_blocks.hpp>

/// What dense factors do with single elements and parts of columns on the host, in every format.
namespace residua::detail {

template <class E>
using column_view = vector_view<host_executor, E>;

template <class E>
void swap_elements(column_view<E> x, index_t i, index_t j)
{
    if constexpr (std::is_same_v<E, multidigit>) {
        std::uint32_t* const x_i = x.start.number(i * x.stride);
        std::uint32_t* const x_j = x.start.number(j * x.stride);
        for (int k = 0; k <= x.start.digits * words_apart; k += words_apart) {
            std::swap(x_i[k], x_j[k]);
        }
    } else if constexpr (run_time_format<E>) {
        residua::vector<host_executor, E> held(x.format, 1);
        const host_executor exec;
        const auto x_i = x.part(i, i + 1), x_j = x.part(j, j + 1);
        blas::copy(exec, x_i, held.view());
        blas::copy(exec, x_j, x_i);
        blas::copy(exec, held.view(), x_j);
    } else {
        const E x_i = x.load(i);
        x.store(i, x.load(j));
        x.store(j, x_i);
    }
}

/// Swaps x_k and x_with[k] for k = begin, ..., end - 1, in turn.
template <class E>
void swap_elements(column_view<E> x, const std::vector<index_t>& with, index_t begin, index_t end)
{
    if constexpr (run_time_format<E>) {
        for (index_t k = begin; k < end; ++k) {
            if (const index_t p = with[static_cast<std::size_t>(k)]; p != k) {
                swap_elements<E>(x, k, p);
            }
        }
    } else {
        for (int term = 0; term < number_traits<E>::terms; ++term) {
            auto* const numbers = x.plane(term);
            for (index_t k = begin; k < end; ++k) {
                std::swap(numbers[k], numbers[with[static_cast<std::size_t>(k)]]);
            }
        }
    }
}

/// y_j <- x_i, of numbers of one format
template <class E>
void copy_element(column_view<const E> x, index_t i, column_view<E> y, index_t j)
{
    if constexpr (std::is_same_v<E, multidigit>) {
        const std::uint32_t* const from = x.start.number(i * x.stride);
        std::uint32_t* const to = y.start.number(j * y.stride);
        for (int k = 0; k <= x.start.digits * words_apart; k += words_apart) {
            to[k] = from[k];
        }
    } else {
        y.store(j, x.load(i));
    }
}

/// The index of the largest |x_i| (iamax), the first of several; n > 0.
template <class E>
index_t place_of_largest(column_view<E> x)
{
    if constexpr (std::is_same_v<E, multidigit>) {
        return blas::detail::place_of_largest(host_executor{}, {x.start, x.stride}, x.size);
    } else if constexpr (run_time_format<E>) {
        index_t place = 0;
        auto largest = abs(x.load(0));
        for (index_t i = 1; i < x.size; ++i) {
            auto candidate = abs(x.load(i));
            if (largest < candidate) {
                largest = std::move(candidate);
                place = i;
            }
        }
        return place;
    } else {
        // the first terms, each within two of its ulps of the number, show which is larger unless they are neighbours
        index_t place = 0;
        double largest = std::abs(static_cast<double>(x.data()[0]));
        for (index_t i = 1; i < x.size; ++i) {
            const double candidate = std::abs(static_cast<double>(x.data()[i]));
            const double near = number_traits<E>::terms == 1 ? 0.0 : 0x1p-50 * largest;
            if (candidate > largest + near ||
                (number_traits<E>::terms > 1 && candidate >= largest - near && abs(x.load(place)) < abs(x.load(i)))) {
                largest = candidate;
                place = i;
            }
        }
        return place;
    }
}

/// first_column_out_of_range() of a matrix that was eliminated, by the first terms of its numbers. Multi-digit and RNS
/// floats, whose exponents have room for whatever elimination makes of such numbers, have no such column.
template <class E>
index_t column_out_of_range(const host_executor&, [[maybe_unused]] matrix_view<host_executor, E> a,
                            [[maybe_unused]] bool lower)
{
    if constexpr (run_time_format<E>) {
        return -1;
    } else {
        return first_column_out_of_range(native_block<typename decltype(a)::word>{{a.data(), 0}, a.rows, a.cols, a.ld},
                                         lower);
    }
}

/// A 2 x 2 pivot b [x, 1; 1, y] of L D L', so that no product of two of its numbers is out of range.
///
/// T   the scalar of solves
template <class T>
struct pair_pivot {
    T b, x, y, det;  ///< det = x y - 1

    /// Pivots k and k + 1 of a matrix after block_elimination::ldl().
    template <class View>
    pair_pivot(const View& p, index_t k, const T& one)
        : b(static_cast<T>(p.column(k + 1).load(k))),
          x(static_cast<T>(p.column(k).load(k)) / b),
          y(static_cast<T>(p.column(k + 1).load(k + 1)) / b),
          det(x * y - one)
    {}
};

/// B <- A'
template <class E>
void transpose(matrix_view<host_executor, E> a, matrix_view<host_executor, E> b)
{
    if constexpr (run_time_format<E>) {
        for (index_t i = 0; i < a.rows; ++i) {
            blas::copy(host_executor{}, a.row(i), b.column(i));
        }
    } else {
        for (index_t j = 0; j < a.cols; ++j) {
            for (index_t i = 0; i < a.rows; ++i) {
                b.column(i).store(j, a.column(j).load(i));
            }
        }
    }
}

}  // namespace residua::detail
