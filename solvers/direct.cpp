#include <residua/solvers/direct.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/axpy.hpp>
#include <residua/blas/level1/scal.hpp>
#include <residua/blas/level2/ger.hpp>
#include <residua/blas/level2/trsv.hpp>

namespace residua {
namespace {

template <class T>
using column_view = vector_view<host_executor, T>;

/// Elements begin, ..., end - 1 of a column.
template <class T>
column_view<T> part(column_view<T> x, index_t begin, index_t end)
{
    return {x.data + begin, end - begin, x.plane_stride};
}

template <class T>
void swap_elements(column_view<T> x, index_t i, index_t j)
{
    for (int k = 0; k < x.terms; ++k) {
        std::swap(x.data[k * x.plane_stride + i], x.data[k * x.plane_stride + j]);
    }
}

template <class T>
bool usable_pivot(const T& pivot)
{
    return is_finite(pivot) && !(pivot == T{0.0});
}

}  // namespace

template <number T>
dense_factors<T>::dense_factors(matrix<host_executor, T> a, bool symmetric,
                                const std::function<bool()>& stop)
    : a_(std::move(a))
{
    if (symmetric) {
        matrix<host_executor, T> original = a_;
        cholesky_ = factorize_cholesky(stop);
        if (!cholesky_ && !interrupted_) {
            a_ = std::move(original);
        }
    }
    if (!cholesky_ && !interrupted_) {
        factorize_lu(stop);
    }
}

template <number T>
bool dense_factors<T>::factorize_cholesky(const std::function<bool()>& stop)
{
    const host_executor exec;
    const auto a = a_.view();
    const index_t n = a.cols;
    for (index_t k = 0; k < n; ++k) {
        if (stop && stop()) {
            interrupted_ = true;
            return false;
        }
        const column_view<T> column = a.column(k);
        const T pivot = column.load(k);
        if (!(T{0.0} < pivot) || !is_finite(pivot)) {
            return false;
        }
        const T root = sqrt(pivot);
        column.store(k, root);
        const column_view<T> below = part(column, k + 1, n);
        blas::scal(exec, T{1.0} / root, below);
#pragma omp parallel for schedule(dynamic, 4) if (n - k > 64)
        for (index_t j = k + 1; j < n; ++j) {
            blas::axpy(exec, -below.load(j - k - 1), part(column, j, n), part(a.column(j), j, n));
        }
    }
    return true;
}

template <number T>
void dense_factors<T>::factorize_lu(const std::function<bool()>& stop)
{
    const host_executor exec;
    const auto a = a_.view();
    const index_t n = a.cols;
    vector<host_executor, T> pivot_row(n);
    pivot_.resize(static_cast<std::size_t>(n));
    for (index_t k = 0; k < n; ++k) {
        if (stop && stop()) {
            interrupted_ = true;
            return;
        }
        const column_view<T> column = a.column(k);
        index_t p = k;
        T largest = abs(column.load(k));
        for (index_t i = k + 1; i < n; ++i) {
            const T candidate = abs(column.load(i));
            if (largest < candidate) {
                largest = candidate;
                p = i;
            }
        }
        pivot_[k] = p;
        if (!usable_pivot(largest)) {
            failure_ = "no usable pivot in column " + std::to_string(k + 1) +
                       ": the matrix is singular to working precision";
            return;
        }
        if (p != k) {
            for (index_t j = 0; j < n; ++j) {
                swap_elements(a.column(j), k, p);
            }
        }
        blas::scal(exec, T{1.0} / column.load(k), part(column, k + 1, n));

        const index_t rest = n - k - 1;
        for (index_t j = 0; j < rest; ++j) {
            pivot_row.view().store(j, a.column(k + 1 + j).load(k));
        }
        matrix_view<host_executor, T> trailing = a;
        trailing.data += (k + 1) * a.ld + k + 1;
        trailing.rows = trailing.cols = rest;
        blas::ger(exec, T{-1.0}, part(column, k + 1, n), part(pivot_row.view(), 0, rest), trailing);
    }
}

template <number T>
void dense_factors<T>::solve(vector<host_executor, T>& x, bool transposed) const
{
    const host_executor exec;
    const auto a = a_.view();
    const column_view<T> v = x.view();
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

#define RESIDUA_INSTANTIATE(...) template class dense_factors<__VA_ARGS__>;
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua
