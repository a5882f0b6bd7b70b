#pragma once

#include <residua/blas/base/check.hpp>
#include <residua/blas/level2/ger.hpp>

/// Operations on the entries of matrices of every format. T is deduced from the result if that is a view. Other
/// operands do not overlap the result unless an operation says that one may be it.
///
/// errors  as the element-wise operations of the format (level1/elementwise.hpp), which are named
/// order   elementwise: the same bits for any thread count and executor
/// throws  dimension_error if sizes do not fit; error if formats differ; on a device cuda_error if the launch fails
namespace residua::blas {

namespace detail {

template <class Exec, class T>
void add_matrices(const Exec& exec, const char* op, trans of_a, const factor_of<Exec, T>& alpha,
                  const matrix_view<Exec, const T>& a, const factor_of<Exec, T>& beta,
                  const matrix_view<Exec, const T>& b, const matrix_view<Exec, T>& c)
{
    require_equal(op, "rows of op(A) and the result", of_a == trans::no ? a.rows : a.cols, c.rows);
    require_equal(op, "columns of op(A) and the result", of_a == trans::no ? a.cols : a.rows, c.cols);
    require_equal(op, "rows of B and the result", b.rows, c.rows);
    require_equal(op, "columns of B and the result", b.cols, c.cols);
    require_formats(op, c, alpha, a, beta, b);
    combine_entries(
        exec, op,
        entry_sum<Exec, T>{c, {.x = places_of(a, of_a), .number = alpha}, {{.x = places_of(b), .number = beta}}});
}

}  // namespace detail

/// C <- alpha A + beta B, all m x n; C may be A or B
///
/// errors  alpha a_ij as scal, and its sum with beta b_ij as axpy
template <class T, class Exec>
void ge_add(const Exec& exec, const factor_of<Exec, T>& alpha, in_matrix<Exec, T> a, const factor_of<Exec, T>& beta,
            in_matrix<Exec, T> b, out_matrix<Exec, T> c)
{
    detail::add_matrices<Exec, T>(exec, "ge_add", trans::no, alpha, a, beta, b, c);
}

/// B <- alpha op(A) + beta B; errors  as ge_add
///
/// shapes  op(A) and B (m x n)
template <class T, class Exec>
void ge_acc(const Exec& exec, trans op, const factor_of<Exec, T>& alpha, in_matrix<Exec, T> a,
            const factor_of<Exec, T>& beta, out_matrix<Exec, T> b)
{
    detail::add_matrices<Exec, T>(exec, "ge_acc", op, alpha, a, beta, b, b);
}

/// A <- D A, or A <- A D on the right, D the diagonal matrix of d; errors  one product of the format
///
/// shapes  A (m x n), d (m), or (n) on the right
template <class T, class Exec>
void ge_diag_scale(const Exec& exec, side on, in_vector<Exec, T> d, out_matrix<Exec, T> a)
{
    require_equal("ge_diag_scale", "size of d and rows, or columns on the right, of A", d.size,
                  on == side::left ? a.rows : a.cols);
    require_formats("ge_diag_scale", a, d);
    const auto entry = on == side::left ? detail::places_by_row(d) : detail::places_by_col(d);
    detail::combine_entries(exec, "ge_diag_scale",
                            detail::entry_sum<Exec, T>{a, {.x = detail::places_of(a), .entry = entry}});
}

/// A <- D A E, D and E the diagonal matrices of d (m) and e (n); errors  two products of the format
///
/// order  rows first
template <class T, class Exec>
void ge_lrscale(const Exec& exec, in_vector<Exec, T> d, in_vector<Exec, T> e, out_matrix<Exec, T> a)
{
    require_equal("ge_lrscale", "size of d and rows of A", d.size, a.rows);
    require_equal("ge_lrscale", "size of e and columns of A", e.size, a.cols);
    require_formats("ge_lrscale", a, d, e);
    ge_diag_scale<T>(exec, side::left, d, a);
    ge_diag_scale<T>(exec, side::right, e, a);
}

/// A <- A + alpha x x', of one triangle of A, the only one that is read and written
///
/// shapes  x (n), A (n x n)
/// errors  alpha x_j as scal, and its product with x_i, added to a_ij, as axpy
/// cost    n^2 / 2 multiply-adds; memory of n numbers
template <class T, class Exec>
void syr(const Exec& exec, uplo triangle, const factor_of<Exec, T>& alpha, in_vector<Exec, T> x, out_matrix<Exec, T> a)
{
    require_equal("syr", "rows and columns of A", a.rows, a.cols);
    require_equal("syr", "size of x and rows of A", x.size, a.rows);
    require_formats("syr", a, x, alpha);
    detail::add_outer_product<T>(exec, "syr", alpha, x, x, a, detail::triangle_of(triangle));
}

}  // namespace residua::blas
