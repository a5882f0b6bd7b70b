#include <residua/solvers/dense_direct/complex_elimination.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/io/interruption.hpp>
#include <residua/solvers/dense_direct/block_product.hpp>
#include <residua/solvers/dense_direct/complex_elimination_form.hpp>
#include <residua/solvers/dense_direct/elements.hpp>
#include <residua/solvers/space/blas_space.hpp>

namespace residua {
namespace {

/// Y <- Y + a X
template <class S, class E>
void add_multiple(const S& space, double a, matrix_view<host_executor, const E> x, matrix_view<host_executor, E> y)
{
    const double work = detail::operations_of(space) * static_cast<double>(x.rows) * static_cast<double>(x.cols);
    const auto factor = space.make_scalar(a);
    blas::detail::parallel_ranges(x.cols, 1, work, [&](index_t from, index_t to) {
        for (index_t j = from; j < to; ++j) {
            blas::axpy(host_executor{}, factor, x.column(j), y.column(j));
        }
    });
}

/// Y <- a X
template <class S, class E>
void store_multiple(const S& space, double a, matrix_view<host_executor, const E> x, matrix_view<host_executor, E> y)
{
    for (index_t j = 0; j < x.cols; ++j) {
        blas::copy(host_executor{}, x.column(j), y.column(j));
        if (a != 1.0) {
            blas::scal(host_executor{}, space.make_scalar(a), y.column(j));
        }
    }
}

/// Z <- a X + b Y
template <class S, class E>
void store_sum(const S& space, double a, matrix_view<host_executor, const E> x, double b,
               matrix_view<host_executor, const E> y, matrix_view<host_executor, E> z)
{
    store_multiple<S, E>(space, a, x, z);
    add_multiple<S, E>(space, b, y, z);
}

}  // namespace

template <array_space S>
    requires(S::on_host)
auto complex_elimination<S>::take(view k, bool is_cholesky) -> parts
{
    const index_t n = k.cols / 2;
    panel_ = std::max<index_t>(n, 1);
    if constexpr (multiplied_number<element>) {
        panel_ = options_.panel > 0 ? options_.panel : detail::panel_of(space_, n, is_cholesky);
    }
    const double work = 4.0 * static_cast<double>(n) * static_cast<double>(n);
    blas::detail::parallel_ranges(n, 1, work, [&](index_t from, index_t to) {
        for (index_t j = from; j < to; ++j) {
            const index_t first = is_cholesky ? j : 0;
            const auto column = k.column(2 * j);
            detail::copy_spread<element>(n - first, {column, 2 * first + 1, 2}, {k.column(2 * j + 1), first, 1});
            detail::copy_spread<element>(n - first, {column, 2 * first, 2}, {column, first, 1});
        }
    });
    return parts(k.block(0, 0, n, 2 * n));
}

template <array_space S>
    requires(S::on_host)
bool complex_elimination<S>::cholesky(view k)
{
    const parts a = take(k, true);
    const bool made = cholesky(a, 0, a.cols());
    if (made) {
        give_lower(k, a);
    }
    return made;
}

template <array_space S>
    requires(S::on_host)
lu_pivots complex_elimination<S>::lu(view k)
{
    const parts a = take(k, false);
    const index_t n = a.cols();
    row_swap_.assign(static_cast<std::size_t>(n), 0);
    count_ = 0;
    lu_pivots pivots{.row_swap = {}, .column = std::vector<index_t>(static_cast<std::size_t>(2 * n))};
    std::iota(pivots.column.begin(), pivots.column.end(), index_t{0});
    if (lu(a, 0, n)) {
        pivots.row_swap = swaps_of(give_factors(k, a, order_of(row_swap_)));
    }
    pivots.count = 2 * count_;
    return pivots;
}

template <array_space S>
    requires(S::on_host)
bool complex_elimination<S>::cholesky(parts a, index_t begin, index_t end)
{
    if constexpr (multiplied_number<element>) {
        if (end - begin > detail::part_of(end - begin, panel_)) {
            const index_t middle = detail::middle_of(begin, end, panel_), known = middle - begin;
            if (!cholesky(a, begin, middle)) {
                return false;
            }
            matrix transposed = space_.make_matrix(known, 2 * (end - middle));
            const parts v(transposed.view());  // L', conjugated, of the rows that are columns
            const parts some = a.block(middle, begin, end - middle, known);
            detail::transpose(some.re, v.re);
            detail::transpose(some.im, v.im);
            for (index_t j = 0; j < v.cols(); ++j) {
                blas::scal(host_executor{}, space_.make_scalar(-1.0), v.im.column(j));
            }
            const bool wide = is_native || (known >= panel_ && !options_.products.device);
            const index_t below = a.rows() - middle;
            subtract(a.block(middle, begin, below, known), v, a.block(middle, middle, below, end - middle),
                     wide ? columns_at_once : 4 * detail::least_columns, true);
            return cholesky(a, middle, end);
        }
    }
    return cholesky_columns(a, begin, end);
}

template <array_space S>
    requires(S::on_host)
bool complex_elimination<S>::cholesky_columns(parts a, index_t begin, index_t end)
{
    const host_executor exec;
    const scalar zero = space_.make_scalar(0.0);
    const index_t m = a.rows();
    for (index_t k = begin; k < end; ++k) {
        io::ask_for_stop();
        const auto re = a.re.column(k), im = a.im.column(k);
        const scalar pivot = re.load(k);
        if (!(zero < pivot) || !is_finite(pivot)) {
            return false;
        }
        const scalar root = sqrt(pivot), factor = space_.make_scalar(1.0) / root;
        re.store(k, root);
        im.store(k, zero);
        const double work = 2.0 * detail::operations_of(space_) * static_cast<double>(m - k);
        detail::for_rows(k + 1, m, work, [&](index_t from, index_t to) {
            blas::scal(exec, factor, re.part(from, to));
            blas::scal(exec, factor, im.part(from, to));
        });
        auto re_row = space_.make_host_vector(end - k - 1), im_row = space_.make_host_vector(end - k - 1);
        blas::copy(exec, re.part(k + 1, end), re_row.view());
        blas::copy(exec, im.part(k + 1, end), im_row.view());
        blas::scal(exec, space_.make_scalar(-1.0), im_row.view());
        detail::for_rows(k + 1, m, 2.0 * work * static_cast<double>(end - k), [&](index_t from, index_t to) {
            for (index_t j = k + 1; j < std::min(to, end); ++j) {
                const index_t first = std::max(from, j);
                subtract_outer({re.part(first, to), im.part(first, to)},
                               {re_row.view().part(j - k - 1, j - k), im_row.view().part(j - k - 1, j - k)},
                               a.block(first, j, to - first, 1));
            }
        });
    }
    return true;
}

template <array_space S>
    requires(S::on_host)
bool complex_elimination<S>::lu(parts a, index_t begin, index_t end)
{
    if constexpr (multiplied_number<element>) {
        if (end - begin > detail::part_of(end - begin, panel_)) {
            const index_t middle = detail::middle_of(begin, end, panel_);
            const index_t known = middle - begin, right = end - middle, below = a.rows() - middle;
            if (!lu(a, begin, middle)) {
                return false;
            }
            swap_rows(a.block(0, middle, a.rows(), right), begin, middle);
            solve_unit_lower(a.block(begin, begin, known, known), a.block(begin, middle, known, right));
            subtract(a.block(middle, begin, below, known), a.block(begin, middle, known, right),
                     a.block(middle, middle, below, right));
            if (!lu(a, middle, end)) {
                return false;
            }
            swap_rows(a.block(0, begin, a.rows(), known), middle, end);
            return true;
        }
    }
    return lu_columns(a, begin, end);
}

template <array_space S>
    requires(S::on_host)
bool complex_elimination<S>::lu_columns(parts a, index_t begin, index_t end)
{
    const host_executor exec;
    const scalar one = space_.make_scalar(1.0);
    for (index_t k = begin; k < end; ++k) {
        io::ask_for_stop();
        if (!bring_pivot(a, k, begin, end)) {
            return false;
        }
        const auto re = a.re.column(k), im = a.im.column(k);
        const complex_number<scalar> factor = one / complex_number<scalar>(re.load(k), im.load(k));
        const index_t others = end - k - 1;
        auto re_row = space_.make_host_vector(others), im_row = space_.make_host_vector(others);
        for (index_t j = 0; j < others; ++j) {
            re_row.view().store(j, a.re.column(k + 1 + j).load(k));
            im_row.view().store(j, a.im.column(k + 1 + j).load(k));
        }
        const double work = 4.0 * detail::operations_of(space_) * static_cast<double>((a.rows() - k) * (end - k));
        detail::for_rows(k + 1, a.rows(), work, [&](index_t from, index_t to) {
            const auto x = re.part(from, to), y = im.part(from, to);
            auto held = space_.make_host_vector(to - from);
            blas::copy(exec, x, held.view());
            blas::scal(exec, factor.real(), x);
            blas::axpy(exec, -factor.imag(), y, x);
            blas::scal(exec, factor.real(), y);
            blas::axpy(exec, factor.imag(), held.view(), y);
            subtract_outer({x, y}, {re_row.view(), im_row.view()}, a.block(from, k + 1, to - from, others));
        });
        ++count_;
    }
    return true;
}

template <array_space S>
    requires(S::on_host)
bool complex_elimination<S>::bring_pivot(parts a, index_t k, index_t begin, index_t end)
{
    const auto re = a.re.column(k), im = a.im.column(k);
    const index_t m = a.rows();
    const index_t by_re = k + detail::place_of_largest(re.part(k, m)),
                  by_im = k + detail::place_of_largest(im.part(k, m));
    const scalar largest_re = abs(re.load(by_re)), largest_im = abs(im.load(by_im));
    const index_t p = largest_re < largest_im ? by_im : by_re;
    const scalar& largest = largest_re < largest_im ? largest_im : largest_re;
    if (largest == space_.make_scalar(0.0) || !is_finite(largest_re) || !is_finite(largest_im)) {
        return false;
    }
    row_swap_[static_cast<std::size_t>(k)] = p;
    swap_rows(a.block(0, begin, a.rows(), end - begin), k, k + 1);
    return true;
}

template <array_space S>
    requires(S::on_host)
void complex_elimination<S>::swap_rows(parts x, index_t begin, index_t end)
{
    const double work = 4.0 * static_cast<double>((end - begin) * x.cols() * precision_of(space_));
    blas::detail::parallel_ranges(x.cols(), 1, work, [&](index_t from, index_t to) {
        for (index_t j = from; j < to; ++j) {
            detail::swap_elements<element>(x.re.column(j), row_swap_, begin, end);
            detail::swap_elements<element>(x.im.column(j), row_swap_, begin, end);
        }
    });
}

template <array_space S>
    requires(S::on_host)
void complex_elimination<S>::solve_unit_lower(parts l, parts x)
{
    const index_t rows = x.rows(), cols = x.cols();
    if (rows == 0 || cols == 0) {
        return;
    }
    if (rows > detail::part_of(rows, panel_)) {
        const index_t middle = detail::middle_of(0, rows, panel_), rest = rows - middle;
        const parts top = x.block(0, 0, middle, cols), bottom = x.block(middle, 0, rest, cols);
        solve_unit_lower(l.block(0, 0, middle, middle), top);
        subtract(l.block(middle, 0, rest, middle), top, bottom);
        solve_unit_lower(l.block(middle, middle, rest, rest), bottom);
        return;
    }
    matrix transposed = space_.make_matrix(cols, 2 * rows);  // columns of many numbers, not of a few
    const double work = 2.0 * detail::operations_of(space_) * static_cast<double>(rows * rows * cols);
    blas::detail::parallel_ranges(cols, detail::least_columns, work, [&](index_t from, index_t to) {
        const parts some = x.block(0, from, rows, to - from);
        const parts t = parts(transposed.view()).block(from, 0, to - from, rows);
        detail::transpose(some.re, t.re);
        detail::transpose(some.im, t.im);
        for (index_t k = 0; k < rows; ++k) {
            io::ask_for_stop();
            subtract_outer({t.re.column(k), t.im.column(k)},
                           {l.re.column(k).part(k + 1, rows), l.im.column(k).part(k + 1, rows)},
                           t.block(0, k + 1, to - from, rows - k - 1));
        }
        detail::transpose(t.re, some.re);
        detail::transpose(t.im, some.im);
    });
}

template <array_space S>
    requires(S::on_host)
void complex_elimination<S>::subtract_outer(const column_parts& x, const column_parts& y, parts c)
{
    for (index_t j = 0; j < c.cols(); ++j) {
        const auto c_re = c.re.column(j), c_im = c.im.column(j);
        const scalar re = y.re.load(j), im = y.im.load(j);
        if constexpr (is_native) {
            detail::subtract_complex_multiple(c.rows(), re, im, x.re.data(), x.im.data(), c_re.data(), c_im.data());
        } else {
            const host_executor exec;
            blas::axpy(exec, -re, x.re, c_re);
            blas::axpy(exec, im, x.im, c_re);
            blas::axpy(exec, -re, x.im, c_im);
            blas::axpy(exec, -im, x.re, c_im);
        }
    }
}

template <array_space S>
    requires(S::on_host)
void complex_elimination<S>::store_form(parts u, view form)
{
    const index_t terms = u.rows();
    for (index_t j = 0; j < u.cols(); ++j) {
        const auto left = form.column(2 * j), right = form.column(2 * j + 1);
        detail::copy_spread<element>(terms, {u.im.column(j), 0, 1}, {left, 1, 2});
        blas::scal(host_executor{}, space_.make_scalar(-1.0), left);
        detail::copy_spread<element>(terms, {u.re.column(j), 0, 1}, {left, 0, 2});
        detail::copy_spread<element>(terms, {u.im.column(j), 0, 1}, {right, 0, 2});
        detail::copy_spread<element>(terms, {u.re.column(j), 0, 1}, {right, 1, 2});
    }
}

template <array_space S>
    requires(S::on_host)
void complex_elimination<S>::subtract(parts l, parts u, parts c, index_t width, bool lower)
{
    if (c.rows() == 0 || c.cols() == 0 || l.cols() == 0) {
        return;
    }
    const index_t terms = l.cols();
    const bool by_three = terms >= std::min(least_terms_of_three, panel_);
    const bool one_triangle = lower && width == columns_at_once;  // of what is wide
    matrix l_sum = space_.make_matrix(by_three ? l.rows() : 0, terms);
    if (by_three) {
        store_sum<S, element>(space_, 1.0, l.re, 1.0, l.im, l_sum.view());
    }
    const auto subtract_columns = [&](detail::block_products<S>& products, index_t from, index_t to) {
        const index_t most = std::min(width, to - from);
        matrix of_u = space_.make_matrix(by_three ? terms : 2 * terms, by_three ? most : 2 * most);
        for (index_t j = from; j < to; j += width) {
            const index_t cols = std::min(width, to - j), top = lower ? j : 0, rows = c.rows() - top;
            const parts part = c.block(top, j, rows, cols), l_part = l.block(top, 0, rows, terms);
            const parts u_part = u.block(0, j, terms, cols);
            if (!by_three) {
                const view form = of_u.view().block(0, 0, 2 * terms, 2 * cols);
                store_form(u_part, form);
                products.subtract(l_part.both(), form, part.both());
                continue;
            }
            const view other = of_u.view().block(0, 0, terms, cols);
            const view l_sums = l_sum.view().block(top, 0, rows, terms);
            const matrix product = products.multiply(l_sums, u_part.re, one_triangle);
            add_multiple<S, element>(space_, -1.0, product.view(), part.re);
            add_multiple<S, element>(space_, -1.0, product.view(), part.im);
            store_sum<S, element>(space_, -1.0, u_part.re, -1.0, u_part.im, other);
            products.subtract(l_part.im, other, part.re, one_triangle);
            store_sum<S, element>(space_, -1.0, u_part.re, 1.0, u_part.im, other);
            products.subtract(l_part.re, other, part.im, one_triangle);
        }
    };
    detail::block_products<S> products(space_, options_.products, panel_);
    if constexpr (is_native) {  // columns of each thread stay in its cache
        const double work = 3.0 * static_cast<double>(c.rows() * c.cols()) * static_cast<double>(terms);
        blas::detail::parallel_ranges(c.cols(), width, work,
                                      [&](index_t from, index_t to) { subtract_columns(products, from, to); });
    } else {
        subtract_columns(products, 0, c.cols());
    }
    products_on_device_ += products.on_device();
}

#define RESIDUA_INSTANTIATE(...) template class complex_elimination<host_space<__VA_ARGS__>>;
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
template class complex_elimination<multidigit_space<host_executor>>;
template class complex_elimination<rns_space<host_executor>>;

}  // namespace residua
