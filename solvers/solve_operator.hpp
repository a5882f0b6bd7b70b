#pragma once

#include <functional>
#include <vector>

#include <residua/solvers/options/solve_report.hpp>

namespace residua {

/// v -> the product of a matrix and v, in at least as many bits as v has, unless the products are in binary64.
using product_function = std::function<std::vector<real>(std::vector<real> v)>;

/// A real matrix A of which only products with vectors are known, and a preconditioner M ~ inverse(A).
struct given_operator {
    index_t rows = 0;
    index_t cols = 0;
    product_function a;         ///< A v
    product_function a_t = {};  ///< A'v, for bicg and lsqr
    product_function m = {};    ///< M v; empty: there is no preconditioner
    product_function m_t = {};  ///< M'v, for bicg
    bool in_binary64 = false;   ///< products with A are computed in binary64: then v is, too
    bool m_in_binary64 = false;
    /// v has the real and the imaginary part of a complex number in turn, rows and cols are twice those of A, and A' and M' are
    /// the conjugated ones. Methods that have complex_scalars have them then
    bool complex = false;
};

/// Solves A x = b, or by lsqr min ||b - A x||_2, by products with A.
///
/// Corrections are computed in multi-digit floats, and x is their sum, as in solve() with a stored matrix. Unlike there
/// the residual is as good as the products, and no better. Three products with random vectors show before how far they can
/// be trusted; this noise, times ||A|| ||x|| as far as products show ||A||, is added to the residual that is tested and
/// reported. So `converged` means that the residual by A's own products passes, with x in 2 p + 8 bits for a method in p,
/// or in 53 if A is in binary64. The condition and the forward error are not estimated: `digits` is 0.
///
/// Of the options count method, which has to be named, precision_bits (by default 106; 53 in binary64, and no other),
/// rtol (by default 2^-0.9p; 1e-10 in binary64), atol, max_iterations, restart, initial_guess, time_limit_seconds, threads,
/// on_history and interrupted. These two are asked once an iteration, by the thread of the caller.
///
/// shapes   A (n x n), for lsqr (m x n), M (n x n), b (m), x (n)
/// throws   dimension_error for sizes that do not fit, or that are odd for a complex A; unsupported_error for an option or a method that needs entries of A or
///          a product that is not given, or if the method needs a symmetric A and A is not; error if A is not linear, if its
///          products are right to far fewer bits than the method has, or if a_t is not of the transposed matrix; what the
///          functions throw
solve_result solve(const given_operator& a, const std::vector<real>& b, const solve_options& options);

}  // namespace residua
