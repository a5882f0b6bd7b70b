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

/// Jacobi of a real form: the real forms of the reciprocals of the complex diagonal, made as by invert_blocks().
///
/// cost     2 entries are stored for each row
/// reports  failure naming the two rows of a diagonal entry that is missing or zero, or whose reciprocal is out of range
/// needs    first_row even
/// throws   resource_error if M does not fit in memory
approximate_inverse invert_complex_diagonal(const sparse_matrix& a, index_t first_row = 0);

/// Jacobi as a method needs it: complex where A is, but for a positive definite M, whose A has a real diagonal.
approximate_inverse jacobi_of(const sparse_matrix& a, const preconditioner_options& options, index_t first_row = 0);

/// The rows of a block in invert_blocks(). With so few, M has about as many entries as a sparse A. It divides the
/// length of the blocks of sums, so that pieces of rows have whole ones, and is even.
inline constexpr index_t jacobi_block_rows = 8;

/// Block Jacobi: the inverses of the diagonal blocks, of jacobi_block_rows rows each and fewer in the last, of a
/// whole matrix or of rows of one from `first_row` on. They are made by Gaussian elimination with partial pivoting or,
/// for a positive definite M, as inverse(G)' inverse(G) by Cholesky factors of B = G G', both triangles alike.
///
/// definite  M must be positive definite, and A symmetric: a block that is not definite is a failure. M is definite if
///           the condition of each block, scaled to an inverse with ones on its diagonal, is below 2^47: an element of
///           a block of M is off by 8 u sqrt(m_ii m_jj) or less from that of an exactly positive definite one
/// cost      512 multiply-adds or so for each row, 8 n entries; applied by one product of a sparse matrix
/// reports   failure naming the rows of a block that is singular, or not positive definite, in binary64
/// needs     first_row a multiple of jacobi_block_rows
/// throws    resource_error if M does not fit in memory
/// from      [Saad03, Sec. 12.4.1]; inverse of a Cholesky factor [Higham02, Sec. 14.2]
approximate_inverse invert_blocks(const sparse_matrix& a, bool definite, index_t first_row = 0);

}  // namespace residua
