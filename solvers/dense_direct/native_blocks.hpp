#pragma once

#include <concepts>

#include <residua/blas/base/view.hpp>

/// Steps of the elimination of dense matrices in binary64 and in binary32 by the BLAS, in pieces whose sizes do not depend on
/// the number of threads: so their bits do not either, while OpenBLAS itself has one thread (single_threaded_blas).
namespace residua::detail {

template <class T>
concept native_number = std::same_as<T, double> || std::same_as<T, float>;

template <native_number T>
using native_block = matrix_view<host_executor, T>;

/// C <- C - L U
template <native_number T>
void subtract(native_block<T> l, native_block<T> u, native_block<T> c);

/// C <- C - L L1', its lower trapezoid, where L1 are the first rows of L; some of what is above it is lost.
///
/// shapes   L (m x k), C (m x n), n <= m
template <native_number T>
void subtract_lower(native_block<T> l, native_block<T> c);

/// C <- C - L V, its lower trapezoid; some of what is above it is lost.
///
/// shapes   L (m x k), V (k x n), C (m x n), n <= m
template <native_number T>
void subtract_lower(native_block<T> l, native_block<T> v, native_block<T> c);

/// X <- inverse(L) X, L unit lower triangular
template <native_number T>
void solve_unit_lower(native_block<T> l, native_block<T> x);

/// The first column with an infinity or a NaN; -1: there is none. Pivots alone do not show it, since a BLAS may skip
/// products with zeros, and then an infinity in L or U leaves them as they are.
///
/// lower   what is above the diagonal does not count
/// cost    reads A once
template <native_number T>
index_t first_column_out_of_range(native_block<T> a, bool lower);

/// One step of LU with the pivot in the first row and column.
template <native_number T>
void eliminate_column(native_block<T> a);

/// y <- y - (re + i im) x, n complex numbers whose parts lie apart
template <native_number T>
void subtract_complex_multiple(index_t n, T re, T im, const T* x_re, const T* x_im, T* y_re, T* y_im);

/// One step of L L' with the pivot, which is positive, in the first row and column; A (m x n), n <= m.
template <native_number T>
void eliminate_definite_column(native_block<T> a);

/// One step of L D L', whose L has ones in its diagonal: the pivot is any number but zero.
template <native_number T>
void eliminate_symmetric_column(native_block<T> a);

/// Two steps of L D L' with a pivot of two rows and columns. Its number beside the diagonal, not zero, moves above it, and
/// leaves 0.
template <native_number T>
void eliminate_symmetric_pair(native_block<T> a);

}  // namespace residua::detail
