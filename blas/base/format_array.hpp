#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include <residua/blas/base/matrix.hpp>
#include <residua/blas/base/vector.hpp>

/// Vectors and matrices of formats whose precision is a run-time value, which they carry.
namespace residua {

/// A specialisation for such a format T has:
///
///   format            the precision: cheap to copy, equality, bytes() of a number, precision_bits()
///   number            one number on the host, with its format
///   name              the name of the format in messages: "RNS floats"
///   tile              a multiple of the numbers that lie together
///   tiles<Const>      numbers in memory; from(i): the tiles that begin with number i; converts to tiles<true>
///   storage<Exec>     owns the memory of n numbers, zero at first: storage(format, n, exec), format(), tiles(),
///                     for_each_buffer(f); storage(other, move): the words of another executor's
///   load(format, tiles, i), store(format, tiles, i, number)   on the host
template <class T>
struct array_traits;

template <class T>
concept run_time_format = requires { typename array_traits<T>::format; };

/// A vector of T, of one format, in the memory of Exec. Element i is at start + i stride; the stride is not zero, and
/// may be negative. Copying a view copies no numbers.
template <class Exec, class T>
    requires run_time_format<std::remove_const_t<T>>
struct vector_view<Exec, T> {
    using value_type = std::remove_const_t<T>;
    using traits = array_traits<value_type>;
    static constexpr bool read_only = std::is_const_v<T>;

    typename traits::format format;
    typename traits::template tiles<read_only> start;
    index_t size = 0;
    index_t stride = 1;

    /// Elements begin, ..., end - 1.
    vector_view part(index_t begin, index_t end) const
    {
        return {format, start.from(begin * stride), end - begin, stride};
    }

    /// Element i, read and written. On the host, for single elements; use blas for loops.
    typename traits::number load(index_t i) const
        requires std::same_as<Exec, host_executor>
    {
        return traits::load(format, start, i * stride);
    }
    void store(index_t i, const typename traits::number& x) const
        requires(std::same_as<Exec, host_executor> && !read_only)
    {
        traits::store(format, start, i * stride, x);
    }

    template <class U = T>
        requires(std::same_as<U, T> && !std::is_const_v<U>)
    operator vector_view<Exec, const U>() const
    {
        return {format, start, size, stride};
    }
};

/// A column-major matrix of T: entry (i, j) is at start + j ld + i.
template <class Exec, class T>
    requires run_time_format<std::remove_const_t<T>>
struct matrix_view<Exec, T> {
    using value_type = std::remove_const_t<T>;
    using traits = array_traits<value_type>;
    static constexpr bool read_only = std::is_const_v<T>;

    typename traits::format format;
    typename traits::template tiles<read_only> start;
    index_t rows = 0;
    index_t cols = 0;
    index_t ld = 0;

    vector_view<Exec, T> column(index_t j) const { return {format, start.from(j * ld), rows, 1}; }
    vector_view<Exec, T> row(index_t i) const { return {format, start.from(i), cols, ld}; }

    /// Rows first_row, ..., first_row + m - 1 of columns first_col, ..., first_col + n - 1.
    matrix_view block(index_t first_row, index_t first_col, index_t m, index_t n) const
    {
        return {format, start.from(first_col * ld + first_row), m, n, ld};
    }

    template <class U = T>
        requires(std::same_as<U, T> && !std::is_const_v<U>)
    operator matrix_view<Exec, const U>() const
    {
        return {format, start, rows, cols, ld};
    }
};

/// n numbers of T in the memory of Exec; zero at first. Copies are deep.
template <class Exec, class T>
    requires run_time_format<T>
class vector<Exec, T> {
public:
    using value_type = T;
    using traits = array_traits<T>;
    using format_type = typename traits::format;
    using storage_type = typename traits::template storage<Exec>;

    /// throws  dimension_error if n < 0, resource_error if the memory is not there
    explicit vector(format_type format, index_t n, const Exec& exec = {})
        : storage_(format, checked(format, n), exec), size_(n)
    {}
    vector(storage_type storage, index_t n) : storage_(std::move(storage)), size_(n) {}

    index_t size() const { return size_; }
    format_type format() const { return storage_.format(); }

    vector_view<Exec, T> view() { return {format(), storage_.tiles(), size_, 1}; }
    vector_view<Exec, const T> view() const { return {format(), storage_.tiles(), size_, 1}; }
    operator vector_view<Exec, T>() { return view(); }
    operator vector_view<Exec, const T>() const { return view(); }

    /// Element i, read and written. On the host, for single elements; use blas for loops.
    typename traits::number get(index_t i) const { return view().load(i); }
    void set(index_t i, const typename traits::number& x) { view().store(i, x); }

    const storage_type& storage() const { return storage_; }

    /// f(buffer) for each part of the memory as it is, to be saved or restored.
    template <class F>
    void for_each_buffer(const F& f)
    {
        storage_.for_each_buffer(f);
    }

private:
    static index_t checked(const format_type& format, index_t n)
    {
        if (n < 0) {
            throw dimension_error("vector: size " + std::to_string(n) + " is negative");
        }
        if (n > detail::most_words || static_cast<double>(n) * format.bytes() > 0x1p60) {
            throw resource_error("no memory for " + std::to_string(n) + " " + traits::name + " of " +
                                 std::to_string(format.precision_bits()) + " bits");
        }
        return n;
    }

    storage_type storage_;
    index_t size_ = 0;
};

/// A dense m x n matrix of T in the memory of Exec, column-major, each column from a tile on; zero at first. Copies are
/// deep.
template <class Exec, class T>
    requires run_time_format<T>
class matrix<Exec, T> {
public:
    using value_type = T;
    using number = typename array_traits<T>::number;
    using storage_type = typename array_traits<T>::template storage<Exec>;

    /// throws  dimension_error if a size is negative, resource_error if the memory is not there
    matrix(typename array_traits<T>::format format, index_t rows, index_t cols, const Exec& exec = {})
        : entries_(format, checked(rows, cols), exec), rows_(rows), cols_(cols)
    {}
    matrix(storage_type storage, index_t rows, index_t cols)
        : entries_(std::move(storage), column(rows) * cols), rows_(rows), cols_(cols)
    {}

    index_t rows() const { return rows_; }
    index_t cols() const { return cols_; }
    auto format() const { return entries_.format(); }

    matrix_view<Exec, T> view() { return {format(), entries_.view().start, rows_, cols_, column(rows_)}; }
    matrix_view<Exec, const T> view() const { return {format(), entries_.view().start, rows_, cols_, column(rows_)}; }
    operator matrix_view<Exec, T>() { return view(); }
    operator matrix_view<Exec, const T>() const { return view(); }

    /// Entry (i, j), read and written. On the host, for single entries; use blas for loops.
    number get(index_t i, index_t j) const { return view().column(j).load(i); }
    void set(index_t i, index_t j, const number& x) { view().column(j).store(i, x); }

    const storage_type& storage() const { return entries_.storage(); }

private:
    static index_t column(index_t rows)
    {
        constexpr index_t tile = array_traits<T>::tile;
        return rows > 0 ? (rows + tile - 1) / tile * tile : tile;
    }

    static index_t checked(index_t rows, index_t cols)
    {
        if (rows < 0 || cols < 0) {
            throw dimension_error("matrix: size " + std::to_string(rows) + " x " + std::to_string(cols) +
                                  " is negative");
        }
        if (rows > detail::most_words || (cols > 0 && column(rows) > detail::most_words / cols)) {
            throw resource_error("matrix: no memory for " + std::to_string(rows) + " x " + std::to_string(cols) +
                                 " numbers");
        }
        return column(rows) * cols;
    }

    vector<Exec, T> entries_;
    index_t rows_ = 0;
    index_t cols_ = 0;
};

namespace detail {

template <class T>
using storage_on_host = typename array_traits<T>::template storage<host_executor>;
template <class T>
using storage_on_device = typename array_traits<T>::template storage<cuda_executor>;

template <class T>
storage_on_device<T> device_storage(const cuda_executor& exec, const storage_on_host<T>& from)
{
    return {from, [&](const auto& words) { return to_device(exec, words); }};
}

template <class T>
storage_on_host<T> host_storage(const cuda_executor& exec, const storage_on_device<T>& from)
{
    return {from, [&](const auto& words) { return to_host(exec, words); }};
}

}  // namespace detail

/// A copy on the device, or back on the host: the same words.
template <run_time_format T>
vector<cuda_executor, T> to_device(const cuda_executor& exec, const vector<host_executor, T>& x)
{
    return {detail::device_storage<T>(exec, x.storage()), x.size()};
}
template <run_time_format T>
vector<host_executor, T> to_host(const cuda_executor& exec, const vector<cuda_executor, T>& x)
{
    return {detail::host_storage<T>(exec, x.storage()), x.size()};
}

template <run_time_format T>
matrix<cuda_executor, T> to_device(const cuda_executor& exec, const matrix<host_executor, T>& a)
{
    return {detail::device_storage<T>(exec, a.storage()), a.rows(), a.cols()};
}
template <run_time_format T>
matrix<host_executor, T> to_host(const cuda_executor& exec, const matrix<cuda_executor, T>& a)
{
    return {detail::host_storage<T>(exec, a.storage()), a.rows(), a.cols()};
}

}  // namespace residua
