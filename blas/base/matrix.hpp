#pragma once

#include <string>

#include <residua/blas/base/vector.hpp>
#include <residua/blas/base/view.hpp>

namespace residua {

/// A dense m x n matrix of T, a type of numbers or the tag of a format, in the memory of Exec, column-major; zero at
/// first. Copies are deep.
template <class Exec, class T>
class matrix {
public:
    using value_type = T;
    using traits = array_traits<T>;
    using format_type = typename traits::format;
    using number_type = typename traits::number;
    using storage_type = typename traits::template storage<Exec>;

    matrix() = default;  ///< of types of numbers

    /// throws  dimension_error if a size is negative, resource_error if the memory is not there
    matrix(format_type format, index_t rows, index_t cols, const Exec& exec = {})
        : storage_(format, checked(format, rows, cols), exec), rows_(rows), cols_(cols)
    {}
    matrix(index_t rows, index_t cols, const Exec& exec = {})
        requires(!run_time_format<T>)
        : matrix(format_type{}, rows, cols, exec)
    {}

    /// Takes the words of another one, moved to this executor by `move`.
    template <class Other, class Move>
    matrix(const matrix<Other, T>& other, const Move& move)
        : storage_(other.storage(), move), rows_(other.rows()), cols_(other.cols())
    {}

    index_t rows() const { return rows_; }
    index_t cols() const { return cols_; }
    format_type format() const { return storage_.format(); }

    matrix_view<Exec, T> view() { return {storage_.start(), rows_, cols_, traits::column(rows_), format()}; }
    matrix_view<Exec, const T> view() const
    {
        return {storage_.start(), rows_, cols_, traits::column(rows_), format()};
    }
    operator matrix_view<Exec, T>() { return view(); }
    operator matrix_view<Exec, const T>() const { return view(); }

    /// Entry (i, j), read and written. On the host, for single entries; use blas for loops.
    number_type get(index_t i, index_t j) const { return view().column(j).load(i); }
    void set(index_t i, index_t j, const number_type& x) { view().column(j).store(i, x); }

    const storage_type& storage() const { return storage_; }

    /// The bytes that an m x n matrix takes in memory, at most.
    static double bytes(index_t rows, index_t cols, const format_type& format = {})
    {
        return (static_cast<double>(traits::column(rows)) * static_cast<double>(cols) + detail::page_words) *
               format.bytes();
    }

private:
    static index_t checked(const format_type& format, index_t rows, index_t cols)
    {
        if (rows < 0 || cols < 0) {
            throw dimension_error("matrix: size " + std::to_string(rows) + " x " + std::to_string(cols) +
                                  " is negative");
        }
        if (rows > detail::most_words || cols > detail::most_words || bytes(rows, cols, format) > 0x1p60) {
            throw resource_error("matrix: no memory for " + std::to_string(rows) + " x " + std::to_string(cols) + " " +
                                 traits::described(format));
        }
        return traits::column(rows) * cols;
    }

    storage_type storage_;
    index_t rows_ = 0;
    index_t cols_ = 0;
};

/// A copy on the device, or back on the host: the same words.
template <class T>
matrix<cuda_executor, T> to_device(const cuda_executor& exec, const matrix<host_executor, T>& a)
{
    return {a, [&](const auto& words) { return to_device(exec, words); }};
}
template <class T>
matrix<host_executor, T> to_host(const cuda_executor& exec, const matrix<cuda_executor, T>& a)
{
    return {a, [&](const auto& words) { return to_host(exec, words); }};
}

}  // namespace residua
