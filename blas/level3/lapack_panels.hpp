#pragma once

#include <residua/io/error.hpp>

/// Factors by panels on the host, for getrf and potrf: LAPACK factorises a panel, and threads subtract its products
/// from the columns to the right of it. Between panels io::ask_for_stop() is called.
namespace residua::blas::detail {

/// Up to this order LAPACK factorises a matrix as a whole, in less than some 60 ms.
inline constexpr index_t whole_order = 1536;
inline constexpr index_t lapack_panel = 256;
/// The columns to the right of a panel are updated in pieces of this many.
inline constexpr index_t lapack_piece = 128;

inline float* at(float* a, index_t ld, index_t i, index_t j) { return a + j * ld + i; }
inline double* at(double* a, index_t ld, index_t i, index_t j) { return a + j * ld + i; }

/// C <- C - A B, or C - A B' for op_b = "T"; C (m x n), of inner length k.
void subtract_product(const char* op_b, index_t m, index_t n, index_t k, const double* a, index_t lda, const double* b,
                      index_t ldb, double* c, index_t ldc);
void subtract_product(const char* op_b, index_t m, index_t n, index_t k, const float* a, index_t lda, const float* b,
                      index_t ldb, float* c, index_t ldc);

/// X <- inverse(L) X with ones on the diagonal of L (k x k); X (k x n).
void solve_unit_lower(index_t k, index_t n, const double* l, index_t ldl, double* x, index_t ldx);
void solve_unit_lower(index_t k, index_t n, const float* l, index_t ldl, float* x, index_t ldx);

/// X <- X inverse(L') with L (k x k); X (m x k).
void solve_lower_right(index_t m, index_t k, const double* l, index_t ldl, double* x, index_t ldx);
void solve_lower_right(index_t m, index_t k, const float* l, index_t ldl, float* x, index_t ldx);

}  // namespace residua::blas::detail
