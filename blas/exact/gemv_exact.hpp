#pragma once

#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/exact/options.hpp>
#include <residua/blas/multidigit/array.hpp>
#include <residua/blas/rns/array.hpp>

namespace residua::blas {

/// y <- A x, every element summed exactly and rounded once
///
/// As gemm_exact with x as a column; long multiplications instead of residues.
///
/// shapes   A (m x k), x (k), y (m); y overlaps neither A nor x
/// errors   as gemm_exact
/// special  where row i or x has infinities or NaN: the sum of the products that have
/// cost     m k (q_a / 64) (q_x / 64) products of 64-bit words; fewer for numbers of few bits
/// order    the same bits on every machine, with any number of threads
/// throws   as gemm_exact
/// from     docs/error_bounds.md, theorem 22
template <class T>
void gemv_exact(const host_executor& exec, in_matrix<host_executor, T> a, in_vector<host_executor, T> x,
                vector_view<host_executor, T> y, const exact_options& options = {});

/// result <- x' y, as gemv_exact for a single row
///
/// shapes   x (k), y (k), result (1)
template <class T>
void dot_exact(const host_executor& exec, in_vector<host_executor, T> x, in_vector<host_executor, T> y,
               vector_view<host_executor, T> result, const exact_options& options = {});

}  // namespace residua::blas
