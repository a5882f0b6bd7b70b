#pragma once

#include <residua/blas/base/matrix.hpp>
#include <residua/blas/level2/combine.hpp>
#include <residua/blas/level2/gemv.hpp>

namespace residua::blas {

/// y <- alpha A x + beta y, A symmetric, of which only one triangle is read
///
/// shapes  A (n x n), x (n), y (n), which overlaps neither; y is not read if beta is zero
/// errors  as gemv of the format with the whole matrix, whose bits it has
/// cost    n^2 multiply-adds, and a copy of A
/// throws  dimension_error if sizes do not fit, error if formats differ, resource_error
template <class T, class Exec>
void symv(const Exec& exec, uplo triangle, const factor_of<Exec, T>& alpha, in_matrix<Exec, T> a, in_vector<Exec, T> x,
          const factor_of<Exec, T>& beta, out_vector<Exec, T> y)
{
    require_equal("symv", "rows and columns of A", a.rows, a.cols);
    require_equal("symv", "rows of A and size of y", a.rows, y.size);
    require_equal("symv", "columns of A and size of x", a.cols, x.size);
    require_formats("symv", y, a, x);
    matrix<Exec, T> whole(a.format, a.rows, a.cols, exec);
    using sum = detail::entry_sum<Exec, T>;
    detail::combine_entries(exec, "symv", sum{whole, {.x = detail::places_of(a)}, {}, detail::triangle_of(triangle)});
    detail::combine_entries(exec, "symv",
                            sum{whole,
                                {.x = detail::places_of(a, trans::yes)},
                                {},
                                detail::triangle_of(detail::other(triangle), diag::unit)});
    gemv<T>(exec, trans::no, alpha, whole, x, beta, y);
}

}  // namespace residua::blas
