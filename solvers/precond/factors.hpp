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

/// Powers of two that bring the largest entry of every row, then of every column, to [1/2, 1].
void equilibrate(const sparse_rows& a, std::vector<int>& row_exponent, std::vector<int>& column_exponent);

}  // namespace residua
