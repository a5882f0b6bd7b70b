#pragma once

#include <residua/io/error.hpp>
#include <residua/solvers/base/arithmetic.hpp>
#include <residua/solvers/options/methods.hpp>

namespace residua {

/// Bytes of the matrix and the vectors of an engine that takes this number of residuals at a time. For `direct` they
/// are bytes of dense factors. If the matrix is
/// not square, n is the larger of its sizes.
///
/// complex  the matrix is a real form, and a method that has complex_scalars runs with them
double engine_bytes(const arithmetic& in, residua::method method, index_t n, index_t nonzeros, bool exact,
                    index_t restart, index_t residuals = 1, bool complex = false);

/// Bytes that the largest product of dense factors, half of n rows and columns, takes on a device: operands and result,
/// residues, and sums.
double device_product_bytes(const arithmetic& in, index_t n);

}  // namespace residua
