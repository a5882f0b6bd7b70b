#pragma once

#include <functional>
#include <vector>

#include <residua/solvers/linear_system.hpp>

namespace residua {

/// Replaces v by B v. The numbers are `real`s for their exponents: they hold norms that no double
/// holds. 64 bits are enough.
using apply_in_place = std::function<void(std::vector<real>&)>;

/// A lower bound of ||B||_1, nearly always within a factor of 3, from products with B and B'.
///
/// shapes   B (n x n)
/// cost     at most 7 products with B and 5 with B'
/// from     [Hager84]; [Hig88, Alg. 4.1] with its alternating test vector
real estimate_norm1(index_t n, const apply_in_place& apply, const apply_in_place& apply_transposed);

/// An estimate of || |inverse(A)| f ||_inf for f >= 0, the error that a residual bounded by f in
/// every component can make in x.
///
/// shapes   A (n x n), f (n)
/// from     [Hig88, Sec. 5]: the norm is ||B||_1 with B = diag(f) inverse(A)'
real estimate_error_inf(const std::vector<real>& f, const apply_in_place& solve,
                        const apply_in_place& solve_transposed);

/// ||A||_1, rounded to 64 bits.
real matrix_norm1(const linear_system& system);

}  // namespace residua
