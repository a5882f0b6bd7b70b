#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/io/error.hpp>
#include <residua/solvers/matrix/sparse_matrix.hpp>

namespace residua {

class checkpoint;

/// A ~ inverse(R) inverse(P) L U inverse(Q) inverse(C): triangular factors in binary64. R scales rows
/// by 2^row_exponent, C scales columns by 2^column_exponent, and P and Q permute them. So
/// inverse(A) v ~ C Q inverse(U) inverse(L) P R v.
///
/// L is lower triangular and U upper triangular, both with their diagonals stored.
struct triangular_factors {
    sparse_matrix lower, upper;
    std::vector<std::int32_t> row_order;     ///< (P v)_i = v[row_order[i]]; empty: identity
    std::vector<std::int32_t> column_order;  ///< (Q v)[column_order[i]] = v_i; empty: identity
    std::vector<int> row_exponent;           ///< exponents of R; empty: no scaling
    std::vector<int> column_exponent;        ///< exponents of C; empty: no scaling
    std::string failure;                     ///< why there are no factors; empty if there are
    bool complex = false;  ///< A is the real form of a complex matrix, and complex_elimination made L and U
};

/// P R A C Q, the matrix that L U approximates: its row i is row row_order[i] of R A C, and likewise for columns.
///
/// cost   the entries of A, sorted row by row
sparse_matrix arranged(const sparse_matrix& a, const triangular_factors& by);

/// The factors of A', by which inverse(A') = R P' inverse(L') inverse(U') Q' C.
triangular_factors transpose(const triangular_factors& f);

/// Incomplete LU factors with the pattern of A.
///
/// cost     the entries of A, times the entries of a row
/// reports  failure if a diagonal entry is missing or a pivot vanishes or overflows
/// from     [Saad03, Alg. 10.4]
triangular_factors factorize_ilu0(const sparse_matrix& a);

/// On Poisson's equation in the plane level 1 takes half of the iterations of ILU(0), with a third more entries. Higher
/// levels save no more than a tenth of the work.
inline constexpr index_t iluk_default_level = 1;

/// Incomplete LU factors with fill: entry (i, j) is kept if its level is at most `level`. Entries of A have level 0;
/// the product of l_ik, of level s, and u_kj, of level t, has level s + t + 1. An entry has the least level of its
/// summands. So level 0 is ILU(0), and from level n - 2 on the factors are complete.
///
/// cost     first the pattern, then as ILU(0) on it
/// reports  failure as ILU(0)
/// throws   resource_error as soon as the pattern outgrows the memory
/// from     [Saad03, Alg. 10.5]
triangular_factors factorize_iluk(const sparse_matrix& a, index_t level = iluk_default_level);

/// How much of their fill ILUT factors keep. Of fill 5, 10 and 20 and drop 0.1 to 1e-6, the defaults have the least
/// product of iterations and entries of A, L and U on Poisson's equation in the plane.
struct ilut_options {
    index_t fill = 10;   ///< entries of a row of L, and of U, beyond those of A there
    double drop = 1e-3;  ///< relative to the 2-norm of the row of A
};

/// Incomplete LU factors of B = P R A C Q by two thresholds. A is scaled as for factorize_lu, so that nothing depends on
/// the units of rows. Then its rows are matched with columns and both scaled by match_and_scale(), so that the diagonal of
/// B has no zeros and no row or column is small. Both are in the reverse Cuthill-McKee order of B + B', in which fewer
/// iterations are needed than in that of A or in one for complete factors.
///
/// What is below options.drop times the 2-norm of its row of B is dropped: multipliers before they are used, other entries
/// after the row is eliminated. A pivot below it is raised to it, which changes the product no more than dropping does.
/// Of the rest of a row each triangle keeps the largest entries, options.fill more than B has there.
///
/// cost     the matching; a row of U for each entry of L; at most the entries of A and (2 fill + 1) n are kept
/// order    of two entries of equal size the one in the smaller column is kept
/// reports  failure if A is structurally singular, or if a pivot vanishes or an entry overflows
/// throws   resource_error if the factors may not fit in memory
/// from     [Saad94]; [Saad03, Alg. 10.6], with `fill` counted beyond the entries of A; matching [DK01, BHT00]; order
///          [BSD99]
triangular_factors factorize_ilut(const sparse_matrix& a, const ilut_options& options = {});

/// Symmetric successive overrelaxation with omega = 1, which is symmetric Gauss-Seidel. Let L and U be the strict
/// triangles of A = D + L + U. The factors of (D + L) inverse(D) (D + U) each have a share of inverse(D):
/// (D + L) |D|^-1/2 and sign(D) |D|^-1/2 (D + U). So U = L' for a symmetric A with a positive diagonal.
///
/// definite  the product must be positive definite: a negative diagonal entry is a failure too
/// errors    an entry is off by two roundings of binary64
/// cost      the entries of A
/// reports   failure if a diagonal entry is missing or zero
/// from      [Saad03, Sec. 10.2]
triangular_factors factorize_ssor(const sparse_matrix& a, bool definite);

/// Incomplete Cholesky factors with the pattern of the lower triangle of P A P'; U = L'. P is the reverse Cuthill-McKee
/// order: CG needs no more iterations in it than in that of A, and fewer where that is an arbitrary one; in an order for
/// complete factors it needs more.
///
/// reports  failure if a pivot is not positive: A is not positive definite, or not enough so
/// from     [Saad03, Sec. 10.3]; order [CM69]
triangular_factors factorize_ic0(const sparse_matrix& a);

/// Whether LU factors of an n x n matrix are made as dense ones: if a quarter or more of its entries is stored.
bool takes_dense_factors(index_t n, std::size_t entries);

/// From this order on dense factors are made on the device, if there is one. Smaller ones are the host's, with its bits:
/// their transfer would take at least as long as the device's work.
inline constexpr index_t least_order_on_device = 1024;

/// From this order on dense factors are applied by blocks (dense_triangle), on the host and on a device.
inline constexpr index_t least_order_of_blocks = 512;

/// Whether all entries of both triangles are stored, and their order is at least least_order_of_blocks.
bool are_blocks(const triangular_factors& factors);

/// The bits of the numbers of factors: binary64, binary32, and for dense LU factors binary32 with products of 11 bits.
inline constexpr long binary64_bits = 53;
inline constexpr long binary32_bits = 24;
inline constexpr long low_bits = 11;

/// Precision and place of LU, Cholesky and L D L' factors.
struct factor_options {
    /// binary64_bits, binary32_bits, or low_bits: binary32 with products of numbers of 11 bits (binary16, or TF32 where
    /// the range of binary16 does not suffice). Only dense LU factors have low_bits; others are in binary32 then.
    long bits = binary64_bits;
    /// The device on which dense L U and L L' of least_order_on_device or more are made; empty: the host makes them.
    std::optional<cuda_executor> device = {};
    checkpoint* keeper = nullptr;  ///< where fronts are kept; null: nowhere
};

/// throws  unsupported_error for other bits than 11, 24 and 53
void require_factor_bits(long bits);

/// LU factors. Dense ones, where takes_dense_factors() says so, have partial pivoting, A scaled by powers of two so that
/// the largest entry of every row and column is in [1/2, 1], and rounded. Sparse ones are made by fronts (multifrontal).
/// Every number of the factors is one of binary64, or of binary32.
///
/// Dense ones of complex matrices are made by complex_elimination on the host in binary64, otherwise as those of the real form.
///
/// errors   as getrf and getrf_mixed for dense factors, so that a device has other bits than the host, or as
///          complex_elimination; for sparse ones as multifrontal
/// reports  failure if A is singular in the precision of the factors
/// stops    by io::ask_for_stop(), which then throws
/// throws   resource_error if the factors are predicted not to fit in memory; unsupported_error for other bits than 11,
///          24 and 53; as getrf on a device
/// from     scaling [Higham02, Sec. 9.8]
triangular_factors factorize_lu(const sparse_matrix& a, const factor_options& options = {});

/// Cholesky factors L L' of a symmetric A, with U = L'. Powers of two scale rows and columns so that the diagonal is in
/// [1/2, 2). The rest is as in factorize_lu.
///
/// errors   as potrf for dense factors, as multifrontal for sparse ones
/// cost     half of the multiply-adds of LU factors, or less where these have more fill; both triangles of A are read
/// reports  failure if A is not positive definite in the precision of the factors
/// throws   as factorize_lu
/// from     scaling [Higham02, Sec. 10.1]
triangular_factors factorize_cholesky(const sparse_matrix& a, const factor_options& options = {});

/// L D L' factors of a symmetric A, with U = D L'. Powers of two scale rows and columns alike (equilibrate_symmetric).
/// Dense ones, where takes_dense_factors() says so, are made on the host by block_elimination::ldl(). A pivot of two
/// columns is factorised to L U, its rows exchanged if the first is the smaller one. The rest is as in factorize_lu.
///
/// errors   as docs/error_bounds.md, theorem 28, has it, and 3 roundings of binary64 for each product l d l'
/// cost     half of the multiply-adds of LU factors; both triangles of A are read
/// reports  failure if A is singular in the precision of the factors
/// throws   as factorize_lu
triangular_factors factorize_ldl(const sparse_matrix& a, const factor_options& options = {});

/// Finds powers of two that bring the largest entry of every row, and then of every column, to [1/2, 1].
void equilibrate(const sparse_matrix& a, std::vector<int>& row_exponent, std::vector<int>& column_exponent);

/// Finds powers of two, one for row i and column i of a symmetric matrix, that bring the largest entry of every row to
/// [1/4, 1], and no entry above 1. Where entries are too far apart for twelve passes, rows remain that are smaller.
///
/// cost   a few times the entries of A
/// from   [Ruiz01]
void equilibrate_symmetric(const sparse_matrix& a, std::vector<int>& exponent);

}  // namespace residua
