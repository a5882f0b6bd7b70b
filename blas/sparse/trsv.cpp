#include <residua/blas/sparse/trsv.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/simd.hpp>
#include <residua/blas/sparse/row_products.hpp>

namespace residua::blas {

template <class V, number T>
void detail::solve(const host_executor&, const sparse_trsv_operands<host_executor, T, V>& o)
{
    constexpr double scalar_code = 8.0;  // how much longer an operation takes than in the lanes of a sum of rows
    const double operations = static_cast<double>(o.a.entries()) * multiply_add_operations<T> * scalar_code;
    const expansion_solve_row<host_executor, V, T> row{
        o.levels.triangle == uplo::lower, o.diagonal == diag::unit, rows_of<0>(o.a), o.a.value(), o.b, o.x};
    o.levels.solve(o.x.size, operations, [&](index_t first, index_t last, const auto& row_at) {
        run_scalar([&]() __attribute__((always_inline)) {
            for (index_t k = first; k < last; ++k) {
                row(row_at(k));
            }
        });
    });
}

void trsm_t(const host_executor&, uplo triangle, diag diagonal, const csr<host_executor, double>& a,
            matrix_view<host_executor, double> x_t)
{
    require_equal("trsm_t", "rows and columns of A", a.rows(), a.cols());
    require_equal("trsm_t", "rows of A and columns of X'", a.rows(), x_t.cols);

    const index_t n = x_t.cols;
    const index_t count = x_t.rows;
    const detail::compressed_rows rows = detail::rows_of<0>(a);
    const double* const value = a.value().data();
    const bool lower = triangle == uplo::lower;
    detail::run_simd([&]() __attribute__((always_inline)) {
        for (index_t step = 0; step < n; ++step) {
            const index_t i = lower ? step : n - 1 - step;
            double* const sum = x_t.data() + i * x_t.ld;
            double pivot = 0.0;
            rows.walk_triangle(
                i, lower,
                [&](index_t p, index_t j) __attribute__((always_inline)) {
                    const double* const x = x_t.data() + j * x_t.ld;
                    const double entry = -value[p];
#pragma omp simd
                    for (index_t c = 0; c < count; ++c) {
                        sum[c] += mul_rn(entry, x[c]);
                    }
                },
                [&](index_t p) __attribute__((always_inline)) { pivot = value[p]; });
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
