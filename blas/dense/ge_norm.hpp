#pragma once

#include <concepts>

#include <residua/blas/dense/products.hpp>
#include <residua/blas/level1/norm.hpp>

namespace residua::blas {

/// A norm of A: the largest column sum or row sum of magnitudes, the root of the sum of squares, the largest magnitude;
/// zero for an empty matrix. That of RNS floats is in rns/level2.hpp.
///
/// errors   none for the largest magnitude; the root as norm2 of all entries, by columns; sums as gemv_t or gemv
///          of magnitudes and ones
/// cost     m n multiply-adds, and a copy of A; waits for the result
/// reports  not finite if an entry is not
/// throws   resource_error
template <class T, class Exec>
    requires(!std::same_as<T, rns>)
typename array_traits<T>::number ge_norm(const Exec& exec, matrix_norm norm, in_matrix<Exec, T> a)
{
    if (a.rows == 0 || a.cols == 0) {
        return detail::constant_of(a, 0.0);
    }
    const auto largest = [&](const vector_view<Exec, const T>& x) {
        if constexpr (run_time_format<T>) {
            return norm_inf(exec, x);
        } else {
            return norm_inf<T>(exec, x);
        }
    };
    vector<Exec, T> magnitudes(a.format, a.rows * a.cols, exec);
    const matrix_view<Exec, T> side_by_side(magnitudes.view().start, a.rows, a.cols, a.rows, a.format);
    detail::combine_entries(exec, "ge_norm", side_by_side,
                            detail::entry_term<Exec, T>{.x = detail::places_of(a), .magnitude = true});
    if (norm == matrix_norm::largest) {
        return largest(magnitudes.view());
    }
    if (norm == matrix_norm::frobenius) {
        if constexpr (run_time_format<T>) {
            return norm2(exec, vector_view<Exec, const T>(magnitudes.view()));
        } else {
            return norm2<T>(exec, magnitudes.view());
        }
    }
    const bool rows = norm == matrix_norm::infinity;
    const auto one = detail::constant_of(a, 1.0);
    vector<Exec, T> ones(a.format, rows ? a.cols : a.rows, exec);
    vector<Exec, T> sums(a.format, rows ? a.rows : a.cols, exec);
    fill<T>(exec, one, ones);
    gemv(exec, rows ? trans::no : trans::yes, one, matrix_view<Exec, const T>(side_by_side), std::as_const(ones).view(),
         detail::constant_of(a, 0.0), sums.view());
    return largest(sums.view());
}

}  // namespace residua::blas
