#include <residua/blas/sparse/trsv.hpp>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/simd.hpp>

namespace residua::blas {

namespace {

/// Solves rows row_at(k), first <= k < last, in this order.
template <class V, class T, class RowAt>
void solve_rows(const detail::sparse_trsv_operands<host_executor, T, V>& o, index_t first, index_t last,
                const RowAt& row_at)
{
    const index_t* const begin = o.a.row_begin().data();
    const column_t* const col = o.a.col().data();
    const vector_view<host_executor, const V> value = o.a.value();
    const vector_view<host_executor, const T> b = o.b;
    const vector_view<host_executor, T> x = o.x;
    const bool lower = o.levels.triangle == uplo::lower, unit = o.diagonal == diag::unit;
    detail::run_scalar([&]() __attribute__((always_inline)) {
        for (index_t k = first; k < last; ++k) {
            const index_t i = row_at(k);
            detail::accumulator_of<T> sum{b.load(i)};
            V pivot{0.0};
            index_t products = 0;
            for (index_t p = begin[i]; p < begin[i + 1]; ++p) {
                const index_t j = col[p];
                if (j == i) {
                    pivot = value.load(p);
                } else if ((j < i) == lower) {
                    const V entry = value.load(p);
                    detail::add_product(sum, V{-entry}, x.load(j));
                    if (++products % detail::renormalization_period<T> == 0) {
                        detail::renormalize(sum);
                    }
                }
            }
            const T rhs = sum.result();
            x.store(i, unit ? rhs : T{rhs / pivot});
        }
    });
}

}  // namespace

template <class V, number T>
void detail::solve(const host_executor&, const sparse_trsv_operands<host_executor, T, V>& o)
{
    constexpr double scalar_code = 8.0;  // how much longer an operation takes than in the lanes of a sum of rows
    const double operations = static_cast<double>(o.a.entries()) * multiply_add_operations<T> * scalar_code;
    o.levels.solve(o.x.size, operations,
                   [&](index_t first, index_t last, const auto& row_at) { solve_rows<V, T>(o, first, last, row_at); });
}

void trsm_t(const host_executor&, uplo triangle, diag diagonal, const csr<host_executor, double>& a,
            matrix_view<host_executor, double> x_t)
{
    require_equal("trsm_t", "rows and columns of A", a.rows(), a.cols());
    require_equal("trsm_t", "rows of A and columns of X'", a.rows(), x_t.cols);

    const index_t n = x_t.cols;
    const index_t count = x_t.rows;
    const index_t* const begin = a.row_begin().data();
    const column_t* const col = a.col().data();
    const double* const value = a.value().data();
    detail::run_simd([&]() __attribute__((always_inline)) {
        for (index_t step = 0; step < n; ++step) {
            const index_t i = triangle == uplo::lower ? step : n - 1 - step;
            double* const sum = x_t.data() + i * x_t.ld;
            double pivot = 0.0;
            for (index_t p = begin[i]; p < begin[i + 1]; ++p) {
                const index_t j = col[p];
                if (j == i) {
                    pivot = value[p];
                } else if ((j < i) == (triangle == uplo::lower)) {
                    const double* const x = x_t.data() + j * x_t.ld;
                    const double entry = -value[p];
#pragma omp simd
                    for (index_t c = 0; c < count; ++c) {
                        sum[c] += mul_rn(entry, x[c]);
                    }
                }
            }
            for (index_t c = 0; c < count && diagonal == diag::non_unit; ++c) {
                sum[c] /= pivot;
            }
        }
    });
}

#define RESIDUA_INSTANTIATE(V, T) \
    template void detail::solve(const host_executor&, const sparse_trsv_operands<host_executor, T, V>&);
RESIDUA_FOR_EACH_PAIR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
