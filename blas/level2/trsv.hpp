#pragma once

#include <concepts>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/base/rns_array.hpp>
#include <residua/blas/level2/triangle.hpp>

namespace residua::blas {

namespace detail {

/// The operands of x <- inverse(op(T)) b, T a triangle of A, which has numbers of V, T or double.
template <class Exec, class T, class V = T>
struct trsv_operands {
    uplo triangle;
    trans op;
    diag diagonal;
    matrix_view<Exec, const V> a;
    vector_view<Exec, const T> b;
    vector_view<Exec, T> x;
};

template <class Exec, class T, class V>
void require_fitting(const trsv_operands<Exec, T, V>& o)
{
    require_equal("trsv", "rows and columns of A", o.a.rows, o.a.cols);
    require_equal("trsv", "rows of A and size of b", o.a.rows, o.b.size);
    require_equal("trsv", "rows of A and size of x", o.a.rows, o.x.size);
    require_formats("trsv", o.x, o.a, o.b);
}

/// trsv of each format, with operands that fit.
template <class V, number T>
void solve(const host_executor& exec, const trsv_operands<host_executor, T, V>& o);
template <class V, number T>
void solve(const cuda_executor& exec, const trsv_operands<cuda_executor, T, V>& o);
void solve(const host_executor& exec, const trsv_operands<host_executor, multidigit>& o);
void solve(const host_executor& exec, const trsv_operands<host_executor, rns>& o);

}  // namespace detail

/// x <- inverse(op(T)) b, T a triangle of A, which has the format of the vectors, or binary64 where they have expansions.
/// `triangle` is a triangle of A, not of its transpose. On a device there are double and expansions, not transposed.
///
/// shapes   A (n x n), b (n), x (n); x may be b and does not overlap A
/// cost     n^2 / 2 multiply-adds, n divisions; one thread, or on a device two launches for each 32 columns
/// order    of each format below; the same bits on every executor
/// reports  a zero on the diagonal gives numbers that are not finite
/// throws   dimension_error if A is not square or sizes differ, error if formats do; unsupported_error for a transposed
///          triangle on a device, which trsm solves
/// from     [Higham02, Alg. 8.1]
///
/// errors and orders by format
///
///   double, expansion of N terms   |b - T x| <= (2 c(n) + d) u^N |T| |x|; c = sparse_row_error_bound<N>, d =
///                     quotient_error_bound<N>. Each row starts from b and goes towards the diagonal; renormalised as
///                     reduction_order.hpp has it. Transposed, each column of A is a long sum of reduction_order.hpp
///   multi-digit floats   each b_i - sum of t_ij x_j as a sum of gemv, and its quotient by t_ii correctly rounded. Each row
///                     starts from b and goes by ascending columns
///   RNS floats        |b - T x| <= gamma_(n + 1) |T| |x|; the order of multi-digit floats
template <class T, class Exec>
    requires(!run_time_format<T> || std::same_as<Exec, host_executor>)
void trsv(const Exec& exec, uplo triangle, trans op, diag diagonal, in_matrix<Exec, T> a, in_vector<Exec, T> b,
          out_vector<Exec, T> x)
{
    const detail::trsv_operands<Exec, T> o{triangle, op, diagonal, a, b, x};
    detail::require_fitting(o);
    detail::solve(exec, o);
}

template <class T, class Exec>
    requires(number_traits<T>::terms > 1)
void trsv(const Exec& exec, uplo triangle, trans op, diag diagonal, in_matrix<Exec, double> a, in_vector<Exec, T> b,
          out_vector<Exec, T> x)
{
    const detail::trsv_operands<Exec, T, double> o{triangle, op, diagonal, a, b, x};
    detail::require_fitting(o);
    detail::solve(exec, o);
}

}  // namespace residua::blas
