#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

/// LU factors with partial pivoting, A scaled by powers of two so that the largest entry of
/// every row and column is in [1/2, 1]: sparse with a fill-reducing column order, dense where a
/// quarter of the entries or more are stored.
///
/// reports  failure if A is singular in binary64
/// throws   resource_error if a dense factorisation does not fit in memory
/// from     scaling [Higham02, Sec. 9.8]
triangular_factors factorize_lu(const sparse_rows& a);

/// The same computed in binary32, of the scaled A rounded to that: every number of the factors is one of binary32.
///
/// reports  failure if A is singular in binary32
triangular_factors factorize_lu_binary32(const sparse_rows& a);

/// Powers of two that bring the largest entry of every row, then of every column, to [1/2, 1].
void equilibrate(const sparse_rows& a, std::vector<int>& row_exponent, std::vector<int>& column_exponent);

}  // namespace residua
