#pragma once

#include <memory>
#include <string>
#include <utility>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/view.hpp>

namespace residua {

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

}  // namespace detail

/// n numbers of T in the memory of Exec, in planes; zero at first. Copies are deep.
template <class Exec, class T>
class vector {
public:
    using value_type = T;
    using word = typename number_traits<T>::word;

    vector() = default;

    /// throws  dimension_error if n < 0, resource_error if the memory is not there
    explicit vector(index_t n, const Exec& exec = {})
        : words_(words(n), exec), size_(n), plane_stride_(detail::padded_plane(n))
    {}

    /// The numbers of somebody else, which are copied when they are first asked for in order to be changed.
    vector(std::shared_ptr<const word> numbers, index_t n)
        requires(number_traits<T>::terms == 1)
        : words_(std::move(numbers), n), size_(n), plane_stride_(n)
    {}

    /// Takes the words of another one, moved to this executor by `move`.
    template <class Other, class Move>
    vector(const vector<Other, T>& other, const Move& move)
        : words_(move(other.words_)), size_(other.size_), plane_stride_(other.plane_stride_)
    {}

    index_t size() const { return size_; }

    vector_view<Exec, T> view() { return {words_.data(), size_, plane_stride_}; }
    vector_view<Exec, const T> view() const { return {words_.data(), size_, plane_stride_}; }
    operator vector_view<Exec, T>() { return view(); }
    operator vector_view<Exec, const T>() const { return view(); }

    /// Element i, read and written. For single elements on the host; use blas for loops.
    T get(index_t i) const { return view().load(i); }
    void set(index_t i, const T& x) { view().store(i, x); }

    /// f(buffer) for the memory as it is, to be saved or restored.
    template <class F>
    void for_each_buffer(const F& f)
    {
        f(words_);
    }

    /// The memory that n numbers take, in bytes.
    static double bytes(index_t n)
    {
        return static_cast<double>(detail::padded_plane(n)) * sizeof(word) * number_traits<T>::terms;
    }

private:
    template <class, class>
    friend class vector;

    static index_t words(index_t n)
    {
        if (n < 0) {
            throw dimension_error("vector: size " + std::to_string(n) + " is negative");
        }
        if (n > detail::most_words || bytes(n) > 0x1p60) {
            throw resource_error("vector: no memory for " + std::to_string(n) + " numbers of " +
                                 std::string(number_traits<T>::name));
        }
        return detail::padded_plane(n) * number_traits<T>::terms;
    }

    buffer<Exec, word> words_;
    index_t size_ = 0;
    index_t plane_stride_ = 0;
};

/// A copy on the device, or back on the host.
template <class T>
vector<cuda_executor, T> to_device(const cuda_executor& exec, const vector<host_executor, T>& x)
{
    return {x, [&](const auto& words) { return to_device(exec, words); }};
}
template <class T>
vector<host_executor, T> to_host(const cuda_executor& exec, const vector<cuda_executor, T>& x)
{
    return {x, [&](const auto& words) { return to_host(exec, words); }};
}

}  // namespace residua
