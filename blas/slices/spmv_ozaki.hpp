#pragma once

#include <residua/blas/sparse/spmv.hpp>

namespace residua::blas {

namespace detail {

/// Y <- A X; `op` names the operation in errors.
template <class Exec, class A>
void multiply_by_slices(const Exec& exec, const char* op, const A& a, in_matrix<Exec, double> x,
                        out_matrix<Exec, double> y, int slices);

}  // namespace detail

/// Y <- A X of binary64, A sparse, from products of slices that are exact in binary64; slices 0: as many as there are
///
/// Digit s of an element is an integer of b bits, 2 b <= 55 - log2 of the entries of the longest row, of which
/// 8192 are summed at a time. Each row of A and each column of X has a power of two of its own, so extreme ranges cost
/// slices, not digits. A slice of A has A's pattern; slices of zeros are left out.
///
/// shapes   A (m x n), X (n x c), Y (m x c); Y does not overlap X
/// errors   all slices: every element is the exact one, rounded to nearest even once. s slices, |a_il| <= E_i and
///          |x_lj| <= F_j with powers of two, k entries in row i: |err_ij| <= (s k (s k + 5) 2^(-b (s-1)) +
///          k (s^2 + 2) (1 + k / 4096)) 2^-53 E_i F_j and one rounding
/// special  where an entry of row i or its factor x_lj is infinite or NaN: the sum of the products with these.
///          What is not stored is zero, also times infinity
/// cost     a multiply-add for each entry, column, and slice of A with one of X: s (s + 1) / 2 pairs with s slices, all
///          of them else: about (53 + d) / b slices of numbers that differ by 2^d in a row or column. A is read once
///          for four slices of X. Memory: 8 bytes a place of A, 16 a row, 8 a column; for a column of X, in words of
///          8 bytes, s_x n and m times (b (s_a + s_x) + log2 k) / 64 + 1 with all slices, (2 s - 1) n + 2 m with s; so
///          many columns at a time as 2e9 bytes hold, at least one
/// order    the same bits for both storages and any number of threads, on host and CUDA. With s slices rows are summed
///          from left to right, and b, so what is rounded, depends on the longest row
/// throws   dimension_error if sizes do not fit or slices < 0; resource_error
/// from     [OOOR12]; integer digits [OOY24]; docs/error_bounds.md, theorem 20
///
/// On a device each element has a thread; the threads of a warp read a sliced_ell side by side.
template <class Exec, class A>
    requires sparse_for<A, Exec, double>
void spmm_ozaki(const Exec& exec, const A& a, in_matrix<Exec, double> x, out_matrix<Exec, double> y, int slices = 0)
{
    detail::multiply_by_slices<Exec>(exec, "spmm_ozaki", a, x, y, slices);
}

/// y <- A x: spmm_ozaki of one column.
template <class Exec, class A>
    requires sparse_for<A, Exec, double>
void spmv_ozaki(const Exec& exec, const A& a, in_vector<Exec, double> x, out_vector<Exec, double> y, int slices = 0)
{
    detail::multiply_by_slices<Exec>(exec, "spmv_ozaki", a, {x.start, x.size, 1, x.size}, {y.start, y.size, 1, y.size},
                                     slices);
}

}  // namespace residua::blas
