#pragma once

#include "bind.hpp"

namespace residua::python {

/// Dense triangles of A, stored by rows with their zeros and ones.
struct triangles {
    std::vector<real> lower;
    std::vector<real> upper;         ///< empty for L L'
    std::vector<std::int64_t> rows;  ///< row i of L U is row rows[i] of A; empty for L L'
};

/// P A = L U with partial pivoting, or A = L L', in multi-digit floats of `bits` bits.
///
/// shapes   A (n x n)
/// errors   as dense_factors, for A with its entries rounded to `bits` bits
/// stops    as dense_factors
/// throws   dimension_error if A is not square; unsupported_error if it is singular to `bits` bits, or for L L' not
///          positive definite; resource_error if they do not fit in memory
triangles triangles_of(const linear_system& a, bool is_symmetric, long bits);

/// (lower, upper, rows), as Reals and an array.
nb::tuple tuple_of(triangles found);

}  // namespace residua::python
