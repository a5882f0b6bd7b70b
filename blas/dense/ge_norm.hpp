#pragma once

#include <concepts>

#include <residua/blas/level1/norm.hpp>
#include <residua/blas/level2/combine.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/rns/level1.hpp>

namespace residua::blas {

namespace detail {

/// ge_norm in binary64, expansions and multi-digit floats, of a matrix that is not empty
template <class T, class Exec>
typename array_traits<T>::number norm_of_magnitudes(const Exec& exec, matrix_norm norm,
                                                    const matrix_view<Exec, const T>& a)
{
    vector<Exec, T> magnitudes(a.format, a.rows * a.cols, exec);
    const matrix_view<Exec, T> side_by_side(magnitudes.view().start, a.rows, a.cols, a.rows, a.format);
    combine_entries(exec, "ge_norm", entry_sum<Exec, T>{side_by_side, {.x = places_of(a), .magnitude = true}});
    if (norm == matrix_norm::largest) {
        return norm_inf<T>(exec, magnitudes);
    }
    if (norm == matrix_norm::frobenius) {
        return norm2<T>(exec, magnitudes);
    }
    const bool rows = norm == matrix_norm::infinity;
    const auto one = constant_of(a, 1.0);
    vector<Exec, T> ones(a.format, rows ? a.cols : a.rows, exec);
    vector<Exec, T> sums(a.format, rows ? a.rows : a.cols, exec);
    fill<T>(exec, one, ones);
    gemv<T>(exec, rows ? trans::no : trans::yes, one, side_by_side, ones, constant_of(a, 0.0), sums);
    return norm_inf<T>(exec, sums);
}

}  // namespace detail

/// A norm of A: the largest column sum or row sum of magnitudes, the root of the sum of squares, the largest magnitude;
/// zero for an empty matrix
///
/// errors   none for the largest magnitude; the root as norm2 of all entries, by columns; sums as gemv of magnitudes and
///          ones. RNS floats have relatively gamma_k, k = 16 + ceil_log2(rns_chunks(terms of a sum)), and ceil_log2(n) more
///          for the root, which merges the sums of n columns
/// cost     m n multiply-adds, and a copy of A unless it has RNS floats; waits for the result
/// reports  not finite if an entry is not
/// throws   resource_error
template <class T, class Exec>
typename array_traits<T>::number ge_norm(const Exec& exec, matrix_norm norm, in_matrix<Exec, T> a)
{
    if (a.rows == 0 || a.cols == 0) {
        return detail::constant_of(a, 0.0);
    }
    if constexpr (std::same_as<T, rns>) {
        return detail::norm_of_entries<Exec>(exec, norm, a);
    } else {
        return detail::norm_of_magnitudes<T, Exec>(exec, norm, a);
    }
}

}  // namespace residua::blas
