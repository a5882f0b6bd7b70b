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

template <class T>
T* at(T* a, index_t ld, index_t i, index_t j)
{
    return a + j * ld + i;
}

/// C <- C - A B, or C - A B' for op_b = "T"; C (m x n), of inner length k. T is double or float, here and below.
template <class T>
void subtract_product(const char* op_b, index_t m, index_t n, index_t k, const T* a, index_t lda, const T* b,
                      index_t ldb, T* c, index_t ldc);

/// X <- inverse(L) X with ones on the diagonal of L (k x k); X (k x n).
template <class T>
void solve_unit_lower(index_t k, index_t n, const T* l, index_t ldl, T* x, index_t ldx);

/// X <- X inverse(L') with L (k x k); X (m x k).
template <class T>
void solve_lower_right(index_t m, index_t k, const T* l, index_t ldl, T* x, index_t ldx);

}  // namespace residua::blas::detail
