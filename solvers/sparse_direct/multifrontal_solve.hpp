#pragma once

#include <span>
#include <type_traits>
#include <utility>

#include <residua/blas/base/executor.hpp>
#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/gemv_t.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/blas/multidigit/dense.hpp>
#include <residua/solvers/space/binary64_blocks.hpp>
#include <residua/solvers/space/block_product.hpp>
#include <residua/solvers/space/elements.hpp>
#include <residua/solvers/sparse_direct/multifrontal.hpp>

/// The solves of multifrontal. Included where it is instantiated.
namespace residua {
namespace detail {

/// v <- inverse(T) v or inverse(T') v, T a triangle of A
template <class E>
void solve_triangle(blas::uplo triangle, blas::diag diagonal, bool transposed, matrix_view<host_executor, E> a,
                    column_view<E> v)
{
    if constexpr (std::is_same_v<E, double>) {
        solve_triangle_in_binary64(triangle, diagonal, transposed, a, v.data);
    } else if (transposed) {
        blas::trsv_t(host_executor{}, triangle, diagonal, a, v, v);
    } else {
        blas::trsv(host_executor{}, triangle, diagonal, a, v, v);
    }
}

/// y <- y - A x, or y - A' x
template <class S, class E>
void subtract_product_of(const S& space, matrix_view<host_executor, E> a, bool transposed, column_view<E> x,
                         column_view<E> y)
{
    if (a.rows == 0 || a.cols == 0) {
        return;
    }
    if constexpr (std::is_same_v<E, double>) {
        (void)space;
        transposed ? subtract_transposed(a, x.data, y.data) : subtract(a, x.data, y.data);
    } else if (transposed) {
        blas::gemv_t(host_executor{}, space.make_scalar(-1.0), a, x, space.make_scalar(1.0), y);
    } else {
        blas::gemv(host_executor{}, space.make_scalar(-1.0), a, x, space.make_scalar(1.0), y);
    }
}

/// y_k <- x_(place_k), and back
template <class E>
void gather(column_view<E> x, std::span<const std::int32_t> place, column_view<E> y)
{
    for (std::size_t k = 0; k < place.size(); ++k) {
        copy_element<E>(x, place[k], y, static_cast<index_t>(k));
    }
}
template <class E>
void scatter(column_view<E> y, std::span<const std::int32_t> place, column_view<E> x)
{
    for (std::size_t k = 0; k < place.size(); ++k) {
        copy_element<E>(y, static_cast<index_t>(k), x, place[k]);
    }
}

}  // namespace detail

template <array_space S>
void multifrontal<S>::solve_front(const front& f, bool transposed, column y, column w) const
{
    const index_t m = f.order(), k = f.columns, t = f.pivots;
    const bool by_columns = transposed && kind() == factor_kind::lu;
    const view p = columns_of(f), pivots = detail::block(p, 0, 0, t, t);
    const column found = detail::part(w, 0, t);
    detail::gather<element>(y, by_columns ? f.column : f.row, w);
    if (by_columns) {
        detail::solve_triangle<element>(blas::uplo::upper, blas::diag::non_unit, true, pivots, found);
        detail::subtract_product_of<S, element>(space_, detail::block(p, 0, t, t, k - t), true, found,
                                                detail::part(w, t, k));
        const view r = right_of(f);
        detail::subtract_product_of<S, element>(space_, detail::block(r, 0, 0, t, m - k), true, found,
                                                detail::part(w, k, m));
        detail::scatter<element>(w, f.column, y);
    } else {
        detail::solve_triangle<element>(blas::uplo::lower, is_cholesky() ? blas::diag::non_unit : blas::diag::unit,
                                        false, pivots, found);
        detail::subtract_product_of<S, element>(space_, detail::block(p, t, 0, m - t, t), false, found,
                                                detail::part(w, t, m));
        detail::scatter<element>(w, f.row, y);
    }
}

template <array_space S>
void multifrontal<S>::solve_back(const front& f, bool transposed, column y, column z, column w) const
{
    const index_t m = f.order(), k = f.columns, t = f.pivots;
    const bool by_lower = transposed || kind() != factor_kind::lu;
    const view p = columns_of(f), pivots = detail::block(p, 0, 0, t, t);
    const column found = detail::part(w, 0, t);
    const std::span<const std::int32_t> rows(f.row), columns(f.column);
    const auto size = static_cast<std::size_t>(t);
    const auto from = transposed ? columns : rows, to = transposed ? rows : columns;
    detail::gather<element>(y, from.first(size), found);
    detail::gather<element>(z, to.subspan(size), detail::part(w, t, m));
    if (kind() == factor_kind::ldl) {
        solve_pivots(f, found);
    }
    if (by_lower) {
        detail::subtract_product_of<S, element>(space_, detail::block(p, t, 0, m - t, t), true, detail::part(w, t, m),
                                                found);
        detail::solve_triangle<element>(blas::uplo::lower, is_cholesky() ? blas::diag::non_unit : blas::diag::unit,
                                        true, pivots, found);
    } else {
        detail::subtract_product_of<S, element>(space_, detail::block(p, 0, t, t, k - t), false, detail::part(w, t, k),
                                                found);
        const view r = right_of(f);
        detail::subtract_product_of<S, element>(space_, detail::block(r, 0, 0, t, m - k), false, detail::part(w, k, m),
                                                found);
        detail::solve_triangle<element>(blas::uplo::upper, blas::diag::non_unit, false, pivots, found);
    }
    detail::scatter<element>(found, to.first(size), z);
}

template <array_space S>
auto multifrontal<S>::factors_of(index_t f) const -> front_factors
{
    const front& at = front_[static_cast<std::size_t>(f)];
    return {at.pivots, at.row, at.column, columns_of(at), right_of(at)};
}

template <array_space S>
void multifrontal<S>::solve(vector& x, bool transposed) const
{
    space_.permute(transposed ? before_transposed_ : before_, x, *y_);
    const column y = y_->view(), z = z_->view();
    for (const front& f : front_) {
        solve_front(f, transposed, y, detail::part(work_->view(), 0, f.order()));
    }
    for (auto f = front_.rbegin(); f != front_.rend(); ++f) {
        solve_back(*f, transposed, y, z, detail::part(work_->view(), 0, f->order()));
    }
    space_.permute(transposed ? after_transposed_ : after_, *z_, x);
}

}  // namespace residua
