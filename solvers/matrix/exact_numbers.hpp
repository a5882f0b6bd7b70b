#pragma once

#include <residua/arith/real/real.hpp>
#include <residua/blas/base/multidigit_array.hpp>

/// Reals as multi-digit floats that are the same numbers.
namespace residua::detail {

/// Raises `bits` to what a multi-digit float needs to be x; false, and nothing is raised, if none with an exponent of at most
/// 2^20 in size is: then sums of such numbers would be long.
bool raise_to_hold(const real& x, long& bits);

/// Number i <- x, which raise_to_hold() has found to need no more bits than the numbers of `to` have.
///
/// cost  a move of the words of x
void store_exactly(const vector_view<host_executor, multidigit>& to, index_t i, const real& x);

}  // namespace residua::detail
