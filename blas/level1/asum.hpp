#pragma once

#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/base/rns_array.hpp>

namespace residua::blas {

namespace detail {

/// asum of each format.
template <number T>
T asum_of(const host_executor& exec, const vector_view<host_executor, const T>& x);
template <number T>
T asum_of(const cuda_executor& exec, const vector_view<cuda_executor, const T>& x);
template <class Exec>
multidigit_number asum_of(const Exec& exec, const vector_view<Exec, const multidigit>& x);
template <class Exec>
rns_number asum_of(const Exec& exec, const vector_view<Exec, const rns>& x);

}  // namespace detail

/// |x_0| + ... + |x_{n-1}|; on a device it waits for the result
///
/// errors   of binary64 and expansions c(n) u^N times the result; c = long_sum_error_bound<N>; of other formats as dot
/// cost     n additions; reads n numbers
/// order    as dot
template <class T, class Exec>
typename array_traits<T>::number asum(const Exec& exec, in_vector<Exec, T> x)
{
    return detail::asum_of(exec, x);
}

}  // namespace residua::blas
