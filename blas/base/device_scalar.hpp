#pragma once

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/unroll.hpp>
#include <residua/blas/base/view.hpp>

namespace residua {

/// One number of T in device memory, zero at first: what an operation leaves there, others take from there, without
/// the host waiting for it.
template <class T>
class device_scalar {
public:
    /// throws  resource_error if the memory is not there
    explicit device_scalar(const cuda_executor& exec) : words_(number_traits<T>::terms, exec) {}

    double* data() { return words_.data(); }
    const double* data() const { return words_.data(); }

private:
    buffer<cuda_executor, double> words_;
};

/// The number, once all that was queued before is done.
template <class T>
T to_host(const cuda_executor& exec, const device_scalar<T>& x)
{
    double words[number_traits<T>::terms];
    detail::cuda_copy_out(exec, words, x.data(), sizeof(words));
    T value{0.0};
    for (int k = 0; k < number_traits<T>::terms; ++k) {
        term(value, k) = words[k];
    }
    return value;
}

/// A scalar argument of an operation on a device: a number, or the place of one, read when the operation runs.
template <class T>
class scalar_argument {
public:
    scalar_argument(const T& value) : value_(value) {}
    scalar_argument(double value)
        requires(number_traits<T>::terms > 1)
        : value_(value)
    {}
    scalar_argument(const device_scalar<T>& place) : place_(place.data()) {}

    /// On the device only, if it is a place.
    RESIDUA_HD T load() const
    {
        if (place_ == nullptr) {
            return value_;
        }
        T x{0.0};
        detail::unroll<number_traits<T>::terms>([&](int k) __attribute__((always_inline)) { term(x, k) = place_[k]; });
        return x;
    }

private:
    T value_{0.0};
    const double* place_ = nullptr;
};

}  // namespace residua
