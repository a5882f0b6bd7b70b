#pragma once

#include <string>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/vector.hpp>
#include <residua/blas/base/view.hpp>

namespace residua {

/// A dense m x n matrix of T in the memory of Exec, column-major, in planes; zero at first.
/// Copies are deep.
template <class Exec, class T>
class matrix {
public:
    using value_type = T;
    using word = typename number_traits<T>::word;

    matrix() = default;

    /// throws  dimension_error if a size is negative, resource_error if the memory is not there
    matrix(index_t rows, index_t cols, const Exec& exec = {})
        : words_(words(rows, cols), exec),
          rows_(rows),
          cols_(cols),
          ld_(detail::padded_column(rows)),
          plane_stride_(detail::padded_plane(ld_ * cols))
    {}

    /// Takes the words of another one, moved to this executor by `move`.
    template <class Other, class Move>
    matrix(const matrix<Other, T>& other, const Move& move)
        : words_(move(other.words_)),
          rows_(other.rows_),
          cols_(other.cols_),
          ld_(other.ld_),
          plane_stride_(other.plane_stride_)
    {}

    index_t rows() const { return rows_; }
    index_t cols() const { return cols_; }

    matrix_view<Exec, T> view() { return {words_.data(), rows_, cols_, ld_, plane_stride_}; }
    matrix_view<Exec, const T> view() const { return {words_.data(), rows_, cols_, ld_, plane_stride_}; }
    operator matrix_view<Exec, T>() { return view(); }
    operator matrix_view<Exec, const T>() const { return view(); }

    /// Entry (i, j), read and written. For single entries on the host; use blas for loops.
    T get(index_t i, index_t j) const { return view().column(j).load(i); }
    void set(index_t i, index_t j, const T& x) { view().column(j).store(i, x); }

    /// The bytes that an m x n matrix takes in memory.
    static double bytes(index_t rows, index_t cols)
    {
        return (static_cast<double>(detail::padded_column(rows)) * static_cast<double>(cols) + detail::page_words) *
               sizeof(word) * number_traits<T>::terms;
    }

private:
    template <class, class>
    friend class matrix;

    static index_t words(index_t rows, index_t cols)
    {
        if (rows < 0 || cols < 0) {
            throw dimension_error("matrix: size " + std::to_string(rows) + " x " + std::to_string(cols) +
                                  " is negative");
        }
        if (rows > detail::most_words || cols > detail::most_words || bytes(rows, cols) > 0x1p60) {
            throw resource_error("matrix: no memory for " + std::to_string(rows) + " x " + std::to_string(cols) +
                                 " numbers of " + std::string(number_traits<T>::name));
        }
        return detail::padded_plane(detail::padded_column(rows) * cols) * number_traits<T>::terms;
    }

    buffer<Exec, word> words_;
    index_t rows_ = 0;
    index_t cols_ = 0;
    index_t ld_ = 0;
    index_t plane_stride_ = 0;
};

/// A copy on the device, or back on the host.
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
