#pragma once

#include <cstdint>
#include <vector>

#include <residua/arith/real/real.hpp>
#include <residua/solvers/matrix/linear_system.hpp>

namespace residua {

/// [D A; A' -t], without a right-hand side, for least squares with A in some of its rows. It has as many zero
/// eigenvalues as A has dependent columns there, if t = 0 and D is positive: the entries of A are as they are in `a`,
/// so that rounding errors of D do not change the rank.
///
/// shapes  d as long as rows, which ascend
/// errors  d and t are rounded to decimal_bits() where A has decimals, and otherwise held as they are. `reading_error`
///         is that of `a`, or 2^(2 - decimal_bits()) if that is more and d or t has as many bits
/// cost    the entries of A twice
linear_system augmented_system(const linear_system& a, const std::vector<std::int32_t>& rows, std::vector<real> d,
                               const real& t);

/// [S A; t I], without a right-hand side, for least squares with A in some of its rows, S of roots of weights.
///
/// shapes  s as long as rows, which ascend; the rows of t I are there if t is not 0
/// errors  products are exact, but for decimals of A, which are rounded to decimal_bits() first
linear_system rows_with_damping(const linear_system& a, const std::vector<std::int32_t>& rows,
                                const std::vector<real>& s, const real& t);

/// Whether A'y is zero, evaluated with an error of at most 2^-4096 ||y||: then x = 0 makes ||y - A x|| least.
bool is_normal_to_columns(const linear_system& transpose_of_a, const std::vector<real>& y);

}  // namespace residua
