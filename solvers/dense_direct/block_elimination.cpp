#include <residua/solvers/dense_direct/block_elimination.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level2/ger.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/dense_direct/block_elimination_device.hpp>
#include <residua/solvers/dense_direct/block_elimination_ldl.hpp>
#include <residua/solvers/dense_direct/block_product.hpp>
#include <residua/solvers/dense_direct/elements.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua {

template <array_space S>
block_elimination<S>::block_elimination(const S& space, const elimination_options& options)
    : space_(space), options_(options)
{}

template <array_space S>
void block_elimination<S>::set_panel(index_t rows, index_t columns, bool is_cholesky)
{
    panel_ = std::max(rows, columns);
    if constexpr (has_products) {
        panel_ = options_.panel > 0 ? options_.panel : detail::panel_of(space_, rows, is_cholesky);
    }
    panel_ = std::max<index_t>(1, panel_);
}

template <array_space S>
bool block_elimination<S>::cholesky(view a)
{
    set_panel(a.rows, a.cols, true);
    if constexpr (S::on_host) {
        return cholesky(a, 0, a.cols);
    } else {
        synchronize(space_.exec);  // an elimination that was stopped may still be queued
        detail::start_definite_columns();
        const bool goes_on = cholesky(a, 0, a.cols);
        synchronize(space_.exec);
        return goes_on && !detail::definite_columns_failed();
    }
}

template <array_space S>
bool block_elimination<S>::cholesky(view a, index_t begin, index_t end)
{
    if constexpr (has_products) {
        if (end - begin > part_of(end - begin)) {
            const index_t middle = middle_of(begin, end), known = middle - begin;
            if (!cholesky(a, begin, middle)) {
                return false;
            }
            const view below = a.block(middle, begin, a.rows - middle, known);
            subtract_square(below, a.block(middle, middle, a.rows - middle, end - middle));
            return cholesky(a, middle, end);
        }
    }
    return cholesky_columns(a, begin, end);
}

template <array_space S>
bool block_elimination<S>::cholesky_columns(view a, index_t begin, index_t end)
    requires(S::on_host)
{
    const scalar zero = space_.make_scalar(0.0);
    const index_t m = a.rows;
    for (index_t k = begin; k < end; ++k) {
        io::ask_for_stop();
        const auto column = a.column(k);
        const scalar pivot = column.load(k);
        if (!(zero < pivot) || !is_finite(pivot)) {
            return false;
        }
        if constexpr (is_native) {
            detail::eliminate_definite_column(a.block(k, k, m - k, end - k));
        } else {
            const host_executor exec;
            const scalar root = sqrt(pivot), factor = space_.make_scalar(1.0) / root;
            column.store(k, root);
            const double work = detail::operations_of(space_) * static_cast<double>(m - k);
            detail::for_rows(k + 1, m, work,
                             [&](index_t from, index_t to) { blas::scal(exec, factor, column.part(from, to)); });
            detail::for_rows(k + 1, m, work * static_cast<double>(end - k), [&](index_t from, index_t to) {
                for (index_t j = k + 1; j < std::min(to, end); ++j) {
                    const index_t first = std::max(from, j);
                    blas::axpy(exec, -column.load(j), column.part(first, to), a.column(j).part(first, to));
                }
            });
        }
    }
    return true;
}

template <array_space S>
void block_elimination<S>::subtract_lower(view l, view v, view c)
    requires multiplied_number<typename S::element>
{
    if constexpr (is_native) {
        detail::subtract_lower(l, v, c);
    } else {
        const index_t parts = (c.cols + 4 * least_columns - 1) / (4 * least_columns);
        const index_t few = std::min(columns_at_once, parts * least_columns);  // of many columns an eighth is in vain
        const bool lower = S::on_host && l.cols >= panel_ && !options_.products.device;  // hardly any element is
        const index_t width = lower ? columns_at_once : few;
        for (index_t j = 0; j < c.cols; j += width) {
            const index_t cols = std::min(width, c.cols - j);
            subtract(l.block(j, 0, l.rows - j, l.cols), v.block(0, j, v.rows, cols), c.block(j, j, c.rows - j, cols),
                     lower);
        }
    }
}

template <array_space S>
void block_elimination<S>::subtract_square(view l, view c)
{
    if constexpr (is_native) {
        detail::subtract_lower(l, c);
    } else if constexpr (has_products) {
        typename S::matrix v = space_.make_matrix(l.cols, c.cols);
        if constexpr (S::on_host) {
            const double operations = static_cast<double>(l.cols * c.cols * precision_of(space_));
            blas::detail::parallel_ranges(c.cols, 1, operations, [&](index_t from, index_t to) {
                detail::transpose(l.block(from, 0, to - from, l.cols), v.view().block(0, from, l.cols, to - from));
            });
        } else {
            detail::transpose(space_.exec, l.block(0, 0, c.cols, l.cols), v.view());
        }
        subtract_lower(l, v.view(), c);
    } else {
        throw unsupported_error("RNS floats have no products of blocks");
    }
}

template <array_space S>
lu_pivots block_elimination<S>::lu(view a, index_t candidates, double threshold)
{
    set_panel(a.rows, a.cols, false);
    panel_ += options_.complex ? panel_ % 2 : 0;
    candidates_ = candidates;
    threshold_ = threshold;
    pivots_ = {.count = 0,
               .row_swap = std::vector<index_t>(static_cast<std::size_t>(a.cols)),
               .column = std::vector<index_t>(static_cast<std::size_t>(a.cols))};
    std::iota(pivots_.column.begin(), pivots_.column.end(), index_t{0});
    if constexpr (!S::on_host) {
        panel_memory_.threshold.emplace(space_.make_matrix(1, 1));
        blas::fill<element>(space_.exec, space_.make_scalar(threshold), panel_memory_.threshold->view().column(0));
    }
    for (index_t found = -1; found != 0 && pivots_.count < a.cols; pivots_.count += found) {
        const index_t begin = pivots_.count;
        found = lu(a, begin, a.cols);
        swap_rows(a.block(0, 0, a.rows, begin), begin, begin + found);
    }
    return pivots_;
}

template <array_space S>
index_t block_elimination<S>::lu(view a, index_t begin, index_t end)
{
    if constexpr (has_products) {
        if (end - begin > part_of(end - begin)) {
            const index_t middle = middle_of(begin, end), right = end - middle;
            const index_t left_found = lu(a, begin, middle);
            const index_t next = begin + left_found, left_over = middle - next;
            update(a, begin, next, middle, end);
            move_behind(a, next, left_over, end);
            const index_t right_found = lu(a, next, next + right);
            if (left_over > 0) {
                update(a, next, next + right_found, end - left_over, end);
            }
            swap_rows(a.block(0, begin, a.rows, left_found), next, next + right_found);
            return left_found + right_found;
        }
    }
    return lu_columns(a, begin, end);
}

template <array_space S>
index_t block_elimination<S>::lu_columns(view a, index_t begin, index_t end)
    requires(S::on_host)
{
    index_t k = begin;
    const index_t together = options_.complex ? 2 : 1;
    for (index_t last = end; k < last;) {
        io::ask_for_stop();
        if (!bring_pivot(a, k, begin, end)) {
            move_behind(a, k, together, last);
            last -= together;
            continue;
        }
        if constexpr (is_native) {
            detail::eliminate_column(a.block(k, k, a.rows - k, end - k));
        } else {
            const host_executor exec;
            const auto column = a.column(k);
            const scalar factor = space_.make_scalar(1.0) / column.load(k);
            auto pivot_row = space_.make_host_vector(end - k - 1);
            for (index_t j = k + 1; j < end; ++j) {
                pivot_row.view().store(j - k - 1, a.column(j).load(k));
            }
            const double work = detail::operations_of(space_) * static_cast<double>((a.rows - k) * (end - k));
            detail::for_rows(k + 1, a.rows, work, [&](index_t from, index_t to) {
                const auto below = column.part(from, to);
                blas::scal(exec, factor, below);
                blas::ger(exec, space_.make_scalar(-1.0), below, pivot_row.view(),
                          a.block(from, k + 1, to - from, end - k - 1));
            });
        }
        ++k;
    }
    return k - begin;
}

template <array_space S>
bool block_elimination<S>::bring_pivot(view a, index_t k, index_t begin, index_t end)
{
    if (options_.complex && k % 2 != 0) {  // makes_pair() has seen this one
        const index_t before = pivots_.row_swap[static_cast<std::size_t>(k - 1)];
        pivots_.row_swap[static_cast<std::size_t>(k)] = before > k ? before ^ 1 : k;
        swap_rows(a.block(0, begin, a.rows, end - begin), k, k + 1);
        return true;
    }
    const auto column = a.column(k);
    const index_t p = k + detail::place_of_largest(column.part(k, candidates_));
    const scalar largest = abs(column.load(p));
    if (largest == space_.make_scalar(0.0) || !is_finite(largest)) {
        return false;
    }
    if (threshold_ > 0.0 && candidates_ < a.rows) {
        const auto others = column.part(candidates_, a.rows);
        const scalar other = abs(others.load(detail::place_of_largest(others)));
        if (largest < space_.make_scalar(threshold_) * other) {
            return false;
        }
    }
    if (options_.complex && !detail::makes_pair<element>(a, k, p)) {
        return false;
    }
    pivots_.row_swap[static_cast<std::size_t>(k)] = p;
    swap_rows(a.block(0, begin, a.rows, end - begin), k, k + 1);
    return true;
}

template <array_space S>
void block_elimination<S>::move_behind(view a, index_t begin, index_t count, index_t end)
{
    if (count == 0 || begin + count == end) {
        return;
    }
    const executor exec = space_.exec;
    const index_t cols = end - begin;
    auto held = space_.make_matrix(a.rows, cols);
    for (index_t j = 0; j < cols; ++j) {
        blas::copy(exec, a.column(begin + j), held.view().column(j));
    }
    for (index_t j = 0; j < cols; ++j) {
        blas::copy(exec, std::as_const(held).view().column((j + count) % cols), a.column(begin + j));
    }
    const auto first = pivots_.column.begin() + begin;
    std::rotate(first, first + count, pivots_.column.begin() + end);
}

template <array_space S>
void block_elimination<S>::swap_rows(view x, const std::vector<index_t>& row_swap, index_t begin, index_t end)
    requires(S::on_host)
{
    const double operations = 2.0 * static_cast<double>((end - begin) * x.cols * precision_of(space_));
    blas::detail::parallel_ranges(x.cols, 1, operations, [&](index_t from, index_t to) {
        for (index_t j = from; j < to; ++j) {
            detail::swap_elements<element>(x.column(j), row_swap, begin, end);
        }
    });
}

template <array_space S>
void block_elimination<S>::update(view a, index_t begin, index_t end, index_t first, index_t last)
    requires multiplied_number<typename S::element>
{
    const index_t known = end - begin, below = a.rows - end;
    swap_rows(a.block(0, first, a.rows, last - first), begin, end);
    solve_unit_lower(a.block(begin, begin, known, known), a.block(begin, first, known, last - first));
    for (index_t j = first; j < last; j += columns_at_once) {
        const index_t cols = std::min(columns_at_once, last - j);
        subtract(a.block(end, begin, below, known), a.block(begin, j, known, cols), a.block(end, j, below, cols));
    }
}

template <array_space S>
void block_elimination<S>::lu_beyond(view a, const lu_pivots& pivots, view r, view c)
{
    if constexpr (has_products) {
        pivots_ = pivots;
        const index_t k = pivots.count;
        const view u = r.block(0, 0, k, r.cols);
        swap_rows(r, 0, k);
        solve_unit_lower(a.block(0, 0, k, k), u);
        for (index_t j = 0; j < r.cols; j += columns_at_once) {
            const index_t cols = std::min(columns_at_once, r.cols - j);
            const view u_part = u.block(0, j, k, cols);
            subtract(a.block(k, 0, r.rows - k, k), u_part, r.block(k, j, r.rows - k, cols));
            subtract(a.block(r.rows, 0, c.rows, k), u_part, c.block(0, j, c.rows, cols));
        }
    } else {
        throw unsupported_error("RNS floats have no products of blocks");
    }
}

template <array_space S>
void block_elimination<S>::subtract(view l, view u, view c, bool lower)
    requires multiplied_number<typename S::element>
{
    detail::block_products<S> products(space_, options_.products, panel_);
    products.subtract(l, u, c, lower);
    products_on_device_ += products.on_device();
}

template <array_space S>
void block_elimination<S>::solve_unit_lower(view l, view x)
    requires multiplied_number<typename S::element>
{
    const index_t rows = x.rows;
    if (rows == 0 || x.cols == 0) {
        return;
    }
    if constexpr (is_native) {
        detail::solve_unit_lower(l, x);
    } else if constexpr (!S::on_host) {
        if (rows <= std::min(panel_, detail::most_triangle_rows<element>)) {
            detail::solve_unit_lower(space_.exec, l, part_of(rows), x);
        } else {
            solve_unit_lower_by_halves(l, x);
        }
    } else if (rows > part_of(rows)) {
        solve_unit_lower_by_halves(l, x);
    } else {
        const host_executor exec;
        typename S::matrix transposed = space_.make_matrix(x.cols, rows);  // columns of many numbers, not of a few
        const double work = detail::operations_of(space_) * static_cast<double>(rows * rows * x.cols) / 2.0;
        const auto solve = [&](index_t from, index_t to) {
            const view some = x.block(0, from, rows, to - from);
            const view x_t = transposed.view().block(from, 0, to - from, rows);
            detail::transpose(some, x_t);
            for (index_t k = 0; k < rows; ++k) {
                io::ask_for_stop();
                for (index_t i = k + 1; i < rows; ++i) {
                    blas::axpy(exec, -l.column(k).load(i), x_t.column(k), x_t.column(i));
                }
            }
            detail::transpose(x_t, some);
        };
        blas::detail::parallel_ranges(x.cols, least_columns, work, solve);
    }
}

template <array_space S>
void block_elimination<S>::solve_unit_lower_by_halves(view l, view x)
    requires multiplied_number<typename S::element>
{
    const index_t rows = x.rows, middle = middle_of(0, rows), rest = rows - middle;
    const view top = x.block(0, 0, middle, x.cols), bottom = x.block(middle, 0, rest, x.cols);
    solve_unit_lower(l.block(0, 0, middle, middle), top);
    subtract(l.block(middle, 0, rest, middle), top, bottom);
    solve_unit_lower(l.block(middle, middle, rest, rest), bottom);
}

#define RESIDUA_INSTANTIATE(...) template class block_elimination<host_space<__VA_ARGS__>>;
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
RESIDUA_INSTANTIATE(float)
template class block_elimination<multidigit_space<host_executor>>;
template class block_elimination<rns_space<host_executor>>;

#if defined(RESIDUA_CUDA)
#define RESIDUA_INSTANTIATE_ON_DEVICE(...)                                                                            \
    template block_elimination<__VA_ARGS__>::block_elimination(const __VA_ARGS__&, const elimination_options&);       \
    template bool block_elimination<__VA_ARGS__>::cholesky(block_elimination<__VA_ARGS__>::view);                     \
    template void block_elimination<__VA_ARGS__>::subtract_square(block_elimination<__VA_ARGS__>::view,               \
                                                                  block_elimination<__VA_ARGS__>::view);              \
    template lu_pivots block_elimination<__VA_ARGS__>::lu(block_elimination<__VA_ARGS__>::view, index_t, double);     \
    template void block_elimination<__VA_ARGS__>::lu_beyond(block_elimination<__VA_ARGS__>::view, const lu_pivots&,   \
                                                            block_elimination<__VA_ARGS__>::view,                     \
                                                            block_elimination<__VA_ARGS__>::view);                    \
    template ldl_pivots block_elimination<__VA_ARGS__>::ldl(block_elimination<__VA_ARGS__>::view, double);            \
    template void block_elimination<__VA_ARGS__>::ldl_beyond(block_elimination<__VA_ARGS__>::view, const ldl_pivots&, \
                                                             block_elimination<__VA_ARGS__>::view);
RESIDUA_FOR_EACH_DEVICE_SPACE(RESIDUA_INSTANTIATE_ON_DEVICE)
#endif

}  // namespace residua
