#pragma once

#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>
#include <residua/blas/level1/scal.hpp>
#include <residua/blas/level1/waxpby.hpp>

namespace residua::blas::detail {

/// y <- alpha t + beta y, the end of a matrix-vector product; y is not read if beta == 0.
/// alpha == 1 or beta in {0, 1} save products and their roundings.
template <class T>
void update_rows(const T& alpha, vector_view<host_executor, T> t, const T& beta, vector_view<host_executor, T> y);

/// What update_rows does to row i, on every executor: y has load(i) and store(i, x).
template <class T, class View>
RESIDUA_HD void update_element(const T& alpha, const T& t, const T& beta, index_t i, const View& y)
{
    if (beta == T{1.0}) {
        y.store(i, axpy_element(alpha, t, y.load(i)));
    } else if (beta == T{0.0}) {
        y.store(i, alpha == T{1.0} ? t : scal_element(alpha, t));
    } else {
        y.store(i, waxpby_element(alpha, t, beta, y.load(i)));
    }
}

}  // namespace residua::blas::detail
