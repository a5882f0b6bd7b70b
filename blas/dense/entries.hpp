#pragma once

#include <residua/blas/base/vector.hpp>
#include <residua/blas/dense/combine.hpp>

/// Operations on the entries of matrices of every format. T is deduced from the result if that is a view. Other
/// operands do not overlap the result unless an operation says that one may be it.
///
/// errors  as the element-wise operations of the format (level1/elementwise.hpp), which are named
/// order   elementwise: the same bits for any thread count and executor
/// throws  dimension_error if sizes do not fit; error if formats differ; on a device cuda_error if the launch fails
namespace residua::blas {

namespace detail {

template <class Exec, class T>
void require_size(const char* op, const char* rows, const char* cols, const matrix_view<Exec, const T>& a,
                  const matrix_view<Exec, T>& b, trans of_a = trans::no)
{
    require_equal(op, rows, of_a == trans::no ? a.rows : a.cols, b.rows);
    require_equal(op, cols, of_a == trans::no ? a.cols : a.rows, b.cols);
    require_formats(op, b, a);
}

template <class View, class Factor>
void require_factor([[maybe_unused]] const char* op, [[maybe_unused]] const View& result,
                    [[maybe_unused]] const Factor& a)
{
    if constexpr (!View::in_planes) {
        require_formats(op, result, a);
    }
}

}  // namespace detail

/// B <- A', exactly
///
/// shapes  A (m x n), B (n x m)
template <class T, class Exec>
void transpose(const Exec& exec, in_matrix<Exec, T> a, out_matrix<Exec, T> b)
{
    detail::require_size("transpose", "columns of A and rows of B", "rows of A and columns of B", a, b, trans::yes);
    detail::combine_entries(exec, "transpose", b, detail::entry_term<Exec, T>{.x = detail::places_of(a, trans::yes)});
}

/// C <- alpha A + beta B, all m x n; C may be A or B
///
/// errors  alpha a_ij as scal, and its sum with beta b_ij as axpy
template <class T, class Exec>
void ge_add(const Exec& exec, const factor_of<Exec, T>& alpha, in_matrix<Exec, T> a, const factor_of<Exec, T>& beta,
            in_matrix<Exec, T> b, out_matrix<Exec, T> c)
{
    detail::require_size("ge_add", "rows of A and C", "columns of A and C", a, c);
    detail::require_size("ge_add", "rows of B and C", "columns of B and C", b, c);
    detail::require_factor("ge_add", c, alpha);
    detail::require_factor("ge_add", c, beta);
    const detail::entry_term<Exec, T> second{.x = detail::places_of(b), .number = beta};
    detail::combine_entries(exec, "ge_add", c, detail::entry_term<Exec, T>{.x = detail::places_of(a), .number = alpha},
                            &second);
}

/// B <- alpha op(A) + beta B; errors  as ge_add
///
/// shapes  op(A) and B (m x n)
template <class T, class Exec>
void ge_acc(const Exec& exec, trans op, const factor_of<Exec, T>& alpha, in_matrix<Exec, T> a,
            const factor_of<Exec, T>& beta, out_matrix<Exec, T> b)
{
    detail::require_size("ge_acc", "rows of op(A) and B", "columns of op(A) and B", a, b, op);
    detail::require_factor("ge_acc", b, alpha);
    detail::require_factor("ge_acc", b, beta);
    const matrix_view<Exec, const T> before = b;
    const detail::entry_term<Exec, T> second{.x = detail::places_of(before), .number = beta};
    detail::combine_entries(exec, "ge_acc", b,
                            detail::entry_term<Exec, T>{.x = detail::places_of(a, op), .number = alpha}, &second);
}

/// A <- D A, D the diagonal matrix of d (m); errors  one product of the format
template <class T, class Exec>
void ge_diag_scale_rows(const Exec& exec, in_vector<Exec, T> d, out_matrix<Exec, T> a)
{
    require_equal("ge_diag_scale_rows", "size of d and rows of A", d.size, a.rows);
    require_formats("ge_diag_scale_rows", a, d);
    const matrix_view<Exec, const T> before = a;
    detail::combine_entries(
        exec, "ge_diag_scale_rows", a,
        detail::entry_term<Exec, T>{.x = detail::places_of(before), .entry = detail::places_by_row(d)});
}

/// A <- A D, D the diagonal matrix of d (n); errors  one product of the format
template <class T, class Exec>
void ge_diag_scale_cols(const Exec& exec, in_vector<Exec, T> d, out_matrix<Exec, T> a)
{
    require_equal("ge_diag_scale_cols", "size of d and columns of A", d.size, a.cols);
    require_formats("ge_diag_scale_cols", a, d);
    const matrix_view<Exec, const T> before = a;
    detail::combine_entries(
        exec, "ge_diag_scale_cols", a,
        detail::entry_term<Exec, T>{.x = detail::places_of(before), .entry = detail::places_by_col(d)});
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
    ge_diag_scale_rows<T>(exec, d, a);
    ge_diag_scale_cols<T>(exec, e, a);
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
    require_formats("syr", a, x);
    detail::require_factor("syr", a, alpha);
    vector<Exec, T> scaled(a.format, x.size, exec);
    copy<T>(exec, x, scaled);
    scal<T>(exec, alpha, scaled);
    const matrix_view<Exec, const T> before = a;
    const vector_view<Exec, const T> factors = scaled.view();
    const detail::entry_term<Exec, T> product{.x = detail::places_by_row(x), .entry = detail::places_by_col(factors)};
    detail::combine_entries(exec, "syr", a, detail::entry_term<Exec, T>{.x = detail::places_of(before)}, &product,
                            detail::triangle_of(triangle));
}

}  // namespace residua::blas
