#pragma once

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/level2/triangle.hpp>

namespace residua::detail {

/// Which triangle of a matrix, what its diagonal is, and whether its transpose is meant.
struct triangle_kind {
    blas::uplo triangle = blas::uplo::lower;
    blas::diag diagonal = blas::diag::non_unit;
    bool transposed = false;
};

/// C <- A B, every element summed exactly and rounded once; where there is one column by gemv_exact.
///
/// shapes  A (m x k), B (k x n), C (m x n), which is zero if k = 0
template <class Exec>
void multiply_exactly(const Exec& exec, matrix_view<Exec, const multidigit> a, matrix_view<Exec, const multidigit> b,
                      matrix_view<Exec, multidigit> c);

/// B <- A'
///
/// shapes  A (m x n), B (n x m); they do not overlap
template <class Exec>
void copy_transposed(const Exec& exec, matrix_view<Exec, const multidigit> a, matrix_view<Exec, multidigit> b);

/// X <- inverse(T) X or inverse(T') X, T a triangle of A, by halves of its rows until 64 are left. These are solved by
/// sums; what a half is multiplied with is an exact product.
///
/// shapes   A (n x n), X (n x m)
/// errors   (T + D) x = b for every column, |D| <= gamma_(h + 3) |T| with h halvings: docs/error_bounds.md, theorem 32
/// cost     n^2 m / 2 multiply-adds, all but 32 n m of them in products
/// order    fixed: a column has the same bits alone and together with others, for any number of threads, on every
///          executor
/// stops    inside products by io::ask_for_stop()
/// reports  a zero on the diagonal gives numbers that are not finite
/// throws   unsupported_error as gemm_exact; resource_error, and cuda_error if a device fails
/// from     [Higham02, Thm 8.5]
template <class Exec>
void solve_triangle_by_halves(const Exec& exec, const triangle_kind& kind, matrix_view<Exec, const multidigit> a,
                              matrix_view<Exec, multidigit> x);

}  // namespace residua::detail
