#pragma once

#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// C <- alpha A B + beta C, all of one format, by the sums of the definition
///
/// shapes   A (m x k), B (k x n), C (m x n); C overlaps neither A nor B, and is not read if beta == 0
/// errors   |err_ij| <= c(k) u^N |alpha| sum_l |a_il b_lj|, plus the errors of one axpy element; c =
///          dense_row_error_bound<N>
/// cost     m n k multiply-adds
/// order    each column as gemv has it
/// stops    between columns by io::ask_for_stop(), which then throws
/// memory   of expansions of 2 to 4 terms up to 528 KiB a thread
/// throws   dimension_error if sizes do not fit, resource_error
template <number T>
void gemm(const host_executor& exec, const std::type_identity_t<T>& alpha, in_matrix<host_executor, T> a,
          in_matrix<host_executor, T> b, const std::type_identity_t<T>& beta, matrix_view<host_executor, T> c);

/// gemm on a CUDA device, with the bits of the host.
///
/// throws   unsupported_error if k is above 2^18, or n above 262140
template <number T>
void gemm(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& alpha,
          in_matrix<cuda_executor, T> a, in_matrix<cuda_executor, T> b,
          const std::type_identity_t<scalar_argument<T>>& beta, matrix_view<cuda_executor, T> c);

}  // namespace residua::blas
