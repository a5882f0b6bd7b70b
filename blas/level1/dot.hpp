#pragma once

#include <residua/arith/expansion/accumulator.hpp>
#include <residua/blas/base/check.hpp>
#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/base/rns_array.hpp>

namespace residua::blas {

namespace detail {

/// dot of each format, of vectors that fit.
template <number T>
T dot_of(const host_executor& exec, const vector_view<host_executor, const T>& x,
         const vector_view<host_executor, const T>& y);
template <number T>
T dot_of(const cuda_executor& exec, const vector_view<cuda_executor, const T>& x,
         const vector_view<cuda_executor, const T>& y);
template <class Exec>
multidigit_number dot_of(const Exec& exec, const vector_view<Exec, const multidigit>& x,
                         const vector_view<Exec, const multidigit>& y);
template <class Exec>
rns_number dot_of(const Exec& exec, const vector_view<Exec, const rns>& x, const vector_view<Exec, const rns>& y);

/// dot of vectors of one size before it is rounded, with threads if `operations` are worth them.
template <number T>
accumulator<number_traits<T>::terms> ordered_dot(in_vector<host_executor, T> x, in_vector<host_executor, T> y,
                                                 double operations);

}  // namespace detail

/// x' y
///
/// shapes   x (n), y (n)
/// cost     n multiply-adds; reads 2n numbers. On a device it waits for the result
/// order    of each format below: the same bits for any thread count, instruction set and executor
/// throws   dimension_error if sizes differ, error if formats do
///
/// errors and orders by format
///
///   double, expansion of N terms   |err| <= c(n) u^N sum |x_i y_i|; c = long_sum_error_bound<N>. reduction_order.hpp
///   multi-digit floats   u |x'y| + 2^-20 n u max |x_i y_i|. At most 256 blocks, each of at most 4 groups of neighbours
///                     (multidigit/for_indices.hpp): lane l of 256 adds terms l, l + 256, ... of a group from left to
///                     right; lanes, groups and blocks are merged as integers, in any order
///   RNS floats        gamma_k sum |x_i y_i|, k the smaller of n and long_sum_depth(n), u = 4 / sqrt(M). reduction_order.hpp
template <class T, class Exec>
typename array_traits<T>::number dot(const Exec& exec, in_vector<Exec, T> x, in_vector<Exec, T> y)
{
    require_equal("dot", "sizes of x and y", x.size, y.size);
    require_formats("dot", y, x);
    return detail::dot_of(exec, x, y);
}

/// dot on a CUDA device that leaves the result in device memory; the host does not wait.
template <number T>
void dot(const cuda_executor& exec, in_vector<cuda_executor, T> x, in_vector<cuda_executor, T> y,
         scalar_place<T> result);

/// dot of multi-digit floats that leaves its result in a vector of one element; the host does not wait.
template <class Exec>
void dot(const Exec& exec, in_vector<Exec, multidigit> x, in_vector<Exec, multidigit> y,
         vector_view<Exec, multidigit> to);

}  // namespace residua::blas
