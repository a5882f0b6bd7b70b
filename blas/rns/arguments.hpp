#pragma once

#include <string_view>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/rns_array.hpp>

/// Checks of the operands of the operations of split.hpp. Each throws error "op: ...".
namespace residua::blas::detail {

template <class Exec>
void require_axpy(std::string_view op, const rns_number& a, const vector_view<Exec, const rns>& x,
                  const vector_view<Exec, rns>& y)
{
    require_equal(op, "sizes of x and y", x.size, y.size);
    require_formats(op, y, a, x);
}

template <class Exec>
void require_ger(std::string_view op, const rns_number& alpha, const vector_view<Exec, const rns>& x,
                 const vector_view<Exec, const rns>& y, const matrix_view<Exec, rns>& a)
{
    require_equal(op, "size of x and rows of A", x.size, a.rows);
    require_equal(op, "size of y and columns of A", y.size, a.cols);
    require_formats(op, a, alpha, x, y);
}

template <class Exec>
void require_ge_add(std::string_view op, const rns_number& alpha, const matrix_view<Exec, const rns>& a,
                    const rns_number& beta, const matrix_view<Exec, const rns>& b, const matrix_view<Exec, rns>& c)
{
    require_equal(op, "rows of A and C", a.rows, c.rows);
    require_equal(op, "columns of A and C", a.cols, c.cols);
    require_equal(op, "rows of B and C", b.rows, c.rows);
    require_equal(op, "columns of B and C", b.cols, c.cols);
    require_formats(op, c, alpha, a, beta, b);
}

}  // namespace residua::blas::detail
