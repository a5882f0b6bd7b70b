#pragma once

#include <optional>
#include <utility>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/matrix.hpp>
#include <residua/blas/level2/transpose.hpp>

namespace residua::blas {

namespace detail {

/// The operands of C <- alpha op(A) op(B) + beta C.
template <class Exec, class T>
struct gemm_operands {
    operand_factor<Exec, T> alpha;
    matrix_view<Exec, const T> a, b;
    operand_factor<Exec, T> beta;
    matrix_view<Exec, T> c;
};

template <class Exec, class T>
void require_fitting(const char* op, trans op_a, trans op_b, const gemm_operands<Exec, T>& o)
{
    const auto [a_rows, a_cols] = op_a == trans::no ? std::pair(o.a.rows, o.a.cols) : std::pair(o.a.cols, o.a.rows);
    const auto [b_rows, b_cols] = op_b == trans::no ? std::pair(o.b.rows, o.b.cols) : std::pair(o.b.cols, o.b.rows);
    require_equal(op, "rows of op(A) and C", a_rows, o.c.rows);
    require_equal(op, "columns of op(B) and C", b_cols, o.c.cols);
    require_equal(op, "columns of op(A) and rows of op(B)", a_cols, b_rows);
    require_formats(op, o.c, o.alpha, o.a, o.b, o.beta);
}

/// C <- alpha A B + beta C in each format, with operands that fit.
template <number T>
void multiply(const host_executor& exec, const gemm_operands<host_executor, T>& o);
template <number T>
void multiply(const cuda_executor& exec, const gemm_operands<cuda_executor, T>& o);
template <class Exec>
void multiply(const Exec& exec, const gemm_operands<Exec, multidigit>& o);
template <class Exec>
void multiply(const Exec& exec, const gemm_operands<Exec, rns>& o);

}  // namespace detail

/// C <- alpha op(A) op(B) + beta C, all of one format, by the sums of the definition
///
/// shapes   op(A) (m x k), op(B) (k x n), C (m x n); C overlaps neither A nor B, and is not read if beta is zero
/// cost     m n k multiply-adds; memory for a copy of each matrix that is transposed, and of C in run-time formats unless
///          beta is zero; of B in RNS floats unless alpha is 1; of expansions of 2 to 4 terms up to 528 KiB a thread
/// stops    on the host between columns, or blocks, by io::ask_for_stop(), which then throws; of RNS floats not
/// throws   dimension_error if sizes do not fit, error if formats differ, resource_error; on a device, in binary64 and
///          expansions, unsupported_error if k is above 2^18, or n above 262140
///
/// errors and orders by format
///
///   double, expansion of N terms   |err_ij| <= c(k) u^N |alpha| sum_l |a_il b_lj|, plus the errors of one axpy element; c =
///                     dense_row_error_bound<N>. Each column as gemv has it
///   multi-digit floats   each column as by gemv
///   RNS floats        gamma_(k + 2) (|alpha op(A)| |op(B)| + |beta C|). alpha B first; then each sum from left to right; then
///                     its sum with beta C
template <class T, class Exec>
void gemm(const Exec& exec, trans op_a, trans op_b, const factor_of<Exec, T>& alpha, in_matrix<Exec, T> a,
          in_matrix<Exec, T> b, const factor_of<Exec, T>& beta, out_matrix<Exec, T> c)
{
    detail::gemm_operands<Exec, T> o{alpha, a, b, beta, c};
    detail::require_fitting("gemm", op_a, op_b, o);
    std::optional<matrix<Exec, T>> work[2];
    const auto transposed = [&](matrix_view<Exec, const T>& x, std::optional<matrix<Exec, T>>& to) {
        to.emplace(x.format, x.cols, x.rows, exec);
        transpose<T>(exec, x, to->view());
        x = std::as_const(*to).view();
    };
    if (op_a == trans::yes) {
        transposed(o.a, work[0]);
    }
    if (op_b == trans::yes) {
        transposed(o.b, work[1]);
    }
    detail::multiply(exec, o);
}

}  // namespace residua::blas
