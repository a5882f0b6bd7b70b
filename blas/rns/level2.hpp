#pragma once

#include <residua/blas/level2/triangle.hpp>
#include <residua/blas/rns/level1.hpp>

/// Operations on vectors and matrices of RNS floats; the general statements of level1.hpp hold here too.
namespace residua::blas {

/// The order of a row sum of a dense matrix of RNS floats, and of a column sum: terms are cut into chunks of
/// `rns_chunk`; a chunk is summed from left to right, and chunks are merged pairwise (reduction_order.hpp).
inline constexpr index_t rns_chunk = 16;

/// How many chunks a sum of n terms has; at least one.
constexpr index_t rns_chunks(index_t n) { return n > rns_chunk ? (n + rns_chunk - 1) / rns_chunk : 1; }

/// y <- alpha op(A) x + beta y
///
/// shapes   op(A) (m x n), x (n), y (m); y overlaps neither A nor x. y is not read if beta is zero
/// errors   |err_i| <= gamma_k (|alpha op(A)| |x| + |beta y|)_i with the smaller k of n + 2 and
///          18 + ceil_log2(rns_chunks(n))
/// cost     m n multiply-adds
/// order    alpha x first; then each row sum, in chunks; then its sum with beta y
template <class Exec>
void gemv(const Exec& exec, trans op, const rns_number& alpha, in_matrix<Exec, rns> a, in_vector<Exec, rns> x,
          const rns_number& beta, vector_view<Exec, rns> y);

/// A <- A + alpha x y'
///
/// shapes   x (m), y (n), A (m x n); A overlaps neither
/// errors   gamma_3 (|alpha| |x_i y_j| + |a_ij|)
/// order    x_i (alpha y_j), then the sum
template <class Exec>
void ger(const Exec& exec, const rns_number& alpha, in_vector<Exec, rns> x, in_vector<Exec, rns> y,
         matrix_view<Exec, rns> a);

/// A norm of A: the largest column sum or row sum of magnitudes, the root of the sum of squares, the largest
/// magnitude; zero for an empty matrix
///
/// errors   none for the largest magnitude, else relatively gamma_k, k = 16 + ceil_log2(rns_chunks(terms of a sum)),
///          and ceil_log2(n) more for the root, which merges the sums of n columns
template <class Exec>
rns_number ge_norm(const Exec& exec, matrix_norm norm, in_matrix<Exec, rns> a);

/// C <- alpha op(A) op(B) + beta C
///
/// shapes   op(A) (m x l), op(B) (l x n), C (m x n), which overlaps neither; not read if beta is zero
/// errors   gamma_(l + 2) (|alpha op(A)| |op(B)| + |beta C|)
/// cost     m n l multiply-adds; workspace of the size of op(B), unless alpha is 1, and of C
/// order    alpha B first; then each sum from left to right; then its sum with beta C
template <class Exec>
void gemm(const Exec& exec, trans op_a, trans op_b, const rns_number& alpha, in_matrix<Exec, rns> a,
          in_matrix<Exec, rns> b, const rns_number& beta, matrix_view<Exec, rns> c);

/// x <- inverse(T) b or inverse(T') b, T a triangle of A; host only
///
/// shapes   A (n x n), b (n), x (n); x may be b
/// errors   |b - T x| <= gamma_(n + 1) |T| |x|
/// order    each row starts from b and goes by ascending columns
/// reports  a zero on the diagonal gives numbers that are not finite
void trsv(const host_executor& exec, uplo triangle, diag diagonal, in_matrix<host_executor, rns> a,
          in_vector<host_executor, rns> b, vector_view<host_executor, rns> x);
void trsv_t(const host_executor& exec, uplo triangle, diag diagonal, in_matrix<host_executor, rns> a,
            in_vector<host_executor, rns> b, vector_view<host_executor, rns> x);

}  // namespace residua::blas
