#pragma once

#include <residua/blas/base/view.hpp>

/// Steps of the elimination of dense matrices in binary64 by the BLAS, in pieces whose sizes do not depend on the number
/// of threads: so their bits do not either, while OpenBLAS itself has one thread (single_threaded_blas).
namespace residua::detail {

using native_block = matrix_view<host_executor, double>;

/// C <- C - L U
void subtract(native_block l, native_block u, native_block c);

/// C <- C - L L1', its lower trapezoid, where L1 are the first rows of L; some of what is above it is lost.
///
/// shapes   L (m x k), C (m x n), n <= m
void subtract_lower(native_block l, native_block c);

/// C <- C - L V, its lower trapezoid; some of what is above it is lost.
///
/// shapes   L (m x k), V (k x n), C (m x n), n <= m
void subtract_lower(native_block l, native_block v, native_block c);

/// X <- inverse(L) X, L unit lower triangular
void solve_unit_lower(native_block l, native_block x);

/// One step of LU with the pivot in the first row and column.
void eliminate_column(native_block a);

/// One step of L L' with the pivot, which is positive, in the first row and column; A (m x n), n <= m.
void eliminate_definite_column(native_block a);

/// The same of L D L', whose L has ones in its diagonal: the pivot is any number but zero.
void eliminate_symmetric_column(native_block a);

/// Two steps of L D L' with a pivot of two rows and columns. Its number beside the diagonal, not zero, moves above it, and
/// leaves 0.
void eliminate_symmetric_pair(native_block a);

}  // namespace residua::detail
