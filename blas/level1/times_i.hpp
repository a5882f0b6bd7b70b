#pragma once

#include <type_traits>

#include <residua/blas/level1/elementwise.hpp>

namespace residua::blas {

namespace detail {

/// What becomes of pairs of a real and an imaginary part.
enum class pair_map { times_i, conjugate };

/// times_i or conjugate of checked operands, for types of numbers.
template <pair_map Map, number T>
void map_pairs(const host_executor&, in_vector<host_executor, T> x, vector_view<host_executor, T> y);
template <pair_map Map, number T>
void map_pairs(const cuda_executor& exec, in_vector<cuda_executor, T> x, vector_view<cuda_executor, T> y);

/// Elements first, first + 2, ... of a vector with an even number of elements.
template <class View>
View every_second(const View& x, index_t first)
{
    View half = x.part(first, x.size);
    half.size = x.size / 2;
    half.stride = 2 * x.stride;
    return half;
}

/// times_i or conjugate of multi-digit floats, word by word. It does nothing and returns false if the elements are not
/// contiguous, or if x and y begin at different places of a tile, or at an odd one.
bool map_pairs_in_tiles(pair_map map, const vector_view<host_executor, const multidigit>& x,
                        const vector_view<host_executor, multidigit>& y);

/// times_i or conjugate of checked operands of run-time formats.
template <pair_map Map, run_time_format T, class Exec>
void map_pairs(const Exec& exec, in_vector<Exec, T> x, out_vector<Exec, T> y)
{
    if (y.size == 0) {
        return;
    }
    if constexpr (std::is_same_v<T, multidigit> && std::is_same_v<Exec, host_executor>) {
        if (map_pairs_in_tiles(Map, x, y)) {
            return;
        }
    }
    constexpr index_t negated = Map == pair_map::times_i ? 0 : 1;
    const auto to = every_second(y, negated);
    copy<T>(exec, every_second(x, 1), to);
    scal<T>(exec, typename array_traits<T>::number(y.format, -1.0), to);
    copy<T>(exec, every_second(x, 0), every_second(y, 1 - negated));
}

/// The operation `name` on any operands.
template <pair_map Map, class T, class Exec>
void checked_map_pairs(const char* name, const Exec& exec, in_vector<Exec, T> x, out_vector<Exec, T> y)
{
    require_equal(name, "sizes of x and y", x.size, y.size);
    require_equal(name, "size of x and a size of pairs", x.size, x.size / 2 * 2);
    require_formats(name, y, x);
    map_pairs<Map, T>(exec, x, y);
}

}  // namespace detail

/// y <- i x for complex vectors whose real and imaginary parts alternate: y_{2k} = -x_{2k+1}, y_{2k+1} = x_{2k}
///
/// shapes   x (2n), y (2n), for n complex numbers; y does not overlap x
/// errors   none: numbers are copied, and a negated one has the other sign in every term, zeros too where they have
///          a sign
/// cost     reads and writes 2n numbers; RNS floats, and multi-digit floats on a device, read and write n more
/// order    elementwise: the same bits for any thread count and executor
/// throws   dimension_error if sizes differ or are odd, error if formats do; on a device cuda_error if the launch fails
template <class T, class Exec>
void times_i(const Exec& exec, in_vector<Exec, T> x, out_vector<Exec, T> y)
{
    detail::checked_map_pairs<detail::pair_map::times_i, T>("times_i", exec, x, y);
}

/// y <- conj(x) for complex vectors whose real and imaginary parts alternate: y_{2k} = x_{2k}, y_{2k+1} = -x_{2k+1}; the
/// rest as for times_i
template <class T, class Exec>
void conjugate(const Exec& exec, in_vector<Exec, T> x, out_vector<Exec, T> y)
{
    detail::checked_map_pairs<detail::pair_map::conjugate, T>("conjugate", exec, x, y);
}

}  // namespace residua::blas
