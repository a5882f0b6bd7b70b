#pragma once

#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas::detail {

/// y <- alpha t + beta y, the end of a matrix-vector product; y is not read if beta == 0.
/// alpha == 1 or beta in {0, 1} save products and their roundings.
template <class T>
void update_rows(const T& alpha, vector_view<host_executor, T> t, const T& beta,
                 vector_view<host_executor, T> y);

}  // namespace residua::blas::detail
