#pragma once

#include <cstdint>
#include <span>

#include <residua/blas/base/batch.hpp>
#include <residua/blas/base/check.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>

namespace residua::blas {

/// P A = L U with partial pivoting for every matrix of a batch, in place: U becomes the upper triangle of A, L what is below
/// it, without its diagonal of ones
///
/// shapes   A (n x n, n <= largest_batch_order) each; n pivots each, and one word of info, in the memory of A: at step k of
///          system s row k was swapped with row pivots[s n + k - 1], counted from 1
/// errors   |P A - L U| <= (2 n d + q + m) u^N |L| |U| with d = accumulation_error_bound<N>(1), q and m the bounds of a
///          quotient and a product, and u = 2^-53, barring underflow and overflow (docs/error_bounds.md, theorem 30)
/// cost     n^3 / 3 multiply-adds each. On the host eight systems lie side by side in SIMD lanes
/// order    right-looking, column by column; the pivot is the largest entry by its exact value, the first of equals. So the
///          same bits on host and device, for any number of threads and whatever else is in the batch. Up to n = 8
///          dense_factors has the same bits; for larger n it factorises by halves, in another order
/// reports  info[s] = 0; or k, counted from 1, if pivot k is zero or not finite, the first such: the factors of that system
///          and its pivots from k on are then of no use, and not the same everywhere
/// throws   dimension_error if sizes do not fit or matrices overlap; unsupported_error for a larger n
/// from     [Higham02, Sec. 9.1]
template <number T>
void getrf_batch(const host_executor& exec, matrix_batch_view<host_executor, T> a, std::span<std::int32_t> pivots,
                 std::span<std::int32_t> info);

/// getrf_batch on a CUDA device: a part of a warp, a warp or a block for each system, which lies in shared memory. The
/// spans are addresses on the device.
///
/// throws   also cuda_error
template <number T>
void getrf_batch(const cuda_executor& exec, matrix_batch_view<cuda_executor, T> a, std::span<std::int32_t> pivots,
                 std::span<std::int32_t> info);

/// x <- inverse(A) x for every system, by the factors of getrf_batch
///
/// shapes   A, pivots and info as getrf_batch left them; x (n) each
/// errors   |b - L y| and |y - U x| as those of trsv
/// cost     n^2 multiply-adds each
/// order    that of trsv, and so the bits of dense_factors::solve() with the same factors, on host and device
/// reports  x of a system with info != 0 becomes NaN in all of its terms
/// throws   as getrf_batch
template <number T>
void getrs_batch(const host_executor& exec, in_matrix_batch<host_executor, T> a, std::span<const std::int32_t> pivots,
                 std::span<const std::int32_t> info, vector_batch_view<host_executor, T> x);

template <number T>
void getrs_batch(const cuda_executor& exec, in_matrix_batch<cuda_executor, T> a, std::span<const std::int32_t> pivots,
                 std::span<const std::int32_t> info, vector_batch_view<cuda_executor, T> x);

namespace detail {

/// throws  as getrf_batch
template <class Exec, class T>
void require_factors(const char* op, const matrix_batch_view<Exec, T>& a, std::size_t pivots, std::size_t info)
{
    require_batch(op, a);
    require_equal(op, "rows of all matrices and number of pivots", a.n * a.count, static_cast<index_t>(pivots));
    require_equal(op, "matrices and words of info", a.count, static_cast<index_t>(info));
}

/// What |x| - |y| is, as far as the first terms of two numbers tell: each is within two of its ulps of the number.
enum class first_terms { smaller, near, larger };

template <class T>
RESIDUA_HD first_terms compare_sizes(double x, double y)
{
    const double near = number_traits<T>::terms == 1 ? 0.0 : 0x1p-50 * y;
    return x > y + near                                   ? first_terms::larger
           : number_traits<T>::terms > 1 && x >= y - near ? first_terms::near
                                                          : first_terms::smaller;
}

}  // namespace detail
}  // namespace residua::blas
