#pragma once

#include <optional>
#include <vector>

#include <residua/solvers/base/scaled_double.hpp>
#include <residua/solvers/matrix/linear_system.hpp>
#include <residua/solvers/space/long_vector.hpp>

namespace residua {

/// A'r for the computed r.
struct normal_evaluation {
    real norm2;  ///< ||A'r||_2
    real error;  ///< bound on the 2-norm of its distance to A'(b - A x)
};

/// b - A x and what is known about it.
struct residual_evaluation {
    long_vector r;
    real norm2;     ///< ||r||_2
    real norm_inf;  ///< ||r||_inf
    real error;     ///< bound on the 2-norm of the error of r; 0 if nothing was rounded
    /// bound on the error of each r_i, relative to (|A| |x| + |b|)_i, however small that is, or to |r_i| if it is rounded
    /// once; 0 if nothing was rounded
    real relative_error;
    bool is_rounded_once = false;  ///< each r_i is the exact one, rounded
    bool can_be_sharpened = true;  ///< more bits make the error smaller: reading A and b is not what limits it
    std::optional<normal_evaluation> normal = {};  ///< where it was asked for
};

/// r = b - A x with MPFR, wide enough that its own rounding does not matter.
///
/// shapes   A (m x n), x (n), b and r (m); the right-hand side of the system is not read
/// errors   ||r - (b - A x)||_2 <= error for A and b as they were written, and error <= wanted_error or r is exact to
///          2^-1000 relative to |b| + |A| |x|: the precision is raised until then, or until what reading has rounded
///          (linear_system::reading_error, and `reading_error_of_b`) is the larger part of the error
/// cost     nnz products and sums of MPFR
/// order    row by row from left to right; bitwise the same for any number of threads
/// throws   dimension_error if x does not have n entries, or b not m
residual_evaluation evaluate_residual(const linear_system& system, const std::vector<real>& b,
                                      const std::vector<real>& x, const real& wanted_error,
                                      const real& reading_error_of_b = 0.0);

/// evaluate_residual() for the right-hand side of the system.
inline residual_evaluation evaluate_residual(const linear_system& system, const std::vector<real>& x,
                                             const real& wanted_error)
{
    return evaluate_residual(system, system.b, x, wanted_error);
}

/// |A| |x| + |b|, what the elements of b - A x are summed from, to 40 bits or more.
///
/// shapes  A (m x n), b (m), x (n), rounded to binary64's precision
/// cost    nnz products and sums, of binary64 where all numbers are well within its range
scaled_doubles residual_sizes(const linear_system& system, const scaled_doubles& b, const scaled_doubles& x);

/// max_i |r_i| / s_i, where s_i is not 0
scaled_double largest_ratio(const scaled_doubles& r, const scaled_doubles& sizes);

/// max_i |b - A x|_i / (|A| |x| + |b|)_i, where 0 / 0 is 0: the least epsilon for which x solves (A + E) x = b + f with
/// |E| <= epsilon |A| and |f| <= epsilon |b| [OP64]. Scaling rows or columns does not change it.
///
/// errors  as the residual: a bound, with at.relative_error added, where that is more than 2^-20 of it
///
/// largest  largest_ratio() of at.r and |A| |x| + |b|
real componentwise_backward_error(const residual_evaluation& at, const scaled_double& largest);
inline real componentwise_backward_error(const residual_evaluation& at, const scaled_doubles& sizes)
{
    return componentwise_backward_error(at, largest_ratio(at.r.leading(), sizes));
}

/// ||v||_2 to about 64 bits, and the largest |v_i|; without overflow or underflow.
real norm2(const std::vector<real>& v);
real norm_inf(const std::vector<real>& v);

/// norm2() of v.numbers(), of which few at a time are here.
real norm2_in_order(const long_vector& v);

/// The exponent e of norm_inf(v), 2^(e-1) <= norm_inf(v) <= 2^e; 0 if it is zero or not finite.
long largest_exponent(const std::vector<real>& v);

/// A'r with MPFR, for an evaluated r = b - A x.
///
/// errors   within its `error`, of which wanted_error is for A'r itself, and the rest is ||A||_F times the error of r
/// cost     as evaluate_residual()
/// order    as evaluate_residual()
normal_evaluation evaluate_normal(const linear_system& transposed, const real& norm_frobenius,
                                  const residual_evaluation& at, const real& wanted_error);

/// ||A||_inf to binary64's precision for each summand of a row.
scaled_double matrix_norm_inf(const linear_system& system);
/// ||A||_F to about 64 bits.
real matrix_norm_frobenius(const linear_system& system);

}  // namespace residua
