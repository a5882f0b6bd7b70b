#pragma once

#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// y <- alpha A x + beta y of binary64 as if computed with twice its precision, every y_i rounded once
///
/// Products a_ij x_j are exact, their sum s_i has two words, and so have alpha s_i and alpha s_i + beta y_i, until that is
/// rounded: the bits of gemv of expansion<double, 2> with the same numbers, rounded to binary64.
///
/// shapes   A (m x n), x (n), y (m); y overlaps neither A nor x. y is not read if beta == 0
/// errors   |err_i| <= u |alpha (A x)_i + beta y_i| + (1 + u) u^2 (c(n) |alpha| sum_j |a_ij x_j| + the errors of one
///          axpy element of two terms); c = dense_row_error_bound<2>. With alpha == 1 and beta == 0: as dot2 with this c
/// cost     m n products and sums of two words, 12 flops or so each; reads A once
/// order    as gemv: the same bits for any thread count and instruction set
/// throws   dimension_error if sizes do not fit
/// from     Dot2 [ORO05, Alg. 5.3] in the order of reduction_order.hpp; docs/error_bounds.md, corollary of theorem 3
void gemv2(const host_executor& exec, double alpha, in_matrix<host_executor, double> a,
           in_vector<host_executor, double> x, double beta, vector_view<host_executor, double> y);

/// gemv2 on a CUDA device, with the bits of the host.
///
/// throws   unsupported_error if A has more than 4194240 columns
void gemv2(const cuda_executor& exec, const scalar_argument<double>& alpha, in_matrix<cuda_executor, double> a,
           in_vector<cuda_executor, double> x, const scalar_argument<double>& beta,
           vector_view<cuda_executor, double> y);

}  // namespace residua::blas
