#pragma once

#include <concepts>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/vector.hpp>
#include <residua/blas/level2/combine.hpp>

namespace residua::blas {

namespace detail {

/// A <- A + alpha x y', for the entries that `of` has
template <class T, class Exec>
void add_outer_product(const Exec& exec, const char* op, const factor_of<Exec, T>& alpha, in_vector<Exec, T> x,
                       in_vector<Exec, T> y, const matrix_view<Exec, T>& a, const diagonals& of)
{
    vector<Exec, T> scaled(a.format, y.size, exec);
    copy<T>(exec, y, scaled);
    scal<T>(exec, alpha, scaled);
    combine_entries(exec, op,
                    entry_sum<Exec, T>{
                        a, {.x = places_of(a)}, {{.x = places_by_row(x), .entry = places_by_col(scaled.view())}}, of});
}

}  // namespace detail

/// A <- A + alpha x y'
///
/// shapes   x (m), y (n), A (m x n); A overlaps neither x nor y
/// errors   per entry as the product alpha y_j and one axpy element together (level1/elementwise.hpp)
/// cost     m n multiply-adds; reads and writes A once
/// order    elementwise
/// throws   dimension_error if sizes do not fit, error if formats differ
template <class T, class Exec>
void ger(const Exec& exec, const factor_of<Exec, T>& alpha, in_vector<Exec, T> x, in_vector<Exec, T> y,
         out_matrix<Exec, T> a)
{
    require_equal("ger", "rows of A and size of x", a.rows, x.size);
    require_equal("ger", "columns of A and size of y", a.cols, y.size);
    require_formats("ger", a, alpha, x, y);
    if constexpr (std::same_as<Exec, host_executor>) {
        const auto scale = alpha;                                                          // may be an element of A
        const bool negates = run_time_format<T> && scale == detail::constant_of(a, -1.0);  // without a product
        const double operations =
            array_traits<T>::operations(a.format) * static_cast<double>(a.rows) * static_cast<double>(a.cols);
        detail::parallel_ranges(a.cols, 1, operations, [&](index_t begin, index_t end) {
            for (index_t j = begin; j < end; ++j) {
                axpy<T>(exec, negates ? -y.load(j) : scale * y.load(j), x, a.column(j));
            }
        });
    } else {
        detail::add_outer_product<T>(exec, "ger", alpha, x, y, a, {});
    }
}

}  // namespace residua::blas
