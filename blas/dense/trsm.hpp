#pragma once

#include <residua/blas/level3/gemm.hpp>

namespace residua::blas {

namespace detail {

/// The rows of a triangle that are solved for by substitution.
inline constexpr index_t trsm_block = 32;

/// The halvings of a triangle of n rows until it has trsm_block: each row loses as many products of matrices, at most.
constexpr int trsm_levels(index_t n)
{
    int levels = 0;
    for (; n > trsm_block; n = trsm_block * ((n + 2 * trsm_block - 1) / (2 * trsm_block))) {
        ++levels;
    }
    return levels;
}

/// X <- inverse(T) X, T a triangle of A
template <class Exec, class T>
void solve_triangle(const Exec& exec, uplo triangle, diag diagonal, const matrix_view<Exec, const T>& a,
                    const matrix_view<Exec, T>& x)
{
    const index_t n = x.rows;
    if (n <= trsm_block) {
        solve_columns(exec, triangle, diagonal, a, x);
        return;
    }
    const index_t m = trsm_block * ((n + 2 * trsm_block - 1) / (2 * trsm_block));
    const auto one = constant_of(x, 1.0);
    const auto minus_one = constant_of(x, -1.0);
    const matrix_view<Exec, T> top = x.block(0, 0, m, x.cols);
    const matrix_view<Exec, T> bottom = x.block(m, 0, n - m, x.cols);
    if (triangle == uplo::lower) {
        solve_triangle(exec, triangle, diagonal, a.block(0, 0, m, m), top);
        gemm(exec, trans::no, trans::no, minus_one, a.block(m, 0, n - m, m), top, one, bottom);
        solve_triangle(exec, triangle, diagonal, a.block(m, m, n - m, n - m), bottom);
    } else {
        solve_triangle(exec, triangle, diagonal, a.block(m, m, n - m, n - m), bottom);
        gemm(exec, trans::no, trans::no, minus_one, a.block(0, m, m, n - m), bottom, one, top);
        solve_triangle(exec, triangle, diagonal, a.block(0, 0, m, m), top);
    }
}

}  // namespace detail

/// X <- alpha inverse(op(T)) X, or alpha X inverse(op(T)), T a triangle of A, of which only that is read
///
/// shapes   A (n x n), X (n x k), or (k x n) on the right; X does not overlap A
/// errors   of a column x with the right-hand side b = alpha times the column before, rounded as by scal:
///          |b - T x| <= e (|b| + |T| |x|) with e of docs/error_bounds.md, theorem 33; of rows on the right
/// cost     n^2 k / 2 multiply-adds; memory for a transposed copy of A or X where one is needed, and that of gemm. On a
///          device a few launches for each 32 rows, whatever k is
/// order    blocks of 32 rows by substitution, the rest by gemm: the same bits on every executor
/// reports  a zero on the diagonal gives numbers that are not finite
/// throws   dimension_error if sizes do not fit, error if formats differ, resource_error
/// from     [Higham02, Alg. 8.1], by blocks
template <class T, class Exec>
void trsm(const Exec& exec, side on, uplo triangle, trans op, diag diagonal, const factor_of<Exec, T>& alpha,
          in_matrix<Exec, T> a, out_matrix<Exec, T> x)
{
    require_equal("trsm", "rows and columns of A", a.rows, a.cols);
    require_equal("trsm", on == side::left ? "rows of A and X" : "rows of A and columns of X", a.rows,
                  on == side::left ? x.rows : x.cols);
    require_formats("trsm", x, a, alpha);
    if (on == side::right) {  // op(T)' X' = alpha X', the X on the right before
        matrix<Exec, T> transposed(x.format, x.cols, x.rows, exec);
        transpose<T>(exec, x, transposed.view());
        trsm<T>(exec, side::left, triangle, detail::other(op), diagonal, alpha, a, transposed.view());
        transpose<T>(exec, transposed.view(), x);
        return;
    }
    detail::combine_entries(exec, "trsm", detail::entry_sum<Exec, T>{x, {.x = detail::places_of(x), .number = alpha}});
    if (op == trans::no) {
        detail::solve_triangle(exec, triangle, diagonal, a, x);
    } else {
        matrix<Exec, T> transposed(a.format, a.cols, a.rows, exec);
        transpose<T>(exec, a, transposed.view());
        detail::solve_triangle(exec, detail::other(triangle), diagonal, std::as_const(transposed).view(), x);
    }
}

}  // namespace residua::blas
