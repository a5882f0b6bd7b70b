#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/gemv2.hpp>

#include <algorithm>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/row_sums.hpp>
#include <residua/blas/level1/update_rows.hpp>

namespace residua::blas {
namespace {

/// The number of rows whose accumulators stay in the first cache while columns stream through it.
template <class T>
constexpr index_t tile_rows = std::max<index_t>(8, 1024 / number_traits<T>::terms / 8 * 8);
template <class T>
using tile_sums = detail::row_sums<T, tile_rows<T>>;

/// The number of rows of one SIMD loop.
constexpr index_t strip = 64;

/// Prefetches a part of a column to the second cache: processors do not predict well from column to column.
template <class V>
inline __attribute__((always_inline)) void prefetch(vector_view<host_executor, const V> a)
{
    for (int k = 0; k < number_traits<V>::terms; ++k) {
        for (index_t r = 0; r < a.size; r += 8) {
            __builtin_prefetch(a.plane(k) + r, 0, 2);
        }
    }
}

/// sums <- sums + a column times x. One column at a time: a processor overlaps the short chains of
/// many rows, and would wait for the long ones of several columns. A has numbers of V, x of X, their sums are of T.
template <bool Tidy, class V, class X, class T>
inline __attribute__((always_inline)) void add_column(tile_sums<T>& sums, index_t row,
                                                      vector_view<host_executor, const V> a, const X& x)
{
    detail::for_lanes(
        a.size, [&](index_t r) __attribute__((always_inline)) {
            detail::accumulator_of<T> sum = sums.load(row + r);
            detail::add_product(sum, a.load(r), x);
            if constexpr (Tidy) {
                detail::renormalize(sum);
            }
            sums.store(row + r, sum);
        });
}

/// Adds columns first, ..., last - 1, at most a chunk, of rows row, ..., row + rows - 1.
template <class V, class X, class T>
inline __attribute__((always_inline)) void add_chunk(tile_sums<T>& sums, matrix_view<host_executor, const V> a,
                                                     index_t row, index_t rows, index_t first, index_t last,
                                                     vector_view<host_executor, const X> x)
{
    constexpr index_t period = detail::renormalization_period<T>;
    for (index_t j = first; j < last; ++j) {
        const bool renormalizes = (j - first) % period == period - 1 || j == last - 1;
        const X xj = x.load(j);
        for (index_t r = 0; r < rows; r += strip) {
            const auto part = [&](index_t column) {
                return a.column(column).part(row + r, row + std::min(r + strip, rows));
            };
            if (j + 1 < a.cols) {
                prefetch(part(j + 1));
            }
            if (renormalizes) {
                add_column<true, V, X, T>(sums, r, part(j), xj);
            } else if constexpr (period > 1) {
                add_column<false, V, X, T>(sums, r, part(j), xj);
            }
        }
    }
}

/// A tile of rows of A x; chunks of columns are merged pairwise as pairwise_sum does it.
template <class V, class X, class T>
void multiply_tile(matrix_view<host_executor, const V> a, index_t row, index_t rows,
                   vector_view<host_executor, const X> x, vector_view<host_executor, T> t)
{
    tile_sums<T> waiting[detail::most_chunk_levels];
    detail::run_simd([&]() __attribute__((always_inline)) {
        const bool any = detail::sum_chunks(
            a.cols,
            [&](int place, index_t first, index_t last) __attribute__((always_inline)) {
                waiting[place].clear(rows);
                add_chunk<V, X, T>(waiting[place], a, row, rows, first, last, x);
            },
            [&](int place)
                __attribute__((always_inline)) { detail::merge_rows(waiting[place], waiting[place + 1], rows); });
        detail::for_lanes(
            rows, [&](index_t r)
                      __attribute__((always_inline)) { t.store(r, any ? waiting[0].load(r).result() : T{0.0}); });
    });
}

template <class V, class X, class T = X>
void multiply_rows(const detail::gemv_operands<host_executor, X, V>& o)
{
    constexpr index_t tile = tile_sums<T>::rows;
    const double operations =
        detail::multiply_add_operations<T> * static_cast<double>(o.a.rows) * static_cast<double>(o.a.cols);
    detail::parallel_ranges(o.a.rows, 8, operations, [&](index_t begin, index_t end) {
        double product[number_traits<T>::terms * tile];
        for (index_t row = begin; row < end; row += tile) {
            const index_t rows = std::min(tile, end - row);
            const vector_view<host_executor, T> t{{product, tile}, rows};
            multiply_tile<V, X, T>(o.a, row, rows, o.x, t);
            detail::update_rows(o.alpha, t, o.beta, o.y.part(row, row + rows));
        }
    });
}

}  // namespace

template <class V, number T>
void detail::multiply(const host_executor& exec, trans op, const gemv_operands<host_executor, T, V>& o)
{
    op == trans::no ? multiply_rows<V, T>(o) : multiply_transposed(exec, o);
}

void gemv2(const host_executor&, double alpha, in_matrix<host_executor, double> a, in_vector<host_executor, double> x,
           double beta, vector_view<host_executor, double> y)
{
    const detail::gemv_operands<host_executor, double> o{alpha, a, x, beta, y};
    detail::require_fitting("gemv2", trans::no, o);
    multiply_rows<double, double, expansion<double, 2>>(o);
}

#define RESIDUA_INSTANTIATE(V, T) \
    template void detail::multiply(const host_executor&, trans, const gemv_operands<host_executor, T, V>&);
RESIDUA_FOR_EACH_PAIR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
