#pragma once

#include <concepts>

#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>
#include <residua/blas/level2/triangle.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/levels.hpp>

namespace residua::blas {

/// x <- T^-1 b, T the lower or upper triangle of A, which may hold more than that triangle
///
/// shapes   A (n x n), b (n), x (n); x may be b
/// errors   |b - T x| <= (2 c(k) + d) u^N |T| |x| for rows of at most k entries; c =
///          sparse_row_error_bound<N>, d = quotient_error_bound<N>
/// cost     a multiply-add for each entry, n divisions; one thread, scalar code
/// order    each row starts from b and goes by ascending columns
/// reports  a diagonal entry that is zero or missing gives infinity or NaN
/// throws   dimension_error if A is not square or sizes differ
/// from     [Saad03, Alg. 10.1]
template <number T, number V>
    requires std::same_as<V, double> || std::same_as<V, T>
void trsv(const host_executor& exec, uplo triangle, diag diagonal, const csr<host_executor, V>& a,
          in_vector<host_executor, T> b, vector_view<host_executor, T> x);

/// trsv by all threads, level by level, with the same bits; `levels` are the levels of the triangle of A.
///
/// cost  a team for each level that pays for one
template <number T, number V>
    requires std::same_as<V, double> || std::same_as<V, T>
void trsv(const host_executor& exec, const row_levels& levels, diag diagonal, const csr<host_executor, V>& a,
          in_vector<host_executor, T> b, vector_view<host_executor, T> x);

/// X' <- (T^-1 X)': trsv for several right-hand sides at once, whose elements lie side by side
///
/// shapes   A (n x n), X' (k x n): column i has the k elements of row i
/// errors   as trsv, in binary64; column j of X gets the bits that trsv gives it alone
/// cost     A is read once; a multiply-add for each entry and right-hand side, in SIMD lanes
/// order    as trsv
/// reports  as trsv
/// throws   dimension_error if A is not square or sizes differ
/// from     as trsv
void trsm_t(const host_executor& exec, uplo triangle, diag diagonal, const csr<host_executor, double>& a,
            matrix_view<host_executor, double> x_t);

/// trsv on a CUDA device, level by level, with the bits of the host; `levels` are the levels of the triangle of A.
///
/// cost  a launch for each level wider than device_levels::narrow_width, and for each run of narrower ones
template <number T, number V>
    requires std::same_as<V, double> || std::same_as<V, T>
void trsv(const cuda_executor& exec, const device_levels& levels, diag diagonal, const csr<cuda_executor, V>& a,
          in_vector<cuda_executor, T> b, vector_view<cuda_executor, T> x);

}  // namespace residua::blas
