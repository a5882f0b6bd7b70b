#pragma once

#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// y_i <- a
///
/// errors   none
/// cost     writes n numbers
template <number T>
void fill(const host_executor& exec, const std::type_identity_t<T>& a,
          vector_view<host_executor, T> y);

}  // namespace residua::blas
