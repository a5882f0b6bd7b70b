#pragma once

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>
#include <residua/blas/level1/elementwise.hpp>

namespace residua::blas::detail {

/// y <- alpha t + beta y, the end of a matrix-vector product; y is not read if beta == 0.
/// alpha == 1 or beta in {0, 1} save products and their roundings.
template <class T>
void update_rows(const T& alpha, vector_view<host_executor, T> t, const T& beta, vector_view<host_executor, T> y);

/// update_rows for y, alpha and beta of binary64: computed in the format of t and rounded once.
void update_rows(double alpha, vector_view<host_executor, expansion<double, 2>> t, double beta,
                 vector_view<host_executor, double> y);

/// The step of update_rows for row i, on every executor: y has load(i) and store(i, x).
template <class S, class T, class View>
RESIDUA_HD void update_element(const S& alpha, const T& t, const S& beta, index_t i, const View& y)
{
    using result = typename View::value_type;
    if (beta == S{1.0}) {
        y.store(i, rounded_to<result>(axpy_element(T(alpha), t, T(y.load(i)))));
    } else if (beta == S{0.0}) {
        y.store(i, rounded_to<result>(alpha == S{1.0} ? t : scal_element(T(alpha), t)));
    } else {
        y.store(i, rounded_to<result>(waxpby_element(T(alpha), t, T(beta), T(y.load(i)))));
    }
}

}  // namespace residua::blas::detail
