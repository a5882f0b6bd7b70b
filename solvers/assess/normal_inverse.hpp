#pragma once

#include <residua/solvers/base/scaled_double.hpp>
#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/precond/factorization.hpp>

namespace residua {

/// The exponents with which inverse(N) = C inverse(M) C, where M is S'S or S S' as factorize_qr() has it, and N that of A:
/// a matrix of the order of N without entries. S is scaled uniformly.
scaled_matrix scaling_of_normal(const scaled_matrix& s);

/// The exponents of the smallest and of the largest column of A, or row if these are fewer, by their largest entries; S is A,
/// scaled uniformly.
struct line_sizes {
    long least = 0, greatest = 0;
};
line_sizes sizes_of_lines(const scaled_matrix& s);

/// What is known of inverse(N), N = A'A for an A with at least as many rows as columns, otherwise A A'.
struct normal_inverse {
    scaled_double norm;  ///< ||inverse(N)||_1, as estimate_norm1() has it
    double lost = 0.0;   ///< log2 of the condition of A, its columns scaled to one size, its rows if they are fewer
    bool suffices = false;
};

/// Estimates it by factors of M in `bits` bits. Whether they suffice is as for factors of square matrices: 20 bits have to be
/// left, so that refinement gains them with each step.
///
/// cost   24 solves
normal_inverse find_normal_inverse(const scaled_matrix& s, const factorization& factors, long bits);

}  // namespace residua
