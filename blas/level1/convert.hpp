#pragma once

#include <type_traits>

#include <residua/arith/expansion/resize.hpp>
#include <residua/blas/base/compiled_formats.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// y <- x from one format to another: binary64 and any expansion, and expansions of N and 2N terms. multidigit/level1.hpp and rns/level1.hpp have convert for their formats.
///
/// shapes   x (n), y (n); different vectors
/// errors   none to as many terms or more; to binary64 an element is rounded to nearest even, to fewer terms as resized()
///          does it. What is not finite stays so
/// cost     reads n numbers, writes n
/// order    elementwise
/// throws   dimension_error if sizes differ
template <number From, number To>
void convert(const host_executor& exec, vector_view<host_executor, const From> x, vector_view<host_executor, To> y);

/// convert on a CUDA device, with the bits of the host.
template <number From, number To>
void convert(const cuda_executor& exec, vector_view<cuda_executor, const From> x, vector_view<cuda_executor, To> y);

namespace detail {

/// The step of convert for one element, on every executor.
template <class To, class From>
RESIDUA_HD To converted(const From& x)
{
    if constexpr (number_traits<To>::terms == 1) {
        return to_double(x);
    } else if constexpr (number_traits<From>::terms == 1) {
        return To{x};
    } else {
        return resized<number_traits<To>::terms>(x);
    }
}

}  // namespace detail
}  // namespace residua::blas
