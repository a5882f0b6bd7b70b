#pragma once

#include <residua/blas/base/matrix.hpp>
#include <residua/blas/level2/combine.hpp>
#include <residua/blas/level2/gemv.hpp>

namespace residua::blas {

/// x <- op(T) x, T a triangle of A, of which only that is read
///
/// shapes   A (n x n), x (n), which does not overlap A
/// errors   as gemv of the format with T, zeros beside it; beta is 1 for a diagonal of ones
/// cost     n^2 multiply-adds, and a copy of T
/// reports  an x_j that is not finite makes every x_i not finite: it is multiplied by zeros too
/// throws   dimension_error if sizes do not fit, error if formats differ, resource_error
template <class T, class Exec>
void trmv(const Exec& exec, uplo triangle, trans op, diag diagonal, in_matrix<Exec, T> a, out_vector<Exec, T> x)
{
    require_equal("trmv", "rows and columns of A", a.rows, a.cols);
    require_equal("trmv", "rows of A and size of x", a.rows, x.size);
    require_formats("trmv", x, a);
    matrix<Exec, T> t(a.format, a.rows, a.cols, exec);
    detail::combine_entries(
        exec, "trmv",
        detail::entry_sum<Exec, T>{t, {.x = detail::places_of(a)}, {}, detail::triangle_of(triangle, diagonal)});
    vector<Exec, T> before(x.format, x.size, exec);
    copy<T>(exec, x, before);
    gemv<T>(exec, op, detail::constant_of(x, 1.0), t, before,
            detail::constant_of(x, diagonal == diag::unit ? 1.0 : 0.0), x);
}

}  // namespace residua::blas
