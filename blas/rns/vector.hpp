#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

#include <residua/arith/rns/number.hpp>
#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/vector.hpp>
#include <residua/blas/rns/array.hpp>

namespace residua {

/// A vector of RNS floats of one format in the memory of Exec. Element i is at start + i stride; the
/// stride is not zero, and may be negative. Copying a view copies no numbers.
template <class Exec, class T>
    requires std::same_as<std::remove_const_t<T>, rns>
struct vector_view<Exec, T> {
    using value_type = rns;
    static constexpr bool read_only = std::is_const_v<T>;

    rns_format format;
    detail::rns_tiles<read_only> start;
    index_t size = 0;
    index_t stride = 1;

    /// Elements begin, ..., end - 1.
    vector_view part(index_t begin, index_t end) const
    {
        return {format, start.from(begin * stride), end - begin, stride};
    }

    /// Element i, read and written. On the host, for single elements; use blas for loops.
    rns_number load(index_t i) const
        requires std::same_as<Exec, host_executor>
    {
        return {format, detail::load(format.set(), start, i * stride)};
    }
    void store(index_t i, const rns_number& x) const
        requires(std::same_as<Exec, host_executor> && !read_only)
    {
        detail::store(format.set(), start, i * stride, x.value());
    }

    template <class U = T>
        requires(!std::is_const_v<U>)
    operator vector_view<Exec, const U>() const
    {
        return {format, start, size, stride};
    }
};

/// A column-major matrix of RNS floats: entry (i, j) is at start + j ld + i.
template <class Exec, class T>
    requires std::same_as<std::remove_const_t<T>, rns>
struct matrix_view<Exec, T> {
    using value_type = rns;
    static constexpr bool read_only = std::is_const_v<T>;

    rns_format format;
    detail::rns_tiles<read_only> start;
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
        requires(!std::is_const_v<U>)
    operator matrix_view<Exec, const U>() const
    {
        return {format, start, rows, cols, ld};
    }
};

namespace detail {

/// The words of n RNS floats. Zeros at first.
template <class Exec>
class rns_storage {
public:
    /// throws  dimension_error if n < 0, resource_error if the memory is not there
    rns_storage(rns_format format, index_t n, const Exec& exec)
        : format_(format),
          size_(checked(format, n)),
          digit_(size_ * format.count(), exec),
          exponent_(size_, exec),
          range_(size_, exec)
    {}

    /// The words of another one, moved to this executor by `move`, buffer by buffer.
    template <class Other, class Move>
    rns_storage(const rns_storage<Other>& other, const Move& move)
        : format_(other.format()),
          size_(other.size()),
          digit_(move(other.digit())),
          exponent_(move(other.exponent())),
          range_(move(other.range()))
    {}

    rns_format format() const { return format_; }
    /// Whole tiles.
    index_t size() const { return size_; }
    rns_tiles<false> tiles() { return {digit_.data(), exponent_.data(), range_.data(), 0, tile_bits()}; }
    rns_tiles<true> tiles() const { return {digit_.data(), exponent_.data(), range_.data(), 0, tile_bits()}; }

    const buffer<Exec, std::uint32_t>& digit() const { return digit_; }
    const buffer<Exec, std::int64_t>& exponent() const { return exponent_; }
    const buffer<Exec, std::uint64_t>& range() const { return range_; }

private:
    int tile_bits() const { return rns_tile_bits(rns_threads(format_.count())); }

    static index_t checked(const rns_format& format, index_t n)
    {
        if (n < 0) {
            throw dimension_error("vector: size " + std::to_string(n) + " is negative");
        }
        if (n > most_words || static_cast<double>(n) * format.bytes() > 0x1p60) {
            throw resource_error("no memory for " + std::to_string(n) + " RNS floats of " +
                                 std::to_string(format.precision_bits()) + " bits");
        }
        constexpr index_t most_in_a_tile = 32;
        return (n + most_in_a_tile - 1) / most_in_a_tile * most_in_a_tile;
    }

    rns_format format_;
    index_t size_ = 0;
    buffer<Exec, std::uint32_t> digit_;
    buffer<Exec, std::int64_t> exponent_;
    buffer<Exec, std::uint64_t> range_;
};

}  // namespace detail

/// n RNS floats in the memory of Exec; zero at first. Copies are deep.
template <class Exec>
class vector<Exec, rns> {
public:
    using value_type = rns;

    /// throws  dimension_error if n < 0, resource_error if the memory is not there
    explicit vector(rns_format format, index_t n, const Exec& exec = {}) : storage_(format, n, exec), size_(n) {}

    index_t size() const { return size_; }
    rns_format format() const { return storage_.format(); }

    vector_view<Exec, rns> view() { return {format(), storage_.tiles(), size_, 1}; }
    vector_view<Exec, const rns> view() const { return {format(), storage_.tiles(), size_, 1}; }
    operator vector_view<Exec, rns>() { return view(); }
    operator vector_view<Exec, const rns>() const { return view(); }

    /// Element i, read and written. On the host, for single elements; use blas for loops.
    rns_number get(index_t i) const { return view().load(i); }
    void set(index_t i, const rns_number& x) { view().store(i, x); }

    const detail::rns_storage<Exec>& storage() const { return storage_; }
    vector(detail::rns_storage<Exec> storage, index_t n) : storage_(std::move(storage)), size_(n) {}

private:
    detail::rns_storage<Exec> storage_;
    index_t size_ = 0;
};

/// A dense m x n matrix of RNS floats in the memory of Exec, column-major; zero at first. Copies are deep.
template <class Exec, class T>
class matrix;

template <class Exec>
class matrix<Exec, rns> {
public:
    using value_type = rns;

    /// throws  dimension_error if a size is negative, resource_error if the memory is not there
    matrix(rns_format format, index_t rows, index_t cols, const Exec& exec = {})
        : storage_(format, checked(rows, cols), exec), rows_(rows), cols_(cols)
    {}

    index_t rows() const { return rows_; }
    index_t cols() const { return cols_; }
    rns_format format() const { return storage_.format(); }

    matrix_view<Exec, rns> view() { return {format(), storage_.tiles(), rows_, cols_, ld()}; }
    matrix_view<Exec, const rns> view() const { return {format(), storage_.tiles(), rows_, cols_, ld()}; }
    operator matrix_view<Exec, rns>() { return view(); }
    operator matrix_view<Exec, const rns>() const { return view(); }

    /// Entry (i, j), read and written. On the host, for single entries; use blas for loops.
    rns_number get(index_t i, index_t j) const { return view().column(j).load(i); }
    void set(index_t i, index_t j, const rns_number& x) { view().column(j).store(i, x); }

    const detail::rns_storage<Exec>& storage() const { return storage_; }
    matrix(detail::rns_storage<Exec> storage, index_t rows, index_t cols)
        : storage_(std::move(storage)), rows_(rows), cols_(cols)
    {}

private:
    static index_t checked(index_t rows, index_t cols)
    {
        if (rows < 0 || cols < 0) {
            throw dimension_error("matrix: size " + std::to_string(rows) + " x " + std::to_string(cols) +
                                  " is negative");
        }
        if (cols > 0 && rows > detail::most_words / cols) {
            throw resource_error("matrix: no memory for " + std::to_string(rows) + " x " + std::to_string(cols) +
                                 " numbers");
        }
        return rows * cols;
    }

    index_t ld() const { return rows_ > 0 ? rows_ : 1; }

    detail::rns_storage<Exec> storage_;
    index_t rows_ = 0;
    index_t cols_ = 0;
};

namespace detail {

inline rns_storage<cuda_executor> to_device(const cuda_executor& exec, const rns_storage<host_executor>& from)
{
    return {from, [&](const auto& words) { return residua::to_device(exec, words); }};
}

inline rns_storage<host_executor> to_host(const cuda_executor& exec, const rns_storage<cuda_executor>& from)
{
    return {from, [&](const auto& words) { return residua::to_host(exec, words); }};
}

}  // namespace detail

/// A copy on the device, or back on the host: the same words.
inline vector<cuda_executor, rns> to_device(const cuda_executor& exec, const vector<host_executor, rns>& x)
{
    return {detail::to_device(exec, x.storage()), x.size()};
}

inline vector<host_executor, rns> to_host(const cuda_executor& exec, const vector<cuda_executor, rns>& x)
{
    return {detail::to_host(exec, x.storage()), x.size()};
}

inline matrix<cuda_executor, rns> to_device(const cuda_executor& exec, const matrix<host_executor, rns>& a)
{
    return {detail::to_device(exec, a.storage()), a.rows(), a.cols()};
}

inline matrix<host_executor, rns> to_host(const cuda_executor& exec, const matrix<cuda_executor, rns>& a)
{
    return {detail::to_host(exec, a.storage()), a.rows(), a.cols()};
}

}  // namespace residua
