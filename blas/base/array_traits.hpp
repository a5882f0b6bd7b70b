#pragma once

#include <string>
#include <type_traits>

#include <residua/arith/base/host_device.hpp>
#include <residua/arith/base/number_traits.hpp>
#include <residua/io/error.hpp>

/// How the numbers of a format lie in memory, which is all that views, vectors and matrices know of a format.
namespace residua {

/// For a format T, either a type of numbers (double, float, expansion<double, N>) or the tag of a format whose
/// precision is a run-time value (multidigit, rns), it has:
///
///   format            what an array has to know of its numbers: empty for types of numbers, otherwise the precision.
///                     Cheap to copy, equality, bits(), precision_bits(), bytes() of a number
///   number            one number
///   word, terms       in planes: what a term is stored in, and how many terms, and planes, there are; 0 planes: tiles
///   start<Const>      where numbers begin in memory; from(i): where number i does; converts to start<true>
///   stride            the stride of a vector whose elements are neighbours: unit_stride or index_t
///   storage<Exec>     owns the memory of n numbers, zero at first: storage(format, n, exec), format(), start(),
///                     for_each_buffer(f); storage(other, move): the words of another executor's
///   padded(n)         the numbers for which the memory of n numbers has room
///   column(rows)      the leading dimension of a matrix
///   constant(format, x) the number of a format that is nearest to a double
///   operations(format) the rough cost of a multiply-add, in operations on binary64 words
///   described(format) the format in messages: "numbers of double", "RNS floats of 424 bits"
///   load(format, start, i), store(format, start, i, number)   of run-time formats, on the host
template <class T>
struct array_traits;

/// Elements that are neighbours in memory: the stride 1, known at compile time.
struct unit_stride {
    RESIDUA_HD constexpr operator index_t() const { return 1; }
};

/// The format of numbers whose type says everything.
template <class T>
struct type_format {
    static constexpr long bits() { return precision_bits(); }
    static constexpr long precision_bits() { return number_traits<T>::precision_bits; }
    static constexpr double bytes() { return sizeof(typename number_traits<T>::word) * number_traits<T>::terms; }

    friend constexpr bool operator==(const type_format&, const type_format&) { return true; }
};

namespace detail {

inline constexpr index_t cache_line_words = 8;
inline constexpr index_t page_words = 512;
inline constexpr index_t most_words = index_t{1} << 60;

/// The least plane stride for n numbers that keeps every plane on a cache line and, from a page
/// on, spreads 8 planes evenly over the 4096 bytes after which addresses look alike to a
/// processor's store buffer and to the sets of its first cache: an odd multiple of 512 bytes.
constexpr index_t padded_plane(index_t n)
{
    if (n < page_words) {
        return (n + cache_line_words - 1) / cache_line_words * cache_line_words;
    }
    constexpr index_t step = page_words / 8;
    const index_t steps = (n + step - 1) / step;
    return (steps | 1) * step;
}

/// The least leading dimension for columns of n numbers: whole cache lines, from a page on an
/// odd number of them, so that equal rows of neighbouring columns fall into different sets.
constexpr index_t padded_column(index_t n)
{
    const index_t lines = (n + cache_line_words - 1) / cache_line_words;
    return (n < page_words ? lines : lines | 1) * cache_line_words;
}

/// n numbers in whole tiles, for the traits of formats whose numbers lie in tiles; at least one tile.
template <index_t Tile>
constexpr index_t whole_tiles(index_t n)
{
    return n > 0 ? (n + Tile - 1) / Tile * Tile : Tile;
}

/// Numbers in planes: term k of number i is data[k * plane_stride + i].
template <class Word>
struct number_planes {
    Word* data = nullptr;
    index_t plane_stride = 0;

    number_planes() = default;
    /// Not an aggregate, so that a size is never taken for a stride.
    RESIDUA_HD constexpr number_planes(Word* first, index_t apart) : data(first), plane_stride(apart) {}

    RESIDUA_HD number_planes from(index_t i) const { return {data + i, plane_stride}; }

    template <class W = Word>
        requires(std::is_same_v<W, Word> && !std::is_const_v<W>)
    RESIDUA_HD operator number_planes<const W>() const
    {
        return {data, plane_stride};
    }
};

template <class Exec, class T>
class plane_storage;

}  // namespace detail

template <class T>
    requires(number_traits<T>::terms > 0)
struct array_traits<T> {
    using format = type_format<T>;
    using number = T;
    using word = typename number_traits<T>::word;
    static constexpr int terms = number_traits<T>::terms;
    template <bool Const>
    using start = detail::number_planes<std::conditional_t<Const, const word, word>>;
    using stride = unit_stride;
    template <class Exec>
    using storage = detail::plane_storage<Exec, T>;

    static constexpr index_t padded(index_t n) { return detail::padded_plane(n); }
    static constexpr index_t column(index_t rows) { return detail::padded_column(rows); }
    static constexpr number constant(const format&, double x) { return static_cast<T>(x); }
    static constexpr double operations(const format& = {}) { return terms * terms * (2.0 * terms + 1.0); }
    static std::string described(const format&) { return "numbers of " + std::string(number_traits<T>::name); }
};

/// A format whose arrays have a precision of their own.
template <class T>
concept run_time_format = !std::is_empty_v<typename array_traits<T>::format>;

}  // namespace residua
