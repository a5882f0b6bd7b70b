#pragma once

#include <functional>
#include <vector>

#include <residua/solvers/base/scaled_double.hpp>
#include <residua/solvers/matrix/linear_system.hpp>

namespace residua {

/// Replaces each v by B v.
using apply_in_place = std::function<void(std::vector<scaled_doubles>&)>;

/// ||B||_1 for n <= 12; for larger B a lower bound of it, nearly always within a factor of 3, from products with B and B'.
///
/// shapes   B (n x n)
/// cost     n products with B for n <= 12, all at once; otherwise at most 7, two of them at once, and 5 with B'
/// from     [Hager84]; [Hig88, Alg. 4.1] with its alternating test vector
scaled_double estimate_norm1(index_t n, const apply_in_place& apply, const apply_in_place& apply_transposed);

struct error_norms {
    scaled_double possible;  ///< an estimate of || |inverse(A)| f ||_inf
    scaled_double seen;      ///< ||inverse(A) r||_inf
};

/// The error that a residual bounded by f >= 0 in every component can make in x, and the one that r makes.
///
/// shapes   A (n x n), f (n), r (n)
/// from     [Hig88, Sec. 5]: the norm is ||B||_1 with B = diag(f) inverse(A)'
error_norms estimate_error_inf(const scaled_doubles& f, const scaled_doubles& r, const apply_in_place& solve,
                               const apply_in_place& solve_transposed);

/// ||A||_1, to binary64's precision.
scaled_double matrix_norm1(const linear_system& system);

}  // namespace residua
