#pragma once

#include <residua/blas/base/rns_array.hpp>
#include <residua/blas/level2/triangle.hpp>

/// The operations as [IKK20] splits them, on CUDA only. Each product and each sum of arrays takes three kernels, with
/// intermediate results in memory: (1) signs, exponents and ranges, one thread a number; (2) residues, one thread each,
/// without divergence; (3) rounding, some threads a number. Bits and contracts are those of the fused operations,
/// which are faster. `_basic` is the baseline of both: one thread a number does everything.
namespace residua::blas {

/// y <- a x + y
void axpy_split(const cuda_executor& exec, const rns_number& a, in_vector<cuda_executor, rns> x,
                vector_view<cuda_executor, rns> y);
void axpy_basic(const cuda_executor& exec, const rns_number& a, in_vector<cuda_executor, rns> x,
                vector_view<cuda_executor, rns> y);

/// x'y
rns_number dot_split(const cuda_executor& exec, in_vector<cuda_executor, rns> x, in_vector<cuda_executor, rns> y);

/// C <- alpha A + beta B
void ge_add_split(const cuda_executor& exec, const rns_number& alpha, in_matrix<cuda_executor, rns> a,
                  const rns_number& beta, in_matrix<cuda_executor, rns> b, matrix_view<cuda_executor, rns> c);
void ge_add_basic(const cuda_executor& exec, const rns_number& alpha, in_matrix<cuda_executor, rns> a,
                  const rns_number& beta, in_matrix<cuda_executor, rns> b, matrix_view<cuda_executor, rns> c);

/// A <- A + alpha x y'
void ger_split(const cuda_executor& exec, const rns_number& alpha, in_vector<cuda_executor, rns> x,
               in_vector<cuda_executor, rns> y, matrix_view<cuda_executor, rns> a);

/// y <- alpha op(A) x + beta y; gemv_split has a workspace of the size of A
void gemv_split(const cuda_executor& exec, trans op, const rns_number& alpha, in_matrix<cuda_executor, rns> a,
                in_vector<cuda_executor, rns> x, const rns_number& beta, vector_view<cuda_executor, rns> y);
void gemv_basic(const cuda_executor& exec, trans op, const rns_number& alpha, in_matrix<cuda_executor, rns> a,
                in_vector<cuda_executor, rns> x, const rns_number& beta, vector_view<cuda_executor, rns> y);

}  // namespace residua::blas
