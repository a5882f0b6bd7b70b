#pragma once

#include <concepts>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/multidigit_array.hpp>
#include <residua/blas/base/rns_array.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/sparse/csr.hpp>
#include <residua/blas/sparse/sliced_ell.hpp>

namespace residua::blas {

/// A sparse matrix in the memory of Exec, in compressed rows or sliced ELL, with entries in binary64 or of T.
template <class A, class Exec, class T>
concept sparse_for = std::same_as<A, csr<Exec, double>> || std::same_as<A, csr<Exec, T>> ||
                     std::same_as<A, sliced_ell<Exec, double>> || std::same_as<A, sliced_ell<Exec, T>>;

namespace detail {

/// The operands of y <- alpha A x + beta y, A a sparse matrix.
template <class Exec, class T, class A>
struct spmv_operands {
    operand_factor<Exec, T> alpha;
    const A& a;
    vector_view<Exec, const T> x;
    operand_factor<Exec, T> beta;
    vector_view<Exec, T> y;
};

template <class Exec, class T, class A>
void require_fitting(const char* op, const spmv_operands<Exec, T, A>& o)
{
    require_equal(op, "rows of A and size of y", o.a.rows(), o.y.size);
    require_equal(op, "columns of A and size of x", o.a.cols(), o.x.size);
    require_formats(op, o.y, o.alpha, o.x, o.beta);
    if constexpr (std::same_as<typename A::value_type, T>) {
        require_formats(op, o.y, o.a.value());
    }
}

/// spmv of each format, with operands that fit.
template <number T, class A>
void multiply(const host_executor& exec, const spmv_operands<host_executor, T, A>& o);
template <number T, class A>
void multiply(const cuda_executor& exec, const spmv_operands<cuda_executor, T, A>& o);
template <class Exec, class A>
void multiply(const Exec& exec, const spmv_operands<Exec, multidigit, A>& o);
template <class Exec, class A>
void multiply(const Exec& exec, const spmv_operands<Exec, rns, A>& o);

}  // namespace detail

/// y <- alpha A x + beta y, A sparse, with entries in binary64 or in the format of the vectors
///
/// shapes   A (m x n), x (n), y (m); y does not overlap x. y is not read if beta is zero. What is not stored is zero, also
///          times what is not finite
/// cost     a multiply-add for each entry; reads A once. With RNS floats, entries in binary64 need few steps of scaling,
///          none where they are short
/// order    a row's entries from left to right, as each format has it below: the same bits for both storages, and any thread
///          count, instruction set and executor
/// throws   dimension_error if sizes do not fit, error if formats differ
///
/// errors and orders by format, for a row of k entries
///
///   double, expansion of N terms   |err_i| <= c(k) u^N |alpha| sum_j |a_ij x_j|, plus the errors of one axpy element; c =
///                     sparse_row_error_bound<N>. reduction_order.hpp
///   multi-digit floats   u |s_i| + 2^-20 k u max |a_ij x_j| for the sum s_i of a row; beta y_i, and alpha s_i added to it,
///                     are correctly rounded. Entries in binary64 give the same bits as in the format
///   RNS floats        |err_i| <= gamma_(k + 3) (|alpha A| |x| + |beta y|)_i. Alpha times the sum, then its sum with beta y
template <class T, class Exec, class A>
    requires sparse_for<A, Exec, T>
void spmv(const Exec& exec, const factor_of<Exec, T>& alpha, const A& a, in_vector<Exec, T> x,
          const factor_of<Exec, T>& beta, out_vector<Exec, T> y)
{
    const detail::spmv_operands<Exec, T, A> o{alpha, a, x, beta, y};
    detail::require_fitting("spmv", o);
    detail::multiply(exec, o);
}

}  // namespace residua::blas
