#pragma once

#include <residua/arith/base/bits.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// A <- R A C with diagonal R and C of powers of two, which bring the largest |a_ij| of every row, then of every column, to
/// [1/2, 1)
///
/// shapes   A (m x n), r (m), c (n): the diagonals
/// errors   none, unless an entry underflows
/// special  1 for a row or column of zeros, or with an infinity or NaN; at most 2^1023
/// cost     A is read three times and written once
/// order    elementwise: the same bits on every executor
/// throws   dimension_error if sizes do not fit
/// from     [Higham02, Sec. 9.8]
void equilibrate(const host_executor& exec, matrix_view<host_executor, double> a, vector_view<host_executor, double> r,
                 vector_view<host_executor, double> c);

/// equilibrate on a CUDA device.
///
/// throws   unsupported_error if A has more than 4194240 columns
void equilibrate(const cuda_executor& exec, matrix_view<cuda_executor, double> a, vector_view<cuda_executor, double> r,
                 vector_view<cuda_executor, double> c);

namespace detail {

/// The bits of |x| as an integer, which grows with |x| and is largest for NaN.
RESIDUA_HD constexpr std::uint64_t magnitude_bits(double x) { return to_bits(x) & ~sign_mask; }

/// The power of two for a row or column whose largest magnitude this is.
RESIDUA_HD constexpr double power_for(std::uint64_t largest)
{
    const int e = floor_log2(from_bits(largest));
    if (e == exponent_of_zero || e > max_exponent) {
        return 1.0;
    }
    return pow2(-(e + 1) < max_exponent ? -(e + 1) : max_exponent);
}

}  // namespace detail
}  // namespace residua::blas
