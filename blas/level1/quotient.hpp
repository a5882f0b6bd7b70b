#pragma once

#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/executor.hpp>

namespace residua::blas {

/// a / b, or `zero` where b is 0 or NaN: a step whose length has no meaning becomes none.
///
/// errors   as a quotient of the format
template <class T>
RESIDUA_HD T quotient(const T& a, const T& b, const T& zero)
{
    return b < zero || zero < b ? a / b : zero;
}

/// quotient of numbers in device memory, without waiting, with the bits of the host; the result may take the place
/// of an operand.
///
/// throws   cuda_error if the launch fails
template <number T>
void quotient(const cuda_executor& exec, scalar_place<T> a, scalar_place<T> b, scalar_place<T> result);

}  // namespace residua::blas
