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

/// A vector of T, a type of numbers or the tag of a format, in the memory of Exec: element i is number i * stride from
/// `start` on. The stride is not zero, and may be negative. Copying a view copies no numbers.
///
/// Elements of a vector of numbers are neighbours unless Stride is index_t, as it is for a row of a matrix. Operations
/// of blas take neighbours; those on run-time formats take any stride.
///
/// T may be const; a view of T converts to a view of const T.
template <class Exec, class T, class Stride = typename array_traits<std::remove_const_t<T>>::stride>
struct vector_view {
    using value_type = std::remove_const_t<T>;
    using traits = array_traits<value_type>;
    using word = typename traits::word;
    using term_type = std::conditional_t<std::is_const_v<T>, const word, word>;
    static constexpr bool read_only = std::is_const_v<T>;
    static constexpr bool in_planes = !run_time_format<value_type>;
    static constexpr int terms = traits::terms;

    typename traits::template start<read_only> start;
    index_t size = 0;
    [[no_unique_address]] Stride stride = unit_stride{};
    [[no_unique_address]] typename traits::format format = {};

    /// Elements begin, ..., end - 1.
    RESIDUA_HD vector_view part(index_t begin, index_t end) const
    {
        return {start.from(begin * stride), end - begin, stride, format};
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
    operator vector_view<Exec, const U, Stride>() const
    {
        return {start, size, stride, format};
    }
};

/// A column-major matrix of T: entry (i, j) is number j * ld + i from `start` on.
template <class Exec, class T>
struct matrix_view {
    using value_type = std::remove_const_t<T>;
    using traits = array_traits<value_type>;
    using word = typename traits::word;
    using term_type = std::conditional_t<std::is_const_v<T>, const word, word>;
    static constexpr bool read_only = std::is_const_v<T>;
    static constexpr bool in_planes = !run_time_format<value_type>;
    static constexpr int terms = traits::terms;

    typename traits::template start<read_only> start;
    index_t rows = 0;
    index_t cols = 0;
    index_t ld = 0;
    [[no_unique_address]] typename traits::format format = {};

    RESIDUA_HD vector_view<Exec, T> column(index_t j) const
    {
        return {start.from(j * ld), rows, unit_stride{}, format};
    }
    RESIDUA_HD vector_view<Exec, T, index_t> row(index_t i) const { return {start.from(i), cols, ld, format}; }

    /// Rows first_row, ..., first_row + m - 1 of columns first_col, ..., first_col + n - 1.
    RESIDUA_HD matrix_view block(index_t first_row, index_t first_col, index_t m, index_t n) const
    {
        return {start.from(first_col * ld + first_row), m, n, ld, format};
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
    operator matrix_view<Exec, const U>() const
    {
        return {start, rows, cols, ld, format};
    }
};

// Kernels take views by value. The compilers of host and device code agree on their layout, where an empty format and
// the stride 1 take no room.
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
using in_matrix = std::type_identity_t<matrix_view<Exec, const T>>;

}  // namespace residua
