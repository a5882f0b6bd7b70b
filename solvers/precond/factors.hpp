#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <residua/blas/base/cuda_executor.hpp>
#include <residua/io/error.hpp>

namespace residua {

/// A square sparse matrix in compressed rows, entries in binary64, columns ascending in a row.
struct sparse_rows {
    index_t n = 0;
    std::vector<index_t> row_begin;
    std::vector<std::int32_t> column;
    std::vector<double> value;
};

/// A ~ inverse(R) inverse(P) L U inverse(Q) inverse(C): triangular factors in binary64, with
/// rows scaled by 2^row_exponent and permuted, columns likewise. So
/// inverse(A) v ~ C Q inverse(U) inverse(L) P R v.
///
/// L is lower triangular, with its diagonal stored; U is upper triangular, with its diagonal stored.
struct triangular_factors {
    sparse_rows lower, upper;
    std::vector<std::int32_t> row_order;     ///< (P v)_i = v[row_order[i]]; empty: identity
    std::vector<std::int32_t> column_order;  ///< (Q v)[column_order[i]] = v_i; empty: identity
    std::vector<int> row_exponent;           ///< of R; empty: no scaling
    std::vector<int> column_exponent;        ///< of C; empty: no scaling
    std::string failure;                     ///< why there are no factors; empty if there are
};

/// Incomplete LU factors with the pattern of A.
///
/// cost     the entries of A, times the entries of a row
/// reports  failure if a diagonal entry is missing or a pivot vanishes or overflows
/// from     [Saad03, Alg. 10.4]
triangular_factors factorize_ilu0(const sparse_rows& a);

/// On Poisson's equation in the plane level 1 takes half of the iterations of ILU(0) with a third more entries; higher
/// ones save a tenth of the work, and no more.
inline constexpr index_t iluk_default_level = 1;

/// Incomplete LU factors with fill: entry (i, j) is kept if its level is at most `level`. Entries of A have level 0; the
/// product of l_ik, of level s, and u_kj, of level t, has s + t + 1, and an entry the least level of what it is summed
/// from. So level 0 is ILU(0), and from n - 2 on the factors are whole.
///
/// cost     first the pattern, then as ILU(0) on it
/// reports  failure as ILU(0)
/// throws   resource_error as soon as the pattern outgrows the memory
/// from     [Saad03, Alg. 10.5]
triangular_factors factorize_iluk(const sparse_rows& a, index_t level = iluk_default_level);

/// How much of their fill ILUT factors keep. Of fill 5, 10, 20 and drop 0.1 to 1e-6 those with the least iterations times
/// entries of A, L and U on Poisson's equation in the plane.
struct ilut_options {
    index_t fill = 10;   ///< entries of a row of L, and of U, beyond those of A there
    double drop = 1e-3;  ///< relative to the 2-norm of the row of A
};

/// Incomplete LU factors by two thresholds: what is below options.drop times the 2-norm of its row of A is dropped, a
/// multiplier before it is used, other entries after the row is eliminated; of the rest of a row the largest are kept in
/// the lower and in the upper triangle, as many as A has there and options.fill more. A is scaled as for factorize_lu, so
/// that thresholds do not depend on the units of rows. There is no pivoting.
///
/// cost     a row of U for each entry of L; at most the entries of A and (2 fill + 1) n are kept
/// order    of two entries alike in size the one with the smaller column is kept
/// reports  failure if a pivot vanishes or an entry overflows
/// throws   resource_error if the factors may not fit in memory
/// from     [Saad94]; [Saad03, Alg. 10.6], with `fill` counted beyond the entries of A
triangular_factors factorize_ilut(const sparse_rows& a, const ilut_options& options = {});

/// Symmetric successive overrelaxation with omega = 1, which is symmetric Gauss-Seidel. With A = D + L + U, L and U its
/// strict triangles, the factors are those of (D + L) inverse(D) (D + U), each with a share of inverse(D):
/// (D + L) |D|^-1/2 and sign(D) |D|^-1/2 (D + U). So U = L' for a symmetric A with a positive diagonal.
///
/// definite  the product must be positive definite: a negative diagonal entry is a failure too
/// errors    an entry is off by two roundings of binary64
/// cost      the entries of A
/// reports   failure if a diagonal entry is missing or zero
/// from      [Saad03, Sec. 10.2]
triangular_factors factorize_ssor(const sparse_rows& a, bool definite);

/// Incomplete Cholesky factors with the pattern of the lower triangle of A; U = L'.
///
/// reports  failure if a pivot is not positive: A is not positive definite, or not enough so
/// from     [Saad03, Sec. 10.3]
triangular_factors factorize_ic0(const sparse_rows& a);

/// Whether so much of an n x n matrix is stored that its LU factors are made as dense ones: a quarter.
bool takes_dense_factors(index_t n, std::size_t entries);

/// From this order on dense factors are made on a device that is at hand, and applied there by blocks. Smaller ones are the
/// host's, with its bits, and take a device no longer than their way there.
inline constexpr index_t least_order_of_blocks = 1024;

/// Whether all of both triangles is stored, and their order is at least least_order_of_blocks.
bool are_blocks(const triangular_factors& factors);

/// What the numbers of factors have: those of binary64, those of binary32, and of dense LU factors 11 for products.
inline constexpr long binary64_bits = 53;
inline constexpr long binary32_bits = 24;
inline constexpr long low_bits = 11;

/// Precision and place of LU and Cholesky factors.
struct factor_options {
    /// binary64_bits, binary32_bits or low_bits: in binary32 with products of numbers of 11 bits (binary16, or TF32 where the
    /// range of that does not suffice). All factors of low_bits that are not dense LU factors are in binary32
    long bits = binary64_bits;
    /// where dense factors of least_order_of_blocks or more are made; empty: on the host
    std::optional<cuda_executor> device = {};
};

/// throws  unsupported_error for other bits than 11, 24 and 53
void require_factor_bits(long bits);

/// LU factors with partial pivoting, A scaled by powers of two so that the largest entry of
/// every row and column is in [1/2, 1], and rounded: sparse with a fill-reducing column order, dense where
/// takes_dense_factors() says so. Every number of the factors is one of binary64, or of binary32.
///
/// errors   of dense factors those of getrf and getrf_mixed, and so their bits: a device has others than the host
/// reports  failure if A is singular in the precision of the factors
/// throws   resource_error if a dense factorisation does not fit in memory; unsupported_error for other bits than 11, 24 and
///          53; as getrf on a device
/// from     scaling [Higham02, Sec. 9.8]
triangular_factors factorize_lu(const sparse_rows& a, const factor_options& options = {});

/// Cholesky factors L L' of a symmetric A, U = L': its rows and columns are scaled by powers of two so that its diagonal is in
/// [1/2, 2), then as for factorize_lu, sparse with a fill-reducing order of rows and columns alike.
///
/// errors   of dense factors those of potrf
/// cost     half of the multiply-adds of LU factors, or less where these have more fill; both triangles of A are read
/// reports  failure if A is not positive definite in the precision of the factors
/// throws   as factorize_lu; resource_error also if sparse factors do not fit, before they are made
/// from     scaling [Higham02, Sec. 10.1]
triangular_factors factorize_cholesky(const sparse_rows& a, const factor_options& options = {});

/// Powers of two that bring the largest entry of every row, then of every column, to [1/2, 1].
void equilibrate(const sparse_rows& a, std::vector<int>& row_exponent, std::vector<int>& column_exponent);

}  // namespace residua
