#pragma once

#include <residua/blas/sparse/spmv.hpp>

namespace residua::blas {

/// y <- alpha A x + beta y of binary64 as if computed with twice its precision, every y_i rounded once
///
/// Words are kept as in gemv2: the bits of spmv of expansion<double, 2> with the same numbers, rounded to binary64.
///
/// shapes   A (m x n), x (n), y (m); y does not overlap x. y is not read if beta == 0
/// errors   for a row of k entries as gemv2, with c = sparse_row_error_bound<2>(k). What is not stored is zero,
///          also times infinity
/// cost     a product and a sum of two words for each entry, 12 flops or so; reads A once
/// order    as spmv: the same bits for both storages, any thread count and instruction set
/// throws   dimension_error if sizes do not fit
/// from     Dot2 [ORO05, Alg. 5.3] in the order of reduction_order.hpp; docs/error_bounds.md, corollary of theorem 3
template <class A>
    requires sparse_for<A, host_executor, double>
void spmv2(const host_executor& exec, double alpha, const A& a, in_vector<host_executor, double> x, double beta,
           vector_view<host_executor, double> y);

/// spmv2 on a CUDA device, with the bits of the host.
template <class A>
    requires sparse_for<A, cuda_executor, double>
void spmv2(const cuda_executor& exec, const scalar_argument<double>& alpha, const A& a,
           in_vector<cuda_executor, double> x, const scalar_argument<double>& beta,
           vector_view<cuda_executor, double> y);

}  // namespace residua::blas
