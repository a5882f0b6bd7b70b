#pragma once

#include <residua/blas/base/executor.hpp>
#include <residua/blas/base/view.hpp>

namespace residua::blas {

/// y <- a y
///
/// errors   per element those of one product of the format; none if a is a power of two
/// cost     n products; reads n, writes n numbers
/// order    elementwise
template <number T>
void scal(const host_executor& exec, const std::type_identity_t<T>& a,
          vector_view<host_executor, T> y);

}  // namespace residua::blas
