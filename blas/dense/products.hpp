#pragma once

#include <concepts>
#include <optional>
#include <utility>

#include <residua/blas/base/matrix.hpp>
#include <residua/blas/dense/entries.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/gemv_t.hpp>
#include <residua/blas/level3/gemm.hpp>
#include <residua/blas/multidigit/dense.hpp>
#include <residua/blas/rns/level2.hpp>

/// Binary64, expansions and multi-digit floats have gemv and gemm with transposes here. RNS floats have theirs, with
/// the same arguments, in rns/level2.hpp.
namespace residua::blas {

/// y <- alpha op(A) x + beta y, by gemv or gemv_t of the format, whose contracts hold
template <class T, class Exec>
    requires(!std::same_as<T, rns>)
void gemv(const Exec& exec, trans op, const factor_of<Exec, T>& alpha, in_matrix<Exec, T> a, in_vector<Exec, T> x,
          const factor_of<Exec, T>& beta, out_vector<Exec, T> y)
{
    if (op == trans::no) {
        gemv(exec, alpha, a, x, beta, y);
    } else {
        gemv_t(exec, alpha, a, x, beta, y);
    }
}

/// C <- alpha op(A) op(B) + beta C, by gemm of the format, whose contract holds
///
/// cost   as gemm; memory for each matrix that is transposed
/// order  as gemm with the transposed matrices
template <class T, class Exec>
    requires(!std::same_as<T, rns>)
void gemm(const Exec& exec, trans op_a, trans op_b, const factor_of<Exec, T>& alpha, in_matrix<Exec, T> a,
          in_matrix<Exec, T> b, const factor_of<Exec, T>& beta, out_matrix<Exec, T> c)
{
    std::optional<matrix<Exec, T>> work[2];
    const auto factor = [&](trans op, const matrix_view<Exec, const T>& x, std::optional<matrix<Exec, T>>& transposed) {
        if (op == trans::no) {
            return x;
        }
        require_formats("gemm", c, x);
        transposed.emplace(x.format, x.cols, x.rows, exec);
        transpose<T>(exec, x, transposed->view());
        return std::as_const(*transposed).view();
    };
    const matrix_view<Exec, const T> left = factor(op_a, a, work[0]);
    gemm(exec, alpha, left, factor(op_b, b, work[1]), beta, c);
}

}  // namespace residua::blas
