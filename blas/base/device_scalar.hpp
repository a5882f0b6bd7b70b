#pragma once

#include <cstddef>
#include <vector>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/unroll.hpp>
#include <residua/blas/base/view.hpp>

namespace residua {

/// Where a number of T lies in device memory, its terms one after the other. Copying it copies no number.
template <class T>
struct scalar_place {
    double* words = nullptr;
};

/// One number of T in device memory, zero at first: what an operation leaves there, others take from there, without
/// the host waiting for it.
template <class T>
class device_scalar {
public:
    /// throws  resource_error if the memory is not there
    explicit device_scalar(const cuda_executor& exec) : words_(number_traits<T>::terms, exec) {}

    double* data() { return words_.data(); }
    const double* data() const { return words_.data(); }
    operator scalar_place<T>() { return {data()}; }

private:
    buffer<cuda_executor, double> words_;
};

/// Several numbers of T side by side in device memory, for the host to read together.
template <class T>
class device_scalars {
public:
    /// throws  resource_error if the memory is not there
    device_scalars(index_t count, const cuda_executor& exec) : words_(count * number_traits<T>::terms, exec) {}
    device_scalars(const std::vector<T>& values, const cuda_executor& exec) : words_(to_device(exec, words_of(values)))
    {}

    scalar_place<T> operator[](index_t i) { return {words_.data() + i * number_traits<T>::terms}; }
    const double* data() const { return words_.data(); }

private:
    static buffer<host_executor, double> words_of(const std::vector<T>& values)
    {
        constexpr index_t terms = number_traits<T>::terms;
        buffer<host_executor, double> words(static_cast<index_t>(values.size()) * terms);
        double* to = words.data();
        for (const T& value : values) {
            for (int k = 0; k < terms; ++k) {
                *to++ = term(value, k);
            }
        }
        return words;
    }

    buffer<cuda_executor, double> words_;
};

namespace detail {

/// Makes a number of its words.
template <class T>
T number_of(const double* words)
{
    T value{0.0};
    for (int k = 0; k < number_traits<T>::terms; ++k) {
        term(value, k) = words[k];
    }
    return value;
}

}  // namespace detail

/// The number, once all that was queued before is done.
template <class T>
T to_host(const cuda_executor& exec, const device_scalar<T>& x)
{
    double words[number_traits<T>::terms];
    detail::cuda_copy_out(exec, words, x.data(), sizeof(words));
    return detail::number_of<T>(words);
}

/// The first `count` of the numbers in one copy, once all that was queued before is done.
template <class T>
std::vector<T> to_host(const cuda_executor& exec, const device_scalars<T>& x, index_t count)
{
    constexpr index_t terms = number_traits<T>::terms;
    std::vector<double> words(static_cast<std::size_t>(count * terms));
    if (count > 0) {
        detail::cuda_copy_out(exec, words.data(), x.data(), words.size() * sizeof(double));
    }
    std::vector<T> values;
    values.reserve(static_cast<std::size_t>(count));
    for (index_t i = 0; i < count; ++i) {
        values.push_back(detail::number_of<T>(words.data() + i * terms));
    }
    return values;
}

/// A scalar argument of an operation on a device: a number, or a place in device memory whose number, or its negative,
/// is read when the operation runs.
template <class T>
class scalar_argument {
public:
    scalar_argument(const T& value) : value_(value) {}
    scalar_argument(double value)
        requires(number_traits<T>::terms > 1)
        : value_(value)
    {}
    scalar_argument(const device_scalar<T>& place) : place_(place.data()) {}
    scalar_argument(scalar_place<T> place) : place_(place.words) {}

    /// minus the number at a place
    static scalar_argument negative(scalar_place<T> place)
    {
        scalar_argument a(place);
        a.negative_ = true;
        return a;
    }

    /// The number; if it is at a place, this can be called on the device only.
    RESIDUA_HD T load() const
    {
        if (place_ == nullptr) {
            return value_;
        }
        T x{0.0};
        detail::unroll<number_traits<T>::terms>([&](int k) __attribute__((always_inline)) { term(x, k) = place_[k]; });
        return negative_ ? -x : x;
    }

private:
    T value_{0.0};
    const double* place_ = nullptr;
    bool negative_ = false;  // whether the value at the place is negated
};

}  // namespace residua
