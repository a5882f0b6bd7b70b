#pragma once

#include <residua/blas/level2/triangle.hpp>
#include <residua/blas/rns/level1.hpp>
#include <residua/blas/sparse/levels.hpp>
#include <residua/blas/sparse/sliced_ell.hpp>

namespace residua {

namespace blas {

/// y <- alpha A x + beta y, V is double or rns: entries in binary64 or in the format of the vectors
///
/// shapes   A (m x n), x (n), y (m); y does not overlap x. y is not read if beta is zero
/// errors   |err_i| <= gamma_(k + 3) (|alpha A| |x| + |beta y|)_i for a row of k entries. What is not stored is
///          zero, also times what is not finite
/// cost     a multiply-add for each entry; reads A once. Entries in binary64 need few steps of scaling, none
///          where they are short
/// order    a row's entries from left to right, alpha times the sum, then its sum with beta y, for both storages alike
/// throws   dimension_error if sizes do not fit; error if formats differ
template <class Exec, class V>
void spmv(const Exec& exec, const rns_number& alpha, const csr<Exec, V>& a, in_vector<Exec, rns> x,
          const rns_number& beta, vector_view<Exec, rns> y);
template <class Exec, class V>
void spmv(const Exec& exec, const rns_number& alpha, const sliced_ell<Exec, V>& a, in_vector<Exec, rns> x,
          const rns_number& beta, vector_view<Exec, rns> y);

/// x <- inverse(T) b, T the lower or upper triangle of A, which may hold more; host only
///
/// shapes   A (n x n), b (n), x (n); x may be b
/// errors   |b - T x| <= gamma_(k + 2) |T| |x| for rows of k entries
/// order    each row starts from b and goes by ascending columns
/// reports  a diagonal entry that is zero or missing gives numbers that are not finite
/// throws   dimension_error if A is not square or sizes differ
void trsv(const host_executor& exec, uplo triangle, diag diagonal, const csr<host_executor, double>& a,
          in_vector<host_executor, rns> b, vector_view<host_executor, rns> x);

/// trsv by all threads, level by level, with the same bits; `levels` are the levels of the triangle of A.
void trsv(const host_executor& exec, const row_levels& levels, diag diagonal, const csr<host_executor, double>& a,
          in_vector<host_executor, rns> b, vector_view<host_executor, rns> x);

}  // namespace blas
}  // namespace residua
