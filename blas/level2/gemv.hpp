#pragma once

#include <residua/arith/expansion/accumulator.hpp>
#include <residua/blas/base/check.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/base/rns_array.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level2/triangle.hpp>

namespace residua::blas {

namespace detail {

/// The operands of y <- alpha op(A) x + beta y; A has numbers of V, which is T or double.
template <class Exec, class T, class V = T>
struct gemv_operands {
    operand_factor<Exec, T> alpha;
    matrix_view<Exec, const V> a;
    vector_view<Exec, const T> x;
    operand_factor<Exec, T> beta;
    vector_view<Exec, T> y;
};

template <class Exec, class T, class V>
void require_fitting(const char* op, trans of_a, const gemv_operands<Exec, T, V>& o)
{
    require_equal(op, "rows of op(A) and size of y", of_a == trans::no ? o.a.rows : o.a.cols, o.y.size);
    require_equal(op, "columns of op(A) and size of x", of_a == trans::no ? o.a.cols : o.a.rows, o.x.size);
    require_formats(op, o.y, o.alpha, o.a, o.x, o.beta);
}

/// gemv of each format, with operands that fit.
template <class V, number T>
void multiply(const host_executor& exec, trans op, const gemv_operands<host_executor, T, V>& o);
template <class V, number T>
void multiply(const cuda_executor& exec, trans op, const gemv_operands<cuda_executor, T, V>& o);
template <class Exec>
void multiply(const Exec& exec, trans op, const gemv_operands<Exec, multidigit>& o);
template <class Exec>
void multiply(const Exec& exec, trans op, const gemv_operands<Exec, rns>& o);

template <class V, number T>
void multiply_transposed(const host_executor& exec, const gemv_operands<host_executor, T, V>& o);
template <class V, number T>
void multiply_transposed(const cuda_executor& exec, const gemv_operands<cuda_executor, T, V>& o);

/// a' x, before it is rounded, of vectors of one size; with threads if `operations` are worth them.
template <class V, number T>
accumulator<number_traits<T>::terms> ordered_column_sum(const vector_view<host_executor, const V>& a,
                                                        const vector_view<host_executor, const T>& x,
                                                        double operations);

}  // namespace detail

/// y <- alpha op(A) x + beta y, with A of the format of the vectors, or of binary64 where they have expansions
///
/// shapes   op(A) (m x n), x (n), y (m); y overlaps neither A nor x. y is not read if beta is zero
/// cost     m n multiply-adds; reads A once
/// order    of each format below: the same bits for any thread count, instruction set and executor
/// throws   dimension_error if sizes do not fit, error if formats differ; unsupported_error if A is not transposed and has
///          more than 4194240 columns, on a device, in binary64 and expansions
///
/// errors and orders by format
///
///   double, expansion of N terms   |err_i| <= c(n) u^N |alpha| sum_j |a_ij x_j|, plus the errors of one axpy element; c =
///                     dense_row_error_bound<N>, of a transposed A long_sum_error_bound<N>. reduction_order.hpp, columns of a
///                     transposed A as long sums
///   multi-digit floats   u |s_i| + 2^-20 n u max |a_ij x_j| for the sum s_i of a row; beta y_i, and its sum with
///                     alpha s_i, are correctly rounded. Columns in chunks of 32, each from left to right; the chunks are
///                     merged as integers, in any order. Columns of a transposed A are long sums
///   RNS floats        |err_i| <= gamma_k (|alpha op(A)| |x| + |beta y|)_i with the smaller k of n + 2 and
///                     18 + ceil_log2(rns_chunks(n)). alpha x first; then each sum, in chunks of rns_chunk terms from
///                     left to right, which are merged pairwise; then its sum with beta y
template <class T, class Exec>
void gemv(const Exec& exec, trans op, const factor_of<Exec, T>& alpha, in_matrix<Exec, T> a, in_vector<Exec, T> x,
          const factor_of<Exec, T>& beta, out_vector<Exec, T> y)
{
    const detail::gemv_operands<Exec, T> o{alpha, a, x, beta, y};
    detail::require_fitting("gemv", op, o);
    detail::multiply(exec, op, o);
}

template <class T, class Exec>
    requires(number_traits<T>::terms > 1)
void gemv(const Exec& exec, trans op, const factor_of<Exec, T>& alpha, in_matrix<Exec, double> a, in_vector<Exec, T> x,
          const factor_of<Exec, T>& beta, out_vector<Exec, T> y)
{
    const detail::gemv_operands<Exec, T, double> o{alpha, a, x, beta, y};
    detail::require_fitting("gemv", op, o);
    detail::multiply(exec, op, o);
}

}  // namespace residua::blas
