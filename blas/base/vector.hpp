#pragma once

#include <memory>
#include <string>
#include <utility>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/view.hpp>

namespace residua {
namespace detail {

/// The memory of n numbers of T, in planes. Zeros at first.
template <class Exec, class T>
class plane_storage {
public:
    using word = typename number_traits<T>::word;

    plane_storage() = default;
    plane_storage(const type_format<T>&, index_t n, const Exec& exec)
        : words_(padded_plane(n) * number_traits<T>::terms, exec), plane_stride_(padded_plane(n))
    {}

    /// The numbers of somebody else, which are copied when they are first asked for in order to be changed.
    plane_storage(std::shared_ptr<const word> numbers, index_t n)
        requires(number_traits<T>::terms == 1)
        : words_(std::move(numbers), n), plane_stride_(n)
    {}

    /// Takes the words of another one, moved to this executor by `move`.
    template <class Other, class Move>
    plane_storage(const plane_storage<Other, T>& other, const Move& move)
        : words_(move(other.words())), plane_stride_(other.start().plane_stride)
    {}

    type_format<T> format() const { return {}; }
    number_planes<word> start() { return {words_.data(), plane_stride_}; }
    number_planes<const word> start() const { return {words_.data(), plane_stride_}; }
    const buffer<Exec, word>& words() const { return words_; }

    template <class F>
    void for_each_buffer(const F& f)
    {
        f(words_);
    }

private:
    buffer<Exec, word> words_;
    index_t plane_stride_ = 0;
};

}  // namespace detail

/// n numbers of T, a type of numbers or the tag of a format, in the memory of Exec; zero at first. Copies are deep.
template <class Exec, class T>
class vector {
public:
    using value_type = T;
    using traits = array_traits<T>;
    using format_type = typename traits::format;
    using number_type = typename traits::number;
    using storage_type = typename traits::template storage<Exec>;

    vector() = default;  ///< of types of numbers

    /// throws  dimension_error if n < 0, resource_error if the memory is not there
    explicit vector(format_type format, index_t n, const Exec& exec = {})
        : storage_(format, checked(format, n), exec), size_(n)
    {}
    explicit vector(index_t n, const Exec& exec = {})
        requires(!run_time_format<T>)
        : vector(format_type{}, n, exec)
    {}

    /// The numbers of somebody else, which are copied when they are first asked for in order to be changed.
    vector(std::shared_ptr<const typename traits::word> numbers, index_t n)
        requires(traits::terms == 1)
        : storage_(std::move(numbers), n), size_(n)
    {}

    /// Takes the words of another one, moved to this executor by `move`.
    template <class Other, class Move>
    vector(const vector<Other, T>& other, const Move& move) : storage_(other.storage(), move), size_(other.size())
    {}

    index_t size() const { return size_; }
    format_type format() const { return storage_.format(); }

    vector_view<Exec, T> view() { return {storage_.start(), size_, {}, format()}; }
    vector_view<Exec, const T> view() const { return {storage_.start(), size_, {}, format()}; }
    operator vector_view<Exec, T>() { return view(); }
    operator vector_view<Exec, const T>() const { return view(); }

    /// Element i, read and written. On the host, for single elements; use blas for loops.
    number_type get(index_t i) const { return view().load(i); }
    void set(index_t i, const number_type& x) { view().store(i, x); }

    const storage_type& storage() const { return storage_; }

    /// f(buffer) for each part of the memory as it is, to be saved or restored.
    template <class F>
    void for_each_buffer(const F& f)
    {
        storage_.for_each_buffer(f);
    }

    /// The memory that n numbers take, in bytes.
    static double bytes(index_t n, const format_type& format = {})
    {
        return static_cast<double>(traits::padded(n)) * format.bytes();
    }

private:
    static index_t checked(const format_type& format, index_t n)
    {
        if (n < 0) {
            throw dimension_error("vector: size " + std::to_string(n) + " is negative");
        }
        if (n > detail::most_words || bytes(n, format) > 0x1p60) {
            throw resource_error("vector: no memory for " + std::to_string(n) + " " + traits::described(format));
        }
        return n;
    }

    storage_type storage_;
    index_t size_ = 0;
};

/// A copy on the device, or back on the host: the same words.
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
