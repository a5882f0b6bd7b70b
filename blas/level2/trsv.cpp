#include <residua/blas/level2/trsv.hpp>

#include <algorithm>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/lane_window.hpp>
#include <residua/blas/base/simd.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level2/gemv.hpp>

namespace residua::blas {
namespace {

/// The numbers of x as accumulators: their words are stored where the terms will be.
template <class T>
inline __attribute__((always_inline)) detail::accumulator_of<T> accumulator_at(vector_view<host_executor, const T> x,
                                                                               index_t i)
{
    return detail::accumulator_of<T>{x.load(i)};
}

template <class T>
inline __attribute__((always_inline)) void store_words(vector_view<host_executor, T> x, index_t i,
                                                       const detail::accumulator_of<T>& sum)
{
    T words;
    residua::detail::unroll<number_traits<T>::terms>([&](int k)
                                                         __attribute__((always_inline)) { term(words, k) = sum.w[k]; });
    x.store(i, words);
}

/// sums <- sums - a x, where sums holds the words of accumulators.
template <class V, class T>
void subtract_column(vector_view<host_executor, const V> a, const T& x, vector_view<host_executor, T> sums,
                     bool renormalizes)
{
    constexpr index_t lanes = 16;
    const T factor = -x;
    detail::run_simd([&]() __attribute__((always_inline)) {
        for (index_t i = 0; i < sums.size; i += lanes) {
            const index_t count = std::min(lanes, sums.size - i);
            const detail::lane_window<const V, lanes> column(a, i, count);
            const detail::lane_window<T, lanes> rows(sums, i, count);
            detail::for_lanes(
                lanes, [&](index_t l) __attribute__((always_inline)) {
                    auto sum = accumulator_at<T>(rows.view(), l);
                    detail::add_product(sum, column.view().load(l), factor);
                    if constexpr (detail::renormalization_period<T> == 1) {
                        detail::renormalize(sum);
                    }
                    store_words(rows.view(), l, sum);
                });
            if (detail::renormalization_period<T> > 1 && renormalizes) {
                detail::for_lanes(
                    lanes, [&](index_t l) __attribute__((always_inline)) {
                        auto sum = accumulator_at<T>(rows.view(), l);
                        detail::renormalize(sum);
                        store_words(rows.view(), l, sum);
                    });
            }
            rows.write_back(sums, i, count);
        }
    });
}

template <class V, class T>
void solve_plain(const detail::trsv_operands<host_executor, T, V>& o)
{
    const index_t n = o.x.size;
    const bool lower = o.triangle == uplo::lower;
    for (index_t step = 0; step < n; ++step) {
        const index_t j = lower ? step : n - 1 - step;
        const T sum = accumulator_at<T>(o.x, j).result();
        const T xj = o.diagonal == diag::unit ? sum : T{sum / o.a.column(j).load(j)};
        o.x.store(j, xj);

        const index_t first = lower ? j + 1 : 0;
        const index_t rows = n - 1 - step;
        subtract_column<V, T>(o.a.column(j).part(first, first + rows), xj, o.x.part(first, first + rows),
                              (step + 1) % detail::renormalization_period<T> == 0);
    }
}

template <class V, class T>
void solve_transposed(const detail::trsv_operands<host_executor, T, V>& o)
{
    const index_t n = o.x.size;
    const bool lower = o.triangle == uplo::lower;
    for (index_t step = 0; step < n; ++step) {
        const index_t j = lower ? n - 1 - step : step;
        const index_t first = lower ? j + 1 : 0;
        const auto column = o.a.column(j);
        const vector_view<host_executor, const T> known = o.x.part(first, first + step);
        auto products = detail::ordered_column_sum<V, T>(column.part(first, first + step), known, 0.0);
        for (double& word : products.w) {
            word = -word;
        }
        auto sum = accumulator_at<T>(o.x, j);
        sum.merge(products);
        const T xj = sum.result();
        o.x.store(j, o.diagonal == diag::unit ? xj : T{xj / column.load(j)});
    }
}

}  // namespace

template <class V, number T>
void detail::solve(const host_executor& exec, const trsv_operands<host_executor, T, V>& o)
{
    copy<T>(exec, o.b, o.x);
    o.op == trans::no ? solve_plain(o) : solve_transposed(o);
}

#define RESIDUA_INSTANTIATE(V, T) \
    template void detail::solve(const host_executor&, const trsv_operands<host_executor, T, V>&);
RESIDUA_FOR_EACH_PAIR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
