#pragma once

#include <concepts>
#include <type_traits>

#include <residua/arith/base/host_device.hpp>
#include <residua/arith/base/number_traits.hpp>
#include <residua/blas/base/array_traits.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/unroll.hpp>
#include <residua/io/error.hpp>

namespace residua {

/// Term k of a number: the number itself for double and float, x[k] for a format of several terms.
RESIDUA_HD const double& term(const double& x, int) { return x; }
RESIDUA_HD double& term(double& x, int) { return x; }
RESIDUA_HD const float& term(const float& x, int) { return x; }
RESIDUA_HD float& term(float& x, int) { return x; }
template <class T>
    requires(number_traits<std::remove_const_t<T>>::terms > 1)
RESIDUA_HD auto& term(T& x, int k)
{
    return x[k];
}

namespace detail {

// Kernels take views by value, and an empty stride or format takes no room in them. They are bases of views: nvcc 13.0 gives
// a kernel's parameter that has empty members with [[no_unique_address]] twice the size that it has on the host.

/// The stride of a view.
template <class Stride>
struct strided {
    Stride stride = unit_stride{};

    strided() = default;
    RESIDUA_HD constexpr strided(Stride apart) : stride(apart) {}
};
template <>
struct strided<unit_stride> {
    static constexpr index_t stride = 1;

    strided() = default;
    RESIDUA_HD constexpr strided(unit_stride) {}
};

/// The format of a view.
template <class Format>
struct formatted {
    Format format;

    formatted() = default;
    RESIDUA_HD constexpr formatted(const Format& of) : format(of) {}
};
template <class Format>
    requires std::is_empty_v<Format>
struct formatted<Format> {
    static constexpr Format format = {};

    formatted() = default;
    RESIDUA_HD constexpr formatted(const Format&) {}
};

}  // namespace detail

/// A vector of T, a type of numbers or the tag of a format, in the memory of Exec: element i is number i * stride from
/// `start` on. The stride is not zero, and may be negative. Copying a view copies no numbers.
///
/// Elements of a vector of numbers are neighbours unless Stride is index_t, as it is for a row of a matrix. Operations
/// of blas take neighbours; those on run-time formats take any stride.
///
/// T may be const; a view of T converts to a view of const T.
template <class Exec, class T, class Stride = typename array_traits<std::remove_const_t<T>>::stride>
struct vector_view : detail::strided<Stride>, detail::formatted<typename array_traits<std::remove_const_t<T>>::format> {
    using value_type = std::remove_const_t<T>;
    using traits = array_traits<value_type>;
    using word = typename traits::word;
    using term_type = std::conditional_t<std::is_const_v<T>, const word, word>;
    static constexpr bool read_only = std::is_const_v<T>;
    static constexpr bool in_planes = !run_time_format<value_type>;
    static constexpr int terms = traits::terms;

    using start_type = typename traits::template start<read_only>;
    using stride_type = detail::strided<Stride>;
    using format_type = detail::formatted<typename traits::format>;
    using format_type::format;
    using stride_type::stride;

    start_type start;
    index_t size = 0;

    vector_view() = default;
    RESIDUA_HD vector_view(start_type first, index_t n, stride_type apart = {}, format_type of = {})
        : stride_type(apart), format_type(of), start(first), size(n)
    {}

    /// Elements begin, ..., end - 1.
    RESIDUA_HD vector_view part(index_t begin, index_t end) const
    {
        return {start.from(begin * stride), end - begin, *this, *this};
    }

    /// Plane k, of neighbours: element i of it is term k of element i.
    RESIDUA_HD term_type* plane(int k) const
        requires in_planes
    {
        return start.data + k * start.plane_stride;
    }
    /// Plane 0: the leading terms, or the numbers themselves where they have one term.
    RESIDUA_HD term_type* data() const
        requires in_planes
    {
        return start.data;
    }

    /// Element i, read and written.
    RESIDUA_HD value_type load(index_t i) const
        requires in_planes
    {
        value_type x;
        const index_t at = i * stride;
        detail::unroll<terms>([&](int k) __attribute__((always_inline)) {
            term(x, k) = start.data[k * start.plane_stride + at];
        });
        return x;
    }
    RESIDUA_HD void store(index_t i, const value_type& x) const
        requires(in_planes && !read_only)
    {
        const index_t at = i * stride;
        detail::unroll<terms>([&](int k) __attribute__((always_inline)) {
            start.data[k * start.plane_stride + at] = term(x, k);
        });
    }

    /// Element i of a run-time format, on the host. For single elements; use blas for loops.
    typename traits::number load(index_t i) const
        requires(!in_planes && std::same_as<Exec, host_executor>)
    {
        return traits::load(format, start, i * stride);
    }
    void store(index_t i, const typename traits::number& x) const
        requires(!in_planes && !read_only && std::same_as<Exec, host_executor>)
    {
        traits::store(format, start, i * stride, x);
    }

    template <class U = T>
        requires(std::is_same_v<U, T> && !std::is_const_v<U>)  // otherwise U would be deduced from the wanted type
    RESIDUA_HD operator vector_view<Exec, const U, Stride>() const
    {
        return {start, size, *this, *this};
    }
};

/// A column-major matrix of T: entry (i, j) is number j * ld + i from `start` on.
template <class Exec, class T>
struct matrix_view : detail::formatted<typename array_traits<std::remove_const_t<T>>::format> {
    using value_type = std::remove_const_t<T>;
    using traits = array_traits<value_type>;
    using word = typename traits::word;
    using term_type = std::conditional_t<std::is_const_v<T>, const word, word>;
    static constexpr bool read_only = std::is_const_v<T>;
    static constexpr bool in_planes = !run_time_format<value_type>;
    static constexpr int terms = traits::terms;

    using start_type = typename traits::template start<read_only>;
    using format_type = detail::formatted<typename traits::format>;
    using format_type::format;

    start_type start;
    index_t rows = 0;
    index_t cols = 0;
    index_t ld = 0;

    matrix_view() = default;
    RESIDUA_HD matrix_view(start_type first, index_t m, index_t n, index_t apart, format_type of = {})
        : format_type(of), start(first), rows(m), cols(n), ld(apart)
    {}

    RESIDUA_HD vector_view<Exec, T> column(index_t j) const { return {start.from(j * ld), rows, {}, *this}; }
    RESIDUA_HD vector_view<Exec, T, index_t> row(index_t i) const { return {start.from(i), cols, ld, *this}; }

    /// Rows first_row, ..., first_row + m - 1 of columns first_col, ..., first_col + n - 1.
    RESIDUA_HD matrix_view block(index_t first_row, index_t first_col, index_t m, index_t n) const
    {
        return {start.from(first_col * ld + first_row), m, n, ld, *this};
    }

    /// Plane k: entry (i, j) of it, at j * ld + i, is term k of entry (i, j).
    RESIDUA_HD term_type* plane(int k) const
        requires in_planes
    {
        return start.data + k * start.plane_stride;
    }
    RESIDUA_HD term_type* data() const
        requires in_planes
    {
        return start.data;
    }

    template <class U = T>
        requires(std::is_same_v<U, T> && !std::is_const_v<U>)
    RESIDUA_HD operator matrix_view<Exec, const U>() const
    {
        return {start, rows, cols, ld, *this};
    }
};

// What is empty takes no room.
static_assert(sizeof(vector_view<void, double>) == sizeof(detail::number_planes<double>) + sizeof(index_t));
static_assert(sizeof(vector_view<void, double, index_t>) == sizeof(vector_view<void, double>) + sizeof(index_t));
static_assert(sizeof(matrix_view<void, double>) == sizeof(detail::number_planes<double>) + 3 * sizeof(index_t));

/// Arguments of operations of every format and executor. T is deduced from what is written alone, so that a view of T
/// converts to one to be read, and a vector to a view where T is given.
template <class Exec, class T>
using out_vector = vector_view<std::type_identity_t<Exec>, T>;
template <class Exec, class T>
using in_vector = std::type_identity_t<vector_view<Exec, const T>>;
template <class Exec, class T>
using out_matrix = matrix_view<std::type_identity_t<Exec>, T>;
template <class Exec, class T>
using in_matrix = std::type_identity_t<matrix_view<Exec, const T>>;

}  // namespace residua
