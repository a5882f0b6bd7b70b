#pragma once

#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/triangle.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// x <- inverse(op(A)) x, A triangular and dense
///
/// shapes   A (n x n), x (n)
/// errors   (op(A) + E) x = b with |E| of the order of n u^N |op(A)|, rows apart [Higham02, Thm 8.5]
/// cost     n^2/2 multiply-adds, n divisions (none for a unit diagonal); reads a triangle once
/// order    fixed by n: columns from the first to the last one solved for, each an axpy; for the
///          transpose dot products in the order of reduction_order.hpp
/// throws   dimension_error if A is not square or x has another size
///
/// A zero on the diagonal gives infinities or NaN, no exception.
template <number T>
void trsv(const host_executor& exec, triangle part, operation op, diagonal kind,
          in_matrix<host_executor, T> a, vector_view<host_executor, T> x);

}  // namespace residua::blas
