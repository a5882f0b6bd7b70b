#include <residua/solvers/methods/direct.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level1/axpy.hpp>
#include <residua/blas/level1/scal.hpp>
#include <residua/blas/level2/ger.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/blas/multidigit/dense.hpp>
#include <residua/blas/multidigit/run.hpp>
#include <residua/blas/rns/level2.hpp>
#include <residua/solvers/base/tuning_table.hpp>
#include <residua/solvers/space/block_product.hpp>
#include <residua/solvers/space/expansion_space.hpp>
#include <residua/solvers/space/format_space.hpp>

namespace residua {
namespace {

using detail::block;

constexpr index_t columns_at_once = 512;  // of one product, so that stop() is asked now and then

template <class E>
using column_view = vector_view<host_executor, E>;

/// Elements begin, ..., end - 1 of a column.
template <number T>
column_view<T> part(column_view<T> x, index_t begin, index_t end)
{
    return {x.data + begin, end - begin, x.plane_stride};
}
template <run_time_format T>
column_view<T> part(column_view<T> x, index_t begin, index_t end)
{
    return x.part(begin, end);
}

template <number T>
void swap_elements(column_view<T> x, index_t i, index_t j)
{
    const T x_i = x.load(i);
    x.store(i, x.load(j));
    x.store(j, x_i);
}
template <run_time_format T>
void swap_elements(column_view<T> x, index_t i, index_t j)
{
    residua::vector<host_executor, T> held(x.format, 1);
    const host_executor exec;
    const auto x_i = part(x, i, i + 1), x_j = part(x, j, j + 1);
    blas::copy(exec, x_i, held.view());
    blas::copy(exec, x_j, x_i);
    blas::copy(exec, held.view(), x_j);
}

void swap_elements(column_view<multidigit> x, index_t i, index_t j)
{
    std::uint32_t* const x_i = x.start.number(i * x.stride);
    std::uint32_t* const x_j = x.start.number(j * x.stride);
    for (int k = 0; k <= x.start.digits * residua::detail::words_apart; k += residua::detail::words_apart) {
        std::swap(x_i[k], x_j[k]);
    }
}

/// The place of the largest |x_i|, the first of them; n > 0.
template <class E>
index_t place_of_largest(column_view<E> x)
{
    index_t place = 0;
    auto largest = abs(x.load(0));
    for (index_t i = 1; i < x.size; ++i) {
        auto candidate = abs(x.load(i));
        if (largest < candidate) {
            largest = std::move(candidate);
            place = i;
        }
    }
    return place;
}
/// The first terms, each within two of its ulps of the number, tell which is larger unless they are neighbours.
template <number E>
    requires(number_traits<E>::terms > 1)
index_t place_of_largest(column_view<E> x)
{
    index_t place = 0;
    double largest = std::abs(x.data[0]);
    for (index_t i = 1; i < x.size; ++i) {
        const double candidate = std::abs(x.data[i]);
        const double near = 0x1p-50 * largest;
        if (candidate > largest + near || (candidate >= largest - near && abs(x.load(place)) < abs(x.load(i)))) {
            largest = candidate;
            place = i;
        }
    }
    return place;
}
index_t place_of_largest(column_view<multidigit> x)
{
    return blas::detail::place_of_largest(host_executor{}, {x.start, x.stride}, x.size);
}

/// B <- A'
template <number T>
void transpose(matrix_view<host_executor, T> a, matrix_view<host_executor, T> b)
{
    for (index_t j = 0; j < a.cols; ++j) {
        for (index_t i = 0; i < a.rows; ++i) {
            b.column(i).store(j, a.column(j).load(i));
        }
    }
}
template <run_time_format T>
void transpose(matrix_view<host_executor, T> a, matrix_view<host_executor, T> b)
{
    for (index_t i = 0; i < a.rows; ++i) {
        blas::copy(host_executor{}, a.row(i), b.column(i));
    }
}

/// With how many columns products are exact, by the tuning table.
template <class S>
index_t panel_of(const S& space, index_t n, bool cholesky)
{
    const long bits = precision_of(space);
    const tuning::panel_row* row = &tuning::row_of(tuning::multidigit_panels, bits);
    if constexpr (number<typename S::element>) {
        row = &tuning::row_of(tuning::expansion_panels, bits);
    }
    return n >= (cholesky ? row->least_cholesky : row->least_lu) ? row->panel : n;
}

}  // namespace

template <array_space S>
dense_factors<S>::dense_factors(const S& space, matrix a, bool symmetric, const std::function<bool()>& stop,
                                index_t panel, const product_place& products)
    : space_(space), a_(std::move(a)), stop_(stop), products_(products)
{
    const index_t n = a_.cols();
    const auto factorize_all = [&](bool cholesky) {
        cholesky_ = cholesky;
        panel_ = std::max<index_t>(1, !has_products ? n : panel > 0 ? panel : panel_of(space_, n, cholesky));
        return factorize(0, n);
    };
    if (symmetric) {
        matrix original = a_;
        if (factorize_all(true) || interrupted_) {
            return;
        }
        a_ = std::move(original);
    }
    pivot_.resize(static_cast<std::size_t>(n));
    factorize_all(false);
}

template <array_space S>
bool dense_factors<S>::is_stopped()
{
    interrupted_ = interrupted_ || (stop_ && stop_());
    return interrupted_;
}

template <array_space S>
bool dense_factors<S>::factorize(index_t begin, index_t end)
{
    if constexpr (has_products) {
        if (end - begin > part_of(end - begin)) {
            const index_t middle = middle_of(begin, end);
            if (!factorize(begin, middle) || !update(begin, middle, end) || !factorize(middle, end)) {
                return false;
            }
            if (!cholesky_) {
                swap_rows(middle, end, begin, middle);
            }
            return true;
        }
    }
    return cholesky_ ? factorize_cholesky(begin, end) : factorize_lu(begin, end);
}

template <array_space S>
bool dense_factors<S>::factorize_cholesky(index_t begin, index_t end)
{
    const host_executor exec;
    const scalar zero = space_.make_scalar(0.0);
    const scalar one = space_.make_scalar(1.0);
    const auto a = a_.view();
    const index_t n = a.cols;
    for (index_t k = begin; k < end; ++k) {
        if (is_stopped()) {
            return false;
        }
        const auto column = a.column(k);
        const scalar pivot = column.load(k);
        if (!(zero < pivot) || !is_finite(pivot)) {
            return false;
        }
        const scalar root = sqrt(pivot);
        column.store(k, root);
        const auto below = part(column, k + 1, n);
        blas::scal(exec, one / root, below);
        const double work = detail::operations_of(space_) * static_cast<double>((n - k) * (end - k));
#pragma omp parallel for schedule(dynamic, 1) num_threads(blas::detail::threads_for(work))
        for (index_t j = k + 1; j < end; ++j) {
            blas::axpy(exec, -below.load(j - k - 1), part(column, j, n), part(a.column(j), j, n));
        }
    }
    return true;
}

template <array_space S>
bool dense_factors<S>::factorize_lu(index_t begin, index_t end)
{
    const host_executor exec;
    const scalar zero = space_.make_scalar(0.0);
    const scalar one = space_.make_scalar(1.0);
    const auto a = a_.view();
    const index_t n = a.cols;
    for (index_t k = begin; k < end; ++k) {
        if (is_stopped()) {
            return false;
        }
        const auto column = a.column(k);
        const index_t p = k + place_of_largest(part(column, k, n));
        const scalar largest = abs(column.load(p));
        pivot_[k] = p;
        if (largest == zero || !is_finite(largest)) {
            failure_ =
                "no usable pivot in column " + std::to_string(k + 1) + ": the matrix is singular to working precision";
            return false;
        }
        swap_rows(k, k + 1, begin, end);
        blas::scal(exec, one / column.load(k), part(column, k + 1, n));
        vector pivot_row = space_.make_vector(end - k - 1);
        for (index_t j = k + 1; j < end; ++j) {
            pivot_row.view().store(j - k - 1, a.column(j).load(k));
        }
        blas::ger(exec, space_.make_scalar(-1.0), part(column, k + 1, n), pivot_row.view(),
                  block(a, k + 1, k + 1, n - k - 1, end - k - 1));
    }
    return true;
}

template <array_space S>
void dense_factors<S>::swap_rows(index_t begin, index_t end, index_t first, index_t last)
{
    const auto a = a_.view();
    const double operations = 2.0 * static_cast<double>((end - begin) * (last - first) * precision_of(space_)) / 32.0;
    blas::detail::parallel_ranges(last - first, 1, operations, [&](index_t from, index_t to) {
        for (index_t j = first + from; j < first + to; ++j) {
            for (index_t k = begin; k < end; ++k) {
                if (pivot_[k] != k) {
                    swap_elements(a.column(j), k, pivot_[k]);
                }
            }
        }
    });
}

template <array_space S>
bool dense_factors<S>::update(index_t begin, index_t middle, index_t end)
    requires has_products
{
    const auto a = a_.view();
    const index_t n = a.cols;
    const index_t known = middle - begin;
    matrix rows = space_.make_matrix(cholesky_ ? known : 0, cholesky_ ? end - middle : 0);  // L21', to its diagonal
    index_t width = columns_at_once;
    if (cholesky_) {
        transpose(block(a, middle, begin, end - middle, known), rows.view());
        const index_t parts = (end - middle + 4 * least_columns - 1) / (4 * least_columns);
        width = std::min(width, parts * least_columns);  // of many columns, an eighth is computed in vain
    } else {
        swap_rows(begin, middle, middle, end);
        solve_unit_lower(begin, middle, middle, end);
    }
    for (index_t j = middle; j < end; j += width) {
        if (is_stopped()) {
            return false;
        }
        const index_t cols = std::min(width, end - j);
        const index_t top = cholesky_ ? j : middle;
        subtract(block(a, top, begin, n - top, known),
                 cholesky_ ? block(rows.view(), 0, j - middle, known, cols) : block(a, begin, j, known, cols),
                 block(a, top, j, n - top, cols));
    }
    return true;
}

template <array_space S>
void dense_factors<S>::subtract(block_view l, block_view u, block_view c)
    requires has_products
{
    if (l.cols < panel_) {
        detail::subtract_sums<S, element>(space_, l, u, c);
    } else if (detail::subtract_product<S, element>(space_, products_, l, u, c)) {
        ++products_on_device_;
    }
}

template <array_space S>
void dense_factors<S>::solve_unit_lower(index_t begin, index_t end, index_t first, index_t last)
    requires has_products
{
    const auto a = a_.view();
    const index_t rows = end - begin;
    if (rows > part_of(rows)) {
        const index_t middle = middle_of(begin, end);
        solve_unit_lower(begin, middle, first, last);
        subtract(block(a, middle, begin, end - middle, middle - begin),
                 block(a, begin, first, middle - begin, last - first),
                 block(a, middle, first, end - middle, last - first));
        solve_unit_lower(middle, end, first, last);
        return;
    }
    const host_executor exec;
    matrix transposed = space_.make_matrix(last - first, rows);  // columns of many numbers, not of a few
    const double work = detail::operations_of(space_) * static_cast<double>(rows * rows * (last - first)) / 2.0;
    blas::detail::parallel_ranges(last - first, least_columns, work, [&](index_t from, index_t to) {
        const auto part = block(a, begin, first + from, rows, to - from);
        const auto x = block(transposed.view(), from, 0, to - from, rows);
        transpose(part, x);
        for (index_t k = 0; k < rows; ++k) {
            for (index_t i = k + 1; i < rows; ++i) {
                blas::axpy(exec, -a.column(begin + k).load(begin + i), x.column(k), x.column(i));
            }
        }
        transpose(x, part);
    });
}

template <array_space S>
void dense_factors<S>::solve(vector& x, bool transposed) const
{
    const host_executor exec;
    const auto a = a_.view();
    const auto v = x.view();
    if (cholesky_) {
        blas::trsv(exec, blas::uplo::lower, blas::diag::non_unit, a, v, v);
        blas::trsv_t(exec, blas::uplo::lower, blas::diag::non_unit, a, v, v);
        return;
    }
    const index_t n = a.cols;
    if (!transposed) {
        for (index_t k = 0; k < n; ++k) {
            swap_elements(v, k, pivot_[k]);
        }
        blas::trsv(exec, blas::uplo::lower, blas::diag::unit, a, v, v);
        blas::trsv(exec, blas::uplo::upper, blas::diag::non_unit, a, v, v);
    } else {
        blas::trsv_t(exec, blas::uplo::upper, blas::diag::non_unit, a, v, v);
        blas::trsv_t(exec, blas::uplo::lower, blas::diag::unit, a, v, v);
        for (index_t k = n - 1; k >= 0; --k) {
            swap_elements(v, k, pivot_[k]);
        }
    }
}

#define RESIDUA_INSTANTIATE(...) template class dense_factors<host_space<__VA_ARGS__>>;
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
template class dense_factors<multidigit_space<host_executor>>;
template class dense_factors<rns_space<host_executor>>;

}  // namespace residua
