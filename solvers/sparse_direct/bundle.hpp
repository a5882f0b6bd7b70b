#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <residua/arith/base/bits.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level1/permute.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/solvers/dense_direct/binary64_columns.hpp>
#include <residua/solvers/dense_direct/block_product.hpp>
#include <residua/solvers/dense_direct/elements.hpp>
#include <residua/solvers/space/blas_space.hpp>

/// Bundles, the blocks of right-hand sides that fronts work on: one vector, or in binary64 up to eight side by side.
namespace residua::detail {

/// The space of the right-hand sides for factors in space S: it is S, but binary64 for factors in binary32.
template <class S>
struct solve_space_of {
    using type = S;
    static const S& from(const S& space) { return space; }
};
template <>
struct solve_space_of<host_space<float>> {
    using type = host_space<double>;
    static type from(const host_space<float>& space) { return {space.exec}; }
};

template <class E>
struct bundle_of {
    using type = column_view<E>;
    static constexpr index_t most = 1;
    static constexpr std::size_t together = 4;  ///< blocks for which factors are read once
};
template <>
struct bundle_of<double> {
    using type = binary64_columns;
    static constexpr index_t most = binary64_columns::most;
    static constexpr std::size_t together = 2;
};
template <class E>
using bundle = typename bundle_of<E>::type;

template <class E>
bundle<E> bundle_at(column_view<E> numbers, [[maybe_unused]] index_t width)
{
    if constexpr (std::is_same_v<E, double>) {
        return {numbers.data(), numbers.size / width, width};
    } else {
        return numbers;
    }
}

template <class E>
bundle<E> part_of(const bundle<E>& x, index_t begin, index_t size)
{
    if constexpr (std::is_same_v<E, double>) {
        return x.part(begin, begin + size);
    } else {
        return x.part(begin, begin + size);
    }
}

/// How many vectors a block has room for.
template <class E>
index_t width_of([[maybe_unused]] const bundle<E>& x)
{
    if constexpr (std::is_same_v<E, double>) {
        return x.width;
    } else {
        return 1;
    }
}

/// Number i of a vector, read and written.
template <class E>
auto load(const bundle<E>& x, index_t i, [[maybe_unused]] index_t vector)
{
    if constexpr (std::is_same_v<E, double>) {
        return x.data[i * x.width + vector];
    } else {
        return x.load(i);
    }
}
template <class E, class T>
void store(const bundle<E>& x, index_t i, [[maybe_unused]] index_t vector, const T& number)
{
    if constexpr (std::is_same_v<E, double>) {
        x.data[i * x.width + vector] = number;
    } else {
        x.store(i, number);
    }
}

/// 2^e x
template <class T>
T times_power_of_two(const T& x, int e)
{
    if constexpr (number<T>) {
        return blas::detail::times_power(pow2(e), x);
    } else {
        return ldexp(x, e);
    }
}

/// y_i <- 0
template <class S, class E>
void clear(const S& space, const bundle<E>& y)
{
    if constexpr (std::is_same_v<E, double>) {
        std::fill_n(y.data, y.size * y.width, 0.0);
    } else {
        blas::fill(host_executor{}, space.make_scalar(0.0), y);
    }
}

/// The numbers of a front in a block of right-hand sides: numbers of its pivots, and of its other rows (the rest).
template <class E>
struct front_numbers {
    const bundle<E>&of_pivots, &of_rest;
    index_t pivots_begin, rest_begin, pivots;

    /// The part that has number i, and the place of the number there.
    std::pair<const bundle<E>&, index_t> at(index_t i) const
    {
        if (i < pivots) {
            return {of_pivots, pivots_begin + i};
        }
        return {of_rest, rest_begin + i - pivots};
    }
};

/// y_(place_i) <- y_(place_i) + x_(begin + i)
template <class S, class E>
void add_to_places([[maybe_unused]] const S& space, const bundle<E>& x, index_t begin,
                   std::span<const std::int32_t> place, const front_numbers<E>& y)
{
    const auto size = static_cast<index_t>(place.size());
    if constexpr (number<E>) {
        for (index_t i = 0; i < size; ++i) {
            const auto [to, k] = y.at(place[i]);
            for (index_t c = 0; c < width_of<E>(x); ++c) {
                store<E>(to, k, c, load<E>(to, k, c) + load<E>(x, begin + i, c));
            }
        }
    } else {
        for (index_t i = 0, end = 0; i < size; i = end) {
            for (end = i + 1; end < size && place[end] == place[end - 1] + 1 && place[end] != y.pivots; ++end) {
            }
            const auto [to, k] = y.at(place[i]);
            blas::axpy(host_executor{}, space.make_scalar(1.0), x.part(begin + i, begin + end),
                       to.part(k, k + end - i));
        }
    }
}

/// x_(begin + i) <- y_(place_i)
template <class E>
void take_from_places(const front_numbers<E>& y, std::span<const std::int32_t> place, const bundle<E>& x, index_t begin)
{
    for (index_t i = 0; i < static_cast<index_t>(place.size()); ++i) {
        const auto [from, k] = y.at(place[i]);
        if constexpr (std::is_same_v<E, double>) {
            for (index_t c = 0; c < x.width; ++c) {
                x.data[(begin + i) * x.width + c] = from.data[k * x.width + c];
            }
        } else {
            copy_element<E>(from, k, x, begin + i);
        }
    }
}

/// x <- inverse(T) x or inverse(T') x, T a triangle of A, for each block from place `begin` on
template <class E, class F>
void solve_triangle(blas::uplo triangle, blas::diag diagonal, bool transposed, matrix_view<host_executor, F> a,
                    const std::vector<bundle<E>>& x, index_t begin)
{
    for (const bundle<E>& each : x) {
        const bundle<E> v = part_of<E>(each, begin, a.cols);
        if constexpr (std::is_same_v<E, double>) {
            solve_triangle(triangle, diagonal, transposed, a, v);
        } else {
            blas::trsv(host_executor{}, triangle, transposed ? blas::trans::yes : blas::trans::no, diagonal, a, v, v);
        }
    }
}

/// y <- y - A x, or y - A' x, for each block from these places on. Rows, or columns, of A go to threads in pieces that
/// stay in the second cache while one block after the other takes them; the result does not depend on the pieces.
///
/// space   of the entries of A
template <class S, class E>
void subtract_product_of(const S& space, matrix_view<host_executor, typename S::element> a, bool transposed,
                         const std::vector<bundle<E>>& x, index_t x_begin, const std::vector<bundle<E>>& y,
                         index_t y_begin)
{
    constexpr index_t grain = 8;                   // numbers that are computed at once
    constexpr double bytes_of_piece = 256 * 1024;  // bench/solvers/sparse_bench
    const index_t count = transposed ? a.cols : a.rows, inner = transposed ? a.rows : a.cols;
    if (count == 0 || inner == 0) {
        return;
    }
    const double bits = static_cast<double>(precision_of(space));
    const auto most = static_cast<index_t>(8.0 * bytes_of_piece / (bits * static_cast<double>(inner)));
    const index_t piece = x.size() == 1 ? count : std::max(grain, most / grain * grain);
    const double operations = operations_of(space) * static_cast<double>(count) * static_cast<double>(inner) *
                              static_cast<double>(x.size()) * static_cast<double>(width_of<E>(x.front()));
    blas::detail::parallel_ranges(count, grain, operations, [&](index_t from, index_t to) {
        for (index_t i = from; i < to; i += piece) {
            const index_t size = std::min(piece, to - i);
            const auto part_of_a = transposed ? a.block(0, i, inner, size) : a.block(i, 0, size, inner);
            for (std::size_t k = 0; k < x.size(); ++k) {
                const bundle<E> x_k = part_of<E>(x[k], x_begin, inner), y_k = part_of<E>(y[k], y_begin + i, size);
                if constexpr (std::is_same_v<E, double>) {
                    transposed ? subtract_transposed(part_of_a, x_k, y_k) : subtract(part_of_a, x_k, y_k);
                } else {
                    blas::gemv(host_executor{}, transposed ? blas::trans::yes : blas::trans::no,
                               space.make_scalar(-1.0), part_of_a, x_k, space.make_scalar(1.0), y_k);
                }
            }
        }
    });
}

}  // namespace residua::detail
