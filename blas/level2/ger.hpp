#pragma once

#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// A <- A + alpha x y'
///
/// shapes   x (m), y (n), A (m x n); A overlaps neither x nor y
/// errors   per entry as the product alpha y_j and one axpy element together
/// cost     m n multiply-adds; reads and writes A once
/// order    elementwise
/// throws   dimension_error if sizes do not fit
template <number T>
void ger(const host_executor& exec, const std::type_identity_t<T>& alpha, in_vector<host_executor, T> x,
         in_vector<host_executor, T> y, matrix_view<host_executor, T> a);

}  // namespace residua::blas
