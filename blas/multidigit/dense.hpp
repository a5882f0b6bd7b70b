#pragma once

#include <residua/blas/level2/triangle.hpp>
#include <residua/blas/multidigit/level1.hpp>

/// Operations on vectors and matrices of multi-digit floats; the general statements of level1.hpp hold here too.
namespace residua::blas {

/// y <- alpha A x + beta y
///
/// shapes   A (m x n), x (n), y (m); y overlaps neither A nor x. y is not read if beta is zero
/// errors   u |s_i| + 2^-20 n u max |a_ij x_j| for the sum s_i of a row; beta y_i, and its sum with alpha s_i, are
///          correctly rounded
/// cost     m n multiply-adds
/// order    columns in chunks of 32, each from left to right; the chunks are merged as integers, in any order
template <class Exec>
void gemv(const Exec& exec, const multidigit_number& alpha, in_matrix<Exec, multidigit> a,
          in_vector<Exec, multidigit> x, const multidigit_number& beta, vector_view<Exec, multidigit> y);

/// y <- alpha A' x + beta y, as gemv, but each sum over a column of A in the order of a long sum
template <class Exec>
void gemv_t(const Exec& exec, const multidigit_number& alpha, in_matrix<Exec, multidigit> a,
            in_vector<Exec, multidigit> x, const multidigit_number& beta, vector_view<Exec, multidigit> y);

/// A <- A + alpha x y': alpha y_j, and a_ij plus its product with x_i, are correctly rounded
///
/// shapes   x (m), y (n), A (m x n); A overlaps neither
void ger(const host_executor& exec, const multidigit_number& alpha, in_vector<host_executor, multidigit> x,
         in_vector<host_executor, multidigit> y, matrix_view<host_executor, multidigit> a);

/// C <- alpha A B + beta C, each column as by gemv
///
/// shapes   A (m x l), B (l x n), C (m x n), which overlaps neither; not read if beta is zero
/// cost     m n l multiply-adds
/// stops    the host's between blocks by io::ask_for_stop(), which then throws; a product with a vector too
template <class Exec>
void gemm(const Exec& exec, const multidigit_number& alpha, in_matrix<Exec, multidigit> a,
          in_matrix<Exec, multidigit> b, const multidigit_number& beta, matrix_view<Exec, multidigit> c);

/// x <- inverse(T) b or inverse(T') b, T a triangle of A
///
/// shapes   A (n x n), b (n), x (n); x may be b
/// errors   each b_i - sum of t_ij x_j as a sum of gemv, and its quotient by t_ii correctly rounded
/// order    each row starts from b and goes by ascending columns
/// reports  a zero on the diagonal gives numbers that are not finite
void trsv(const host_executor& exec, uplo triangle, diag diagonal, in_matrix<host_executor, multidigit> a,
          in_vector<host_executor, multidigit> b, vector_view<host_executor, multidigit> x);
void trsv_t(const host_executor& exec, uplo triangle, diag diagonal, in_matrix<host_executor, multidigit> a,
            in_vector<host_executor, multidigit> b, vector_view<host_executor, multidigit> x);

}  // namespace residua::blas
