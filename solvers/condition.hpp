#pragma once

#include <functional>
#include <vector>

#include <residua/solvers/linear_system.hpp>

namespace residua {

/// Replaces v by B v.
using apply_in_place = std::function<void(std::vector<double>&)>;

/// A lower bound of ||B||_1, nearly always within a factor of 3, from products with B and B'.
///
/// shapes   B (n x n)
/// cost     at most 5 products with each of B and B', and one with B
/// from     [Hager84]; [Hig88, Alg. 4.1] with its alternating test vector
double estimate_norm1(index_t n, const apply_in_place& apply, const apply_in_place& apply_transposed);

/// An estimate of || |inverse(A)| f ||_inf for f >= 0, the error that a residual bounded by f in
/// every component can make in x.
///
/// shapes   A (n x n), f (n)
/// from     [Hig88, Sec. 5]: the norm is ||B||_1 with B = diag(f) inverse(A)'
double estimate_error_inf(const std::vector<double>& f, const apply_in_place& solve,
                          const apply_in_place& solve_transposed);

/// ||A||_1 of the entries rounded to binary64; infinite if it leaves binary64's range.
double matrix_norm1(const linear_system& system);

}  // namespace residua
