#pragma once

#include <cstdint>
#include <span>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/batch.hpp>
#include <residua/blas/base/check.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>

namespace residua::blas {

/// inverse_i <- sum_j |y_ij| for every system of a batch, Y P' the inverse of P A = L U by rows, and upper_i <- sum_j |u_ij|
///
/// Row i of Y solves y' L U = e_i', by substitution in the format F of the factors. They may be the first terms of longer
/// ones: a view of their first plane.
///
/// shapes   L and U as getrf_batch leaves them (n x n, n <= largest_batch_order), inverse and upper (n) each
/// errors   |e_i' - y' L U| <= 2.01 c u^F |y'| |L| |U| with c = accumulation_error_bound<F>(n) + quotient_error_bound<F>, n + 2
///          for binary64; sums are off by at most (n + 1) 2^-52 of themselves, barring underflow and overflow
///          (docs/error_bounds.md, theorem 30)
/// cost     2/3 n^3 multiply-adds each
/// order    each row by sums from the first pivot to the last, then back, renormalised after every product: the same bits
///          on host and device
/// reports  infinity in both results of a system with info != 0
/// throws   dimension_error, unsupported_error as getrf_batch
template <number F>
void inverse_sums_batch(const host_executor& exec, matrix_batch_view<host_executor, const F> lu,
                        std::span<const std::int32_t> info, vector_batch_view<host_executor, double> inverse,
                        vector_batch_view<host_executor, double> upper);

/// inverse_sums_batch on a CUDA device, a thread for each row.
template <number F>
void inverse_sums_batch(const cuda_executor& exec, matrix_batch_view<cuda_executor, const F> lu,
                        std::span<const std::int32_t> info, vector_batch_view<cuda_executor, double> inverse,
                        vector_batch_view<cuda_executor, double> upper);

namespace detail {

/// throws  as inverse_sums_batch
template <class Exec, class F>
void require_inverse_sums(matrix_batch_view<Exec, const F> lu, std::size_t info,
                          vector_batch_view<Exec, double> inverse, vector_batch_view<Exec, double> upper)
{
    require_batch("inverse_sums_batch", lu);
    require_equal("inverse_sums_batch", "matrices and words of info", lu.count, static_cast<index_t>(info));
    require_batch("inverse_sums_batch", inverse, lu.n, lu.count);
    require_batch("inverse_sums_batch", upper, lu.n, lu.count);
}

}  // namespace detail
}  // namespace residua::blas
