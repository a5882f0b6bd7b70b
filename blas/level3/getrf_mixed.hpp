#pragma once

#include <cstdint>
#include <span>

#include <residua/arith/base/host_device.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/level3/getrf.hpp>

namespace residua::blas {

/// Numbers of 11 bits, with the exponents of binary32 or of binary16.
enum class low_precision { tf32, binary16 };

/// P A = L U with partial pivoting, in place as by getrf, with most of the products of numbers of 11 bits
///
/// Panels of w columns, 128 on the host, 256 or 512 on CUDA, and the rows of U beside them are computed in binary32. What
/// they subtract from the rest of the matrix is fl(L) fl(U), entries rounded to nearest even, their products exact and
/// the sums in binary32.
///
/// shapes   A (n x n); n pivots, as getrf has them
/// errors   |P A - L U| <= (2^-10 + (1 + 2^-10) gamma) |L| |U|, gamma = m u / (1 - m u), u = 2^-24, m = n + 1 on the
///          host and 4 (n + 1) on CUDA, barring underflow. For binary16, where numbers below 2^-14 become multiples of
///          2^-24, entry (i, j) has 2^-24 sum_(k < min(i, j)) (|l_ik| + |u_kj|) more
/// special  from 65520 on an entry of U is an infinity in binary16. Infinities and NaN, these or in A, show in the
///          factors, on CUDA in all of them, and nowhere else. The caller scales A so that its largest entry is near 1
/// cost     n^3 / 3 multiply-adds, of which n^2 w / 2 are in binary32; on the host, by one thread, the others cost as
///          much
/// order    as the machine's BLAS and LAPACK, cuBLAS and cuSOLVER have it, with their bits, as for getrf
/// reports  0; or k, counted from 1, if pivot k is zero, the first such: the factors are of no use then
/// throws   dimension_error unless ld >= n >= 0 and there are n pivots; unsupported_error on the host from n = 2^31 on;
///          resource_error
/// from     [BHL+20]; docs/error_bounds.md, theorem 26
index_t getrf_mixed(const host_executor& exec, lapack_matrix<host_executor, float> a, std::span<std::int64_t> pivots,
                    low_precision of_products);

/// getrf_mixed on a CUDA device, products in its tensor cores; waits for it. The pivots are addresses on the device.
///
/// memory  n w numbers twice, in the precision of products, and the workspace of cuSOLVER for a panel, while it runs
/// throws  also cuda_error where cuBLAS or cuSOLVER is not installed, or fails
index_t getrf_mixed(const cuda_executor& exec, lapack_matrix<cuda_executor, float> a, std::span<std::int64_t> pivots,
                    low_precision of_products);

namespace detail {

/// getrf_mixed with panels of a given number of columns, 1 to most_panel_columns.
///
/// throws  also dimension_error for another number of columns
index_t getrf_mixed(const host_executor& exec, lapack_matrix<host_executor, float> a, std::span<std::int64_t> pivots,
                    low_precision of_products, index_t panel_columns);
index_t getrf_mixed(const cuda_executor& exec, lapack_matrix<cuda_executor, float> a, std::span<std::int64_t> pivots,
                    low_precision of_products, index_t panel_columns);
inline constexpr index_t most_panel_columns = 512;

/// x rounded to nearest even as a number of 11 bits. TF32 has multiples of 2^-136, binary16 of 2^-24; from 65520 on
/// this has infinities.
RESIDUA_HD constexpr float rounded_to(low_precision to, float x)
{
    if (!(x - x == 0.0f)) {
        return x;
    }
    const auto bits = __builtin_bit_cast(std::uint32_t, x);
    const std::uint32_t half = 0xfffu + (bits >> 13 & 1u);  // of the last place kept; less than that before an even one
    const auto nearest = __builtin_bit_cast(float, (bits + half) & ~0x1fffu);
    const std::uint32_t sign = bits & 0x80000000u;
    const auto size = __builtin_bit_cast(float, bits ^ sign);
    if (to == low_precision::tf32 || (size >= 0x1p-14f && size < 65520.0f)) {
        return nearest;
    }
    const float result = size < 1.0f ? (size + 0.5f) - 0.5f : __builtin_huge_valf();
    return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, result) | sign);
}

/// throws  dimension_error unless 1 <= columns <= most_panel_columns
void require_panel_columns(index_t columns);

/// The pivot of step k of a matrix from the pivot that its panel has, counted from the first row of the panel.
RESIDUA_HD constexpr std::int64_t pivot_of_matrix(std::int64_t pivot_of_panel, index_t k, index_t panel_columns)
{
    return pivot_of_panel + k / panel_columns * panel_columns;
}

}  // namespace detail
}  // namespace residua::blas
