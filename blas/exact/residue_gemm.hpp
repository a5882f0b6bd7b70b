#pragma once

#include <residua/io/error.hpp>

namespace residua::blas::detail {

/// C <- A B, or C + A B, column-major matrices of integers in binary64 whose sums of products are exact, below 2^53:
/// no order of summation and no instruction set changes a bit.
///
/// shapes  A (m x k), B (k x n), C (m x n), columns lda, ldb, ldc apart
/// cost    m n k multiply-adds, eight at a time with AVX-512, on all threads
/// from    blocks and packing as in [GvdG08]
void residue_gemm(index_t m, index_t n, index_t k, const double* a, index_t lda, const double* b, index_t ldb,
                  bool adds, double* c, index_t ldc);

}  // namespace residua::blas::detail
