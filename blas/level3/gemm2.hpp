#pragma once

#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// C <- alpha A B + beta C of binary64 as if computed with twice its precision, every c_ij rounded once
///
/// shapes   A (m x k), B (k x n), C (m x n); C overlaps neither A nor B, and is not read if beta == 0
/// errors   of each column as gemv2 has them, with k for its n
/// cost     m n k products and sums of two words, 12 flops or so each
/// order    each column as gemv2 has it
/// throws   dimension_error if sizes do not fit
/// from     Dot2 [ORO05, Alg. 5.3] in the order of reduction_order.hpp; docs/error_bounds.md, corollary of theorem 3
void gemm2(const host_executor& exec, double alpha, in_matrix<host_executor, double> a,
           in_matrix<host_executor, double> b, double beta, matrix_view<host_executor, double> c);

/// gemm2 on a CUDA device, with the bits of the host.
///
/// throws   unsupported_error if k is above 2^18, or n above 262140
void gemm2(const cuda_executor& exec, const scalar_argument<double>& alpha, in_matrix<cuda_executor, double> a,
           in_matrix<cuda_executor, double> b, const scalar_argument<double>& beta,
           matrix_view<cuda_executor, double> c);

}  // namespace residua::blas
