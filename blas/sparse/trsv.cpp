#include <residua/blas/sparse/trsv.hpp>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/simd.hpp>

namespace residua::blas {

namespace {

template <class T, class V>
void require_trsv(const csr<host_executor, V>& a, const vector_view<host_executor, const T>& b,
                  const vector_view<host_executor, T>& x)
{
    require_equal("trsv", "rows and columns of A", a.rows(), a.cols());
    require_equal("trsv", "rows of A and size of b", a.rows(), b.size);
    require_equal("trsv", "rows of A and size of x", a.rows(), x.size);
}

/// Solves rows row_at(k), first <= k < last, in this order.
template <class T, class V, class RowAt>
void solve_rows(uplo triangle, diag diagonal, const csr<host_executor, V>& a,
                const vector_view<host_executor, const T>& b, const vector_view<host_executor, T>& x, index_t first,
                index_t last, const RowAt& row_at)
{
    const index_t* const begin = a.row_begin().data();
    const column_t* const col = a.col().data();
    const vector_view<host_executor, const V> value = a.value();
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
                } else if ((j < i) == (triangle == uplo::lower)) {
                    const V entry = value.load(p);
                    detail::add_product(sum, V{-entry}, x.load(j));
                    if (++products % detail::renormalization_period<T> == 0) {
                        detail::renormalize(sum);
                    }
                }
            }
            const T rhs = sum.result();
            x.store(i, diagonal == diag::unit ? rhs : T{rhs / pivot});
        }
    });
}

}  // namespace

template <number T, number V>
    requires std::same_as<V, double> || std::same_as<V, T>
void trsv(const host_executor&, uplo triangle, diag diagonal, const csr<host_executor, V>& a,
          in_vector<host_executor, T> b, vector_view<host_executor, T> x)
{
    require_trsv<T, V>(a, b, x);
    solve_rows<T, V>(triangle, diagonal, a, b, x, 0, x.size,
                     [&](index_t step) { return triangle == uplo::lower ? step : x.size - 1 - step; });
}

template <number T, number V>
    requires std::same_as<V, double> || std::same_as<V, T>
void trsv(const host_executor&, const row_levels& levels, diag diagonal, const csr<host_executor, V>& a,
          in_vector<host_executor, T> b, vector_view<host_executor, T> x)
{
    require_trsv<T, V>(a, b, x);
    require_equal("trsv", "rows of A and of levels", a.rows(), static_cast<index_t>(levels.rows.size()));
    constexpr double scalar_code = 8.0;  // how much longer an operation takes than in the lanes of a sum of rows
    const double operations = static_cast<double>(a.entries()) * detail::multiply_add_operations<T> * scalar_code;
    detail::solve_by_levels(levels, operations, [&](index_t first, index_t last, const auto& row_at) {
        solve_rows<T, V>(levels.triangle, diagonal, a, b, x, first, last, row_at);
    });
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

#define RESIDUA_INSTANTIATE(...)                                                                         \
    template void trsv(const host_executor&, uplo, diag, const csr<host_executor, double>&,              \
                       in_vector<host_executor, __VA_ARGS__>, vector_view<host_executor, __VA_ARGS__>);  \
    template void trsv(const host_executor&, const row_levels&, diag, const csr<host_executor, double>&, \
                       in_vector<host_executor, __VA_ARGS__>, vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

#define RESIDUA_INSTANTIATE_OWN(...)                                                             \
    template void trsv(const host_executor&, uplo, diag, const csr<host_executor, __VA_ARGS__>&, \
                       in_vector<host_executor, __VA_ARGS__>, vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_EXPANSION(RESIDUA_INSTANTIATE_OWN)

}  // namespace residua::blas
