#pragma once

#include <residua/blas/level3/gemm.hpp>

namespace residua::blas {

namespace detail {

inline constexpr index_t syrk_block = 64;

/// C <- alpha A B + beta C of one triangle, where A B is symmetric: halves of C by products of matrices.
template <class Exec, class T>
void multiply_triangle(const Exec& exec, uplo triangle, const factor_of<Exec, T>& alpha,
                       const matrix_view<Exec, const T>& a, const matrix_view<Exec, const T>& b,
                       const factor_of<Exec, T>& beta, const matrix_view<Exec, T>& c)
{
    const index_t n = c.rows;
    if (n <= syrk_block) {
        matrix<Exec, T> whole(c.format, n, n, exec);
        using sum = entry_sum<Exec, T>;
        combine_entries(exec, "syrk", sum{whole, {.x = places_of(c)}, {}, triangle_of(triangle)});
        gemm<T>(exec, trans::no, trans::no, alpha, a, b, beta, whole);
        combine_entries(exec, "syrk", sum{c, {.x = places_of(whole.view())}, {}, triangle_of(triangle)});
        return;
    }
    const index_t m = (n / 2 + syrk_block - 1) / syrk_block * syrk_block;
    const index_t k = a.cols;
    multiply_triangle(exec, triangle, alpha, a.block(0, 0, m, k), b.block(0, 0, k, m), beta, c.block(0, 0, m, m));
    multiply_triangle(exec, triangle, alpha, a.block(m, 0, n - m, k), b.block(0, m, k, n - m), beta,
                      c.block(m, m, n - m, n - m));
    if (triangle == uplo::lower) {
        gemm(exec, trans::no, trans::no, alpha, a.block(m, 0, n - m, k), b.block(0, 0, k, m), beta,
             c.block(m, 0, n - m, m));
    } else {
        gemm(exec, trans::no, trans::no, alpha, a.block(0, 0, m, k), b.block(0, m, k, n - m), beta,
             c.block(0, m, m, n - m));
    }
}

}  // namespace detail

/// C <- alpha A A' + beta C, or alpha A' A + beta C if op is yes, of one triangle of C, the only one that is
/// read and written
///
/// shapes  A (n x k), or (k x n) if op is yes; C (n x n), which does not overlap A; not read if beta is zero
/// errors  as gemm of the format, whose bits an entry has
/// cost    n^2 k / 2 multiply-adds, at most 32 n k more; a transposed copy of A
/// throws  as gemm
template <class T, class Exec>
void syrk(const Exec& exec, uplo triangle, trans op, const factor_of<Exec, T>& alpha, in_matrix<Exec, T> a,
          const factor_of<Exec, T>& beta, out_matrix<Exec, T> c)
{
    require_equal("syrk", "rows and columns of C", c.rows, c.cols);
    require_equal("syrk", "rows of op(A) and C", op == trans::no ? a.rows : a.cols, c.rows);
    require_formats("syrk", c, a);
    matrix<Exec, T> transposed(a.format, a.cols, a.rows, exec);
    transpose<T>(exec, a, transposed.view());
    const matrix_view<Exec, const T> other = transposed.view();
    detail::multiply_triangle<Exec, T>(exec, triangle, alpha, op == trans::no ? a : other, op == trans::no ? other : a,
                                       beta, c);
}

}  // namespace residua::blas
