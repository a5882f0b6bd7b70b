#include <residua/solvers/direct.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/axpy.hpp>
#include <residua/blas/level1/scal.hpp>
#include <residua/blas/level2/ger.hpp>
#include <residua/blas/level2/trsv.hpp>
#include <residua/blas/multidigit/dense.hpp>
#include <residua/blas/rns/level2.hpp>
#include <residua/solvers/base/expansion_space.hpp>
#include <residua/solvers/base/format_space.hpp>

namespace residua {
namespace {

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

/// Rows and columns k, k + 1, ...
template <number T>
matrix_view<host_executor, T> trailing(matrix_view<host_executor, T> a, index_t k)
{
    return {a.data + k * a.ld + k, a.rows - k, a.cols - k, a.ld, a.plane_stride};
}
template <run_time_format T>
matrix_view<host_executor, T> trailing(matrix_view<host_executor, T> a, index_t k)
{
    return a.block(k, k, a.rows - k, a.cols - k);
}

template <class E>
void swap_elements(column_view<E> x, index_t i, index_t j)
{
    const auto x_i = x.load(i);
    x.store(i, x.load(j));
    x.store(j, x_i);
}

}  // namespace

template <vector_space S>
dense_factors<S>::dense_factors(const S& space, matrix a, bool symmetric, const std::function<bool()>& stop)
    : space_(space), a_(std::move(a))
{
    if (symmetric) {
        matrix original = a_;
        cholesky_ = factorize_cholesky(stop);
        if (!cholesky_ && !interrupted_) {
            a_ = std::move(original);
        }
    }
    if (!cholesky_ && !interrupted_) {
        factorize_lu(stop);
    }
}

template <vector_space S>
bool dense_factors<S>::factorize_cholesky(const std::function<bool()>& stop)
{
    using scalar = typename S::scalar;
    const host_executor exec;
    const scalar zero = space_.make_scalar(0.0);
    const scalar one = space_.make_scalar(1.0);
    const auto a = a_.view();
    const index_t n = a.cols;
    for (index_t k = 0; k < n; ++k) {
        if (stop && stop()) {
            interrupted_ = true;
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
#pragma omp parallel for schedule(dynamic, 4) if (n - k > 64)
        for (index_t j = k + 1; j < n; ++j) {
            blas::axpy(exec, -below.load(j - k - 1), part(column, j, n), part(a.column(j), j, n));
        }
    }
    return true;
}

template <vector_space S>
void dense_factors<S>::factorize_lu(const std::function<bool()>& stop)
{
    using scalar = typename S::scalar;
    const host_executor exec;
    const scalar zero = space_.make_scalar(0.0);
    const scalar one = space_.make_scalar(1.0);
    const auto a = a_.view();
    const index_t n = a.cols;
    vector pivot_row = space_.make_vector(n);
    pivot_.resize(static_cast<std::size_t>(n));
    for (index_t k = 0; k < n; ++k) {
        if (stop && stop()) {
            interrupted_ = true;
            return;
        }
        const auto column = a.column(k);
        index_t p = k;
        scalar largest = abs(column.load(k));
        for (index_t i = k + 1; i < n; ++i) {
            const scalar candidate = abs(column.load(i));
            if (largest < candidate) {
                largest = candidate;
                p = i;
            }
        }
        pivot_[k] = p;
        if (largest == zero || !is_finite(largest)) {
            failure_ =
                "no usable pivot in column " + std::to_string(k + 1) + ": the matrix is singular to working precision";
            return;
        }
        if (p != k) {
            for (index_t j = 0; j < n; ++j) {
                swap_elements(a.column(j), k, p);
            }
        }
        blas::scal(exec, one / column.load(k), part(column, k + 1, n));

        const index_t rest = n - k - 1;
        for (index_t j = 0; j < rest; ++j) {
            pivot_row.view().store(j, a.column(k + 1 + j).load(k));
        }
        blas::ger(exec, -one, part(column, k + 1, n), part(pivot_row.view(), 0, rest), trailing(a, k + 1));
    }
}

template <vector_space S>
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
