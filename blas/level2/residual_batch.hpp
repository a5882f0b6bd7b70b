#pragma once

#include <cmath>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/batch.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/level1/convert.hpp>

namespace residua::blas {

namespace detail {

template <class T>
struct twice {
    using type = expansion<double, 2 * number_traits<T>::terms>;
};

}  // namespace detail

/// The format with twice the terms of T, in which residuals are summed.
template <number T>
using doubled = typename detail::twice<T>::type;

/// r <- r - A x for every system of a batch, in twice the terms of x, and sizes_i <- |r_i| + sum_j |a_ij| |x_j| with the r
/// before
///
/// shapes   A (n x n, n <= largest_batch_order), x, r and sizes (n) each; A is of binary64 or of the format of x. Nothing
///          overlaps r or sizes
/// errors   |err_i| <= accumulation_error_bound<2N>(n + 1) u^2N (|r_i| + sum_j |a_ij| |x_j|); sizes are off by at most
///          (n + 4) u of themselves, barring underflow and overflow
/// cost     n^2 multiply-adds of twice the terms each
/// order    each row from left to right, renormalised after every product: the same bits on host and device
/// throws   dimension_error, unsupported_error as getrf_batch
template <number T, number V>
void residual_batch(const host_executor& exec, matrix_batch_view<host_executor, const V> a,
                    vector_batch_view<host_executor, const T> x, vector_batch_view<host_executor, doubled<T>> r,
                    vector_batch_view<host_executor, double> sizes);

/// residual_batch on a CUDA device, a thread for each row.
template <number T, number V>
void residual_batch(const cuda_executor& exec, matrix_batch_view<cuda_executor, const V> a,
                    vector_batch_view<cuda_executor, const T> x, vector_batch_view<cuda_executor, doubled<T>> r,
                    vector_batch_view<cuda_executor, double> sizes);

namespace detail {

/// The step for one product, on every executor.
template <class T, class V>
RESIDUA_HD void subtract_product(accumulator_of<doubled<T>>& sum, const V& a, const T& x)
{
    const T minus = -x;
    if constexpr (number_traits<T>::terms == 1) {
        add_product(sum, a, minus);
    } else if constexpr (number_traits<V>::terms == 1) {
        add_product(sum, a, doubled<T>{minus});
    } else {
        add_product(sum, doubled<T>{a}, doubled<T>{minus});
    }
    renormalize(sum);
}

template <class T, class V>
RESIDUA_HD double size_of_product(const V& a, const T& x)
{
    return mul_rn(std::fabs(term(a, 0)), std::fabs(term(x, 0)));
}

/// throws  as residual_batch
template <class Exec, class T, class V>
void require_residuals(matrix_batch_view<Exec, const V> a, vector_batch_view<Exec, const T> x,
                       vector_batch_view<Exec, doubled<T>> r, vector_batch_view<Exec, double> sizes)
{
    require_batch("residual_batch", a);
    require_batch("residual_batch", x, a.n, a.count);
    require_batch("residual_batch", r, a.n, a.count);
    require_batch("residual_batch", sizes, a.n, a.count);
}

}  // namespace detail
}  // namespace residua::blas

/// Calls INSTANTIATE(terms of x, terms of an entry) for the formats of x and of the matrix; 1 is binary64.
#define RESIDUA_FOR_EACH_RESIDUAL_BATCH(INSTANTIATE) \
    INSTANTIATE(1, 1)                                \
    INSTANTIATE(2, 1)                                \
    INSTANTIATE(2, 2)                                \
    INSTANTIATE(3, 1)                                \
    INSTANTIATE(3, 3)                                \
    INSTANTIATE(4, 1)                                \
    INSTANTIATE(4, 4)
