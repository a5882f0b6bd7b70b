#pragma once

#include <string>

#include <residua/solvers/options/preconditioners.hpp>
#include <residua/solvers/precond/factors.hpp>

namespace residua {

/// M ~ inverse(A), a sparse matrix in binary64 to multiply vectors with.
struct approximate_inverse {
    sparse_matrix matrix;
    std::string failure;  ///< why there is none; empty if there is
};

/// Jacobi: the reciprocals of the diagonal, of a whole matrix or of rows of one from `first_row` on.
///
/// definite  M must be positive definite: reciprocals of absolute values
/// cost      the entries of A; n are stored
/// reports   failure if a diagonal entry is missing or zero, or its reciprocal out of binary64's range
/// from      [Saad03, Sec. 10.2]
approximate_inverse invert_diagonal(const sparse_matrix& a, bool definite, index_t first_row = 0);

/// Jacobi as a method needs it: of a real form the inverses of blocks of complex_block_rows, the reciprocals of the complex
/// diagonal, but for a positive definite M, whose A has a real one.
approximate_inverse jacobi_of(const sparse_matrix& a, const preconditioner_options& options, index_t first_row = 0);

/// The rows of a block in invert_blocks(). With so few, M has about as many entries as a sparse A. It divides the
/// length of the blocks of sums, so that pieces of rows have whole ones, and is even.
inline constexpr index_t jacobi_block_rows = 8;
inline constexpr index_t complex_block_rows = 2;  ///< of a complex number

/// Block Jacobi: the inverses of the diagonal blocks, of rows_of_block rows each and fewer in the last, of a
/// whole matrix or of rows of one from `first_row` on. They are made by Gaussian elimination with partial pivoting or,
/// for a positive definite M, as inverse(G)' inverse(G) by Cholesky factors of B = G G', both triangles alike. Of a real
/// form M is a real form too, to the last bit, unless it must be definite: M.complex says so.
///
/// definite  M must be positive definite, and A symmetric: a block that is not definite is a failure. M is definite if
///           the condition of each block, scaled to an inverse with ones on its diagonal, is below 2^47: an element of
///           a block of M is off by 8 u sqrt(m_ii m_jj) or less from that of an exactly positive definite one
/// cost      512 multiply-adds or so for each row, 8 n entries; applied by one product of a sparse matrix
/// reports   failure naming the rows of a block that is singular, or not positive definite, in binary64
/// needs     first_row a multiple of rows_of_block, which is at most jacobi_block_rows, and even for a real form
/// throws    resource_error if M does not fit in memory
/// from      [Saad03, Sec. 12.4.1]; inverse of a Cholesky factor [Higham02, Sec. 14.2]
approximate_inverse invert_blocks(const sparse_matrix& a, bool definite, index_t first_row = 0,
                                  index_t rows_of_block = jacobi_block_rows);

}  // namespace residua
