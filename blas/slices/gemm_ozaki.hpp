#pragma once

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// What slices of a matrix are multiplied in: the BLAS of the host, cuBLAS on a device. 8-bit slices are for tensor cores.
enum class slice_type { binary32, binary64, int8 };

/// How gemm_ozaki goes about its product.
struct ozaki_options {
    slice_type type = slice_type::binary32;
    int slices = 0;  ///< of each factor; 0: as many as there are
};

/// C <- A B of binary64 matrices from products of slices, most of them exact
///
/// Digit s of an element is an integer of b bits; b is the most with which the products of two slices, cut at
/// 4096 (binary32), 8192 (binary64) or 16384 terms (int8), are exact. Each row of A and each column of B has a
/// power of two of its own, so extreme ranges cost slices, not digits. Slices of zeros are left out.
///
/// shapes   A (m x k), B (k x n), C (m x n); C overlaps neither A nor B
/// errors   all slices: every element is the exact one, rounded to nearest even once. s slices of binary32 or binary64,
///          |a_il| <= E_i and |b_lj| <= F_j with powers of two: |err_ij| <= (s k (s k + 5) 2^(-b (s-1)) u +
///          k (s^2 + 2) (1 + k / 4096) 2^-53) E_i F_j and one rounding, u = 2^-24 or 2^-53. s slices of int8:
///          k (s + 2) 2^(-7 s) E_i F_j and one rounding
/// special  where row i or column j has infinities or NaN: the sum of the products with these
/// cost     s (s + 1) / 2 products of slices; s^2 for all slices: about s = (53 + d) / b with numbers that differ by 2^d
///          in a row or column
/// order    all slices, or slices of int8: the same bits on every machine. Else the last products are as the BLAS has
///          them
/// throws   dimension_error if sizes do not fit; unsupported_error for int8 on the host; resource_error
/// from     [OOOR12]; integer digits [OOY24]
void gemm_ozaki(const host_executor& exec, matrix_view<host_executor, const double> a,
                matrix_view<host_executor, const double> b, matrix_view<host_executor, double> c,
                const ozaki_options& options = {});

/// gemm_ozaki on a CUDA device.
void gemm_ozaki(const cuda_executor& exec, matrix_view<cuda_executor, const double> a,
                matrix_view<cuda_executor, const double> b, matrix_view<cuda_executor, double> c,
                const ozaki_options& options = {});

}  // namespace residua::blas
