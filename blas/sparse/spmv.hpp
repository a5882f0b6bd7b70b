#pragma once

#include <concepts>

#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/sliced_ell.hpp>

namespace residua::blas {

/// y <- alpha A x + beta y, with A of binary64 or of the format of the vectors
///
/// shapes   A (m x n), x (n), y (m); y does not overlap x. y is not read if beta == 0
/// errors   |err_i| <= c(k) u^N |alpha| sum_j |a_ij x_j| for a row of k entries, plus the errors of
///          one axpy element; c = sparse_row_error_bound<N>. What is not stored is zero, also times infinity
/// cost     a multiply-add for each entry; reads A once
/// order    reduction_order.hpp: the same bits for both storages, any thread count and
///          instruction set
/// throws   dimension_error if sizes do not fit
template <number T, number V>
    requires std::same_as<V, double> || std::same_as<V, T>
void spmv(const host_executor& exec, const std::type_identity_t<T>& alpha, const csr<host_executor, V>& a,
          in_vector<host_executor, T> x, const std::type_identity_t<T>& beta, vector_view<host_executor, T> y);

template <number T, number V>
    requires std::same_as<V, double> || std::same_as<V, T>
void spmv(const host_executor& exec, const std::type_identity_t<T>& alpha, const sliced_ell<host_executor, V>& a,
          in_vector<host_executor, T> x, const std::type_identity_t<T>& beta, vector_view<host_executor, T> y);

/// spmv on a CUDA device, with the bits of the host.
template <number T, number V>
    requires std::same_as<V, double> || std::same_as<V, T>
void spmv(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& alpha,
          const csr<cuda_executor, V>& a, in_vector<cuda_executor, T> x,
          const std::type_identity_t<scalar_argument<T>>& beta, vector_view<cuda_executor, T> y);

template <number T, number V>
    requires std::same_as<V, double> || std::same_as<V, T>
void spmv(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& alpha,
          const sliced_ell<cuda_executor, V>& a, in_vector<cuda_executor, T> x,
          const std::type_identity_t<scalar_argument<T>>& beta, vector_view<cuda_executor, T> y);

}  // namespace residua::blas
