#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/rns_array.hpp>
#include <residua/blas/rns/level2.hpp>

/// Checks of the operands of an operation, for any kernels that compute it. Each throws error "op: ...".
namespace residua::blas::detail {

inline void require_format(std::string_view op, const rns_format& a, const rns_format& b)
{
    if (!(a == b)) {
        throw error(std::string(op) + ": RNS formats of " + std::to_string(a.precision_bits()) + " and " +
                    std::to_string(b.precision_bits()) + " bits differ");
    }
}

inline void require_formats(std::string_view op, std::initializer_list<rns_format> all, const rns_format& result)
{
    for (const rns_format& format : all) {
        require_format(op, format, result);
    }
}

template <class Exec>
void require_axpy(std::string_view op, const rns_number& a, const vector_view<Exec, const rns>& x,
                  const vector_view<Exec, rns>& y)
{
    require_equal(op, "sizes of x and y", x.size, y.size);
    require_formats(op, {a.format(), x.format}, y.format);
}

template <class Exec>
void require_gemv(std::string_view op, trans of_a, const rns_number& alpha, const matrix_view<Exec, const rns>& a,
                  const vector_view<Exec, const rns>& x, const rns_number& beta, const vector_view<Exec, rns>& y)
{
    require_equal(op, "rows of op(A) and size of y", of_a == trans::no ? a.rows : a.cols, y.size);
    require_equal(op, "columns of op(A) and size of x", of_a == trans::no ? a.cols : a.rows, x.size);
    require_formats(op, {alpha.format(), a.format, x.format, beta.format()}, y.format);
}

template <class Exec>
void require_ger(std::string_view op, const rns_number& alpha, const vector_view<Exec, const rns>& x,
                 const vector_view<Exec, const rns>& y, const matrix_view<Exec, rns>& a)
{
    require_equal(op, "size of x and rows of A", x.size, a.rows);
    require_equal(op, "size of y and columns of A", y.size, a.cols);
    require_formats(op, {alpha.format(), x.format, y.format}, a.format);
}

template <class Exec>
void require_ge_add(std::string_view op, const rns_number& alpha, const matrix_view<Exec, const rns>& a,
                    const rns_number& beta, const matrix_view<Exec, const rns>& b, const matrix_view<Exec, rns>& c)
{
    require_equal(op, "rows of A and C", a.rows, c.rows);
    require_equal(op, "columns of A and C", a.cols, c.cols);
    require_equal(op, "rows of B and C", b.rows, c.rows);
    require_equal(op, "columns of B and C", b.cols, c.cols);
    require_formats(op, {alpha.format(), a.format, beta.format(), b.format}, c.format);
}

}  // namespace residua::blas::detail
