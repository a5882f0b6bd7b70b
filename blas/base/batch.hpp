#pragma once

#include <string>
#include <string_view>

#include <residua/arith/expansion/expansion.hpp>
#include <residua/arith/native/double.hpp>
#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/vector.hpp>
#include <residua/blas/base/view.hpp>

/// Many small matrices, or vectors, of one size in one piece of memory.

/// Calls INSTANTIATE(T) for every format that operations on batches are compiled for.
#define RESIDUA_FOR_EACH_BATCH_FORMAT(INSTANTIATE) \
    INSTANTIATE(double)                            \
    INSTANTIATE(expansion<double, 2>)              \
    INSTANTIATE(expansion<double, 3>)              \
    INSTANTIATE(expansion<double, 4>)

namespace residua {

/// `count` column-major n x n matrices of T in planes: term k of entry (i, j) of matrix s is
/// data[k * plane_stride + s * stride + j * ld + i].
template <class Exec, class T>
struct matrix_batch_view {
    using matrix_type = matrix_view<Exec, T>;
    using term_type = typename matrix_type::term_type;
    static constexpr int terms = matrix_type::terms;

    term_type* data = nullptr;
    index_t n = 0;
    index_t count = 0;
    index_t ld = 0;
    index_t stride = 0;
    index_t plane_stride = 0;

    RESIDUA_HD matrix_type operator[](index_t s) const { return {{data + s * stride, plane_stride}, n, n, ld}; }
    RESIDUA_HD vector_view<Exec, T> column(index_t s, index_t j) const
    {
        return {{data + s * stride + j * ld, plane_stride}, n};
    }

    template <class U = T>
        requires(std::is_same_v<U, T> && !std::is_const_v<U>)
    operator matrix_batch_view<Exec, const U>() const
    {
        return {data, n, count, ld, stride, plane_stride};
    }
};

/// `count` vectors of n numbers: term k of element i of vector s is data[k * plane_stride + s * stride + i].
template <class Exec, class T>
struct vector_batch_view {
    using vector_type = vector_view<Exec, T>;
    using term_type = typename vector_type::term_type;
    static constexpr int terms = vector_type::terms;

    term_type* data = nullptr;
    index_t n = 0;
    index_t count = 0;
    index_t stride = 0;
    index_t plane_stride = 0;

    RESIDUA_HD vector_type operator[](index_t s) const { return {{data + s * stride, plane_stride}, n}; }

    template <class U = T>
        requires(std::is_same_v<U, T> && !std::is_const_v<U>)
    operator vector_batch_view<Exec, const U>() const
    {
        return {data, n, count, stride, plane_stride};
    }
};

/// Read-only arguments; T is deduced from the output alone.
template <class Exec, class T>
using in_matrix_batch = std::type_identity_t<matrix_batch_view<Exec, const T>>;
template <class Exec, class T>
using in_vector_batch = std::type_identity_t<vector_batch_view<Exec, const T>>;

namespace detail {

/// The words of planes with `count` things of `each` numbers, which follow each other without gaps.
///
/// throws  dimension_error if a size is negative, resource_error beyond the memory of any machine
template <class T>
index_t batch_words(const char* what, index_t n, index_t each, index_t count)
{
    if (n < 0 || count < 0) {
        throw dimension_error(std::string(what) + ": " + std::to_string(count) + " of order " + std::to_string(n) +
                              ": a size is negative");
    }
    const double bytes =
        static_cast<double>(each) * static_cast<double>(count) * sizeof(double) * number_traits<T>::terms;
    if (n > (index_t{1} << 20) || bytes > 0x1p60) {
        throw resource_error(std::string(what) + ": no memory for " + std::to_string(count) + " of order " +
                             std::to_string(n));
    }
    return padded_plane(each * count) * number_traits<T>::terms;
}

}  // namespace detail

/// `count` n x n matrices, or vectors of n numbers, of T in the memory of Exec, without gaps; zero at first. Copies are deep.
template <class Exec, class T, bool Matrices>
class number_batch {
public:
    using value_type = T;

    number_batch() = default;

    /// throws  dimension_error if a size is negative, resource_error if the memory is not there
    number_batch(index_t n, index_t count, const Exec& exec = {})
        : words_(detail::batch_words<T>(Matrices ? "matrix_batch" : "vector_batch", n, Matrices ? n * n : n, count),
                 exec),
          n_(n),
          count_(count)
    {}

    /// Takes the words of another one, moved to this executor by `move`.
    template <class Other, class Move>
    number_batch(const number_batch<Other, T, Matrices>& other, const Move& move)
        : words_(move(other.words_)), n_(other.n_), count_(other.count_)
    {}

    index_t size() const { return n_; }
    index_t count() const { return count_; }

    auto view() { return view_of<T>(words_.data()); }
    auto view() const { return view_of<const T>(words_.data()); }

private:
    template <class, class, bool>
    friend class number_batch;

    template <class Number, class Word>
    auto view_of(Word* data) const
    {
        if constexpr (Matrices) {
            const index_t each = n_ * n_;
            return matrix_batch_view<Exec, Number>{data, n_, count_, n_, each, detail::padded_plane(each * count_)};
        } else {
            return vector_batch_view<Exec, Number>{data, n_, count_, n_, detail::padded_plane(n_ * count_)};
        }
    }

    buffer<Exec, double> words_;
    index_t n_ = 0;
    index_t count_ = 0;
};

template <class Exec, class T>
using matrix_batch = number_batch<Exec, T, true>;
template <class Exec, class T>
using vector_batch = number_batch<Exec, T, false>;

/// A copy on the device, or back on the host.
template <class T, bool Matrices>
number_batch<cuda_executor, T, Matrices> to_device(const cuda_executor& exec,
                                                   const number_batch<host_executor, T, Matrices>& a)
{
    return {a, [&](const auto& words) { return to_device(exec, words); }};
}
template <class T, bool Matrices>
number_batch<host_executor, T, Matrices> to_host(const cuda_executor& exec,
                                                 const number_batch<cuda_executor, T, Matrices>& a)
{
    return {a, [&](const auto& words) { return to_host(exec, words); }};
}

/// The largest order of a matrix in a batch. Larger matrices have work enough to be solved one by one.
inline constexpr index_t largest_batch_order = 64;

/// Refuses batches of matrices that an operation cannot take.
///
/// throws  dimension_error with the sizes; unsupported_error for an order beyond largest_batch_order
template <class Exec, class T>
void require_batch(std::string_view op, const matrix_batch_view<Exec, T>& a)
{
    const auto text = [&](const std::string& why) {
        return std::string(op) + ": " + std::to_string(a.count) + " matrices of order " + std::to_string(a.n) + why;
    };
    if (a.n < 0 || a.count < 0) {
        throw dimension_error(text(": a size is negative"));
    }
    if (a.n > largest_batch_order) {
        throw unsupported_error(text(": batches have orders up to " + std::to_string(largest_batch_order) +
                                     "; solve() takes larger systems one by one"));
    }
    if (a.n == 0 || a.count == 0) {
        return;
    }
    const index_t each = (a.n - 1) * a.ld + a.n;
    if (a.ld < a.n || (a.count > 1 && a.stride < each) ||
        (matrix_batch_view<Exec, T>::terms > 1 && a.plane_stride < (a.count - 1) * a.stride + each)) {
        throw dimension_error(text(" with columns " + std::to_string(a.ld) + ", matrices " + std::to_string(a.stride) +
                                   ", planes " + std::to_string(a.plane_stride) + " apart overlap"));
    }
}

/// Refuses batches of vectors that do not belong to `count` systems of order n.
template <class Exec, class T>
void require_batch(std::string_view op, const vector_batch_view<Exec, T>& x, index_t n, index_t count)
{
    const auto text = [&](const std::string& why) {
        return std::string(op) + ": " + std::to_string(x.count) + " vectors of " + std::to_string(x.n) + " numbers" +
               why;
    };
    if (x.n != n || x.count != count) {
        throw dimension_error(text(" for " + std::to_string(count) + " systems of order " + std::to_string(n)));
    }
    if (n == 0 || count == 0) {
        return;
    }
    if ((count > 1 && x.stride < n) ||
        (vector_batch_view<Exec, T>::terms > 1 && x.plane_stride < (count - 1) * x.stride + n)) {
        throw dimension_error(text(", " + std::to_string(x.stride) + " apart in planes " +
                                   std::to_string(x.plane_stride) + " apart, overlap"));
    }
}

}  // namespace residua
