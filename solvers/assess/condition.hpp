#pragma once

#include <functional>

#include <residua/solvers/base/scaled_double.hpp>
#include <residua/solvers/system/linear_system.hpp>

namespace residua {

/// Replaces v by B v.
using apply_in_place = std::function<void(scaled_doubles&)>;

/// ||B||_1 for n <= 12; for larger B a lower bound of it, nearly always within a factor of 3, from products with B and B'.
///
/// shapes   B (n x n)
/// cost     n products with B for n <= 12, else at most 7, and 5 with B'
/// from     [Hager84]; [Hig88, Alg. 4.1] with its alternating test vector
scaled_double estimate_norm1(index_t n, const apply_in_place& apply, const apply_in_place& apply_transposed);

/// An estimate of || |inverse(A)| f ||_inf for f >= 0, the error that a residual bounded by f in
/// every component can make in x.
///
/// shapes   A (n x n), f (n)
/// from     [Hig88, Sec. 5]: the norm is ||B||_1 with B = diag(f) inverse(A)'
scaled_double estimate_error_inf(const scaled_doubles& f, const apply_in_place& solve,
                                 const apply_in_place& solve_transposed);

/// ||A||_1, to binary64's precision.
scaled_double matrix_norm1(const linear_system& system);

}  // namespace residua
