#pragma once

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// The sources of the elements of a result, and the factors of the elements, in the memory of Exec.
template <class Exec>
struct scaled_permutation {
    buffer<Exec, index_t> source;
    buffer<Exec, double> factor;  ///< powers of two
};

/// y_i <- factor_i x_{source_i}
///
/// shapes   y (n) and n sources, each a place in x; x and y are different vectors
/// errors   none, unless a term leaves the range of binary64
/// throws   dimension_error if there are not n sources and factors
template <number T>
void permute(const host_executor& exec, const scaled_permutation<host_executor>& p, in_vector<host_executor, T> x,
             vector_view<host_executor, T> y);

/// permute on a CUDA device.
template <number T>
void permute(const cuda_executor& exec, const scaled_permutation<cuda_executor>& p, in_vector<cuda_executor, T> x,
             vector_view<cuda_executor, T> y);

namespace detail {

/// The step of permute for one element, on every executor.
template <number T>
RESIDUA_HD T times_power(double power, const T& x)
{
    T r = x;
    residua::detail::unroll<number_traits<T>::terms>([&](int k) __attribute__((always_inline)) {
        term(r, k) = term(r, k) * power;
    });
    return r;
}

}  // namespace detail
}  // namespace residua::blas
