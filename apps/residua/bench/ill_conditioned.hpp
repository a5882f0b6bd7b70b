#pragma once

#include <cstdint>
#include <memory>

#include "operands.hpp"

namespace residua {

/// The largest condition that ill_conditioned() makes of an operation of size n.
double most_condition(formula computes, index_t n);

/// Operands of binary64 for which all results of a dot, gemv, gemm or spmv are sums that nearly cancel.
///
/// The sum of the magnitudes of a result's terms is about `condition` times the result: no less than half of that, and no
/// more than 16 times as much. exact() has the result itself. Columns of B of a gemm are multiples of one vector, by powers of
/// two.
///
/// throws  unsupported_error for another formula, or if the condition is below 1 or beyond most_condition();
///         resource_error if the numbers do not fit
/// from    [ORO05, Alg. 6.1]
std::shared_ptr<const operand_pool> ill_conditioned(formula computes, index_t n, double condition, std::uint64_t seed);

}  // namespace residua
