#pragma once

#include <optional>

#include <residua/solvers/matrix/scaled_matrix.hpp>
#include <residua/solvers/matrix/structure.hpp>

namespace residua {

/// Whether a square matrix is positive definite, with proof. Empty: undecided, as it is for singular matrices, for a
/// smallest eigenvalue that the highest precision tried cannot distinguish from zero, and for more than
/// largest_automatic_dense rows.
///
/// trusted_bits   precision of factors that are known to suffice for the condition of S; 0: none is known
///
/// Let S be the scaled matrix, and c above the rounding errors of its Cholesky factorisation. A is definite if the
/// factorisation of S - c I runs to its end, and not definite if the factorisation of S + c I breaks down.
///
/// errors   none: c is 2^13 n^2 2^-p ||S||_inf or more in a format of p bits, with the rounding of entries included
/// cost     up to four dense factorisations, in 106 and in 424 bits; two more, in twice `trusted_bits` bits, where
///          these are 424 or more
/// from     [Rump06]; [Higham02, Thm 10.3, 10.7] with docs/error_bounds.md, theorem 23
std::optional<bool> is_positive_definite(const matrix_structure& structure, const scaled_matrix& matrix,
                                         long trusted_bits = 0);

}  // namespace residua
