#include <residua/blas/level2/trsv.hpp>

#include <algorithm>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/lane_window.hpp>
#include <residua/blas/base/simd.hpp>
#include <residua/blas/level1/elementwise.hpp>
#include <residua/blas/level2/gemv_t.hpp>

namespace residua::blas {
namespace {

template <class V, class T>
void require_fitting(matrix_view<host_executor, const V> a, vector_view<host_executor, const T> b,
                     vector_view<host_executor, T> x)
{
    require_equal("trsv", "rows and columns of A", a.rows, a.cols);
    require_equal("trsv", "rows of A and size of b", a.rows, b.size);
    require_equal("trsv", "rows of A and size of x", a.rows, x.size);
}

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
void solve(uplo triangle, diag diagonal, matrix_view<host_executor, const V> a, vector_view<host_executor, const T> b,
           vector_view<host_executor, T> x)
{
    require_fitting(a, b, x);
    const host_executor exec;
    const index_t n = x.size;
    copy(exec, b, x);
    for (index_t step = 0; step < n; ++step) {
        const index_t j = triangle == uplo::lower ? step : n - 1 - step;
        const T sum = accumulator_at<T>(x, j).result();
        const T xj = diagonal == diag::unit ? sum : T{sum / a.column(j).load(j)};
        x.store(j, xj);

        const index_t first = triangle == uplo::lower ? j + 1 : 0;
        const index_t rows = n - 1 - step;
        const auto part = a.column(j);
        subtract_column<V, T>(part.part(first, first + rows), xj, x.part(first, first + rows),
                              (step + 1) % detail::renormalization_period<T> == 0);
    }
}

template <class V, class T>
void solve_transposed(uplo triangle, diag diagonal, matrix_view<host_executor, const V> a,
                      vector_view<host_executor, const T> b, vector_view<host_executor, T> x)
{
    require_fitting(a, b, x);
    const host_executor exec;
    const index_t n = x.size;
    copy(exec, b, x);
    for (index_t step = 0; step < n; ++step) {
        const index_t j = triangle == uplo::lower ? n - 1 - step : step;
        const index_t first = triangle == uplo::lower ? j + 1 : 0;
        const auto column = a.column(j);
        const vector_view<host_executor, const V> known = column.part(first, first + step);
        auto products = detail::ordered_column_sum<T>(known, x.part(first, first + step), 0.0);
        for (double& word : products.w) {
            word = -word;
        }
        auto sum = accumulator_at<T>(x, j);
        sum.merge(products);
        const T xj = sum.result();
        x.store(j, diagonal == diag::unit ? xj : T{xj / column.load(j)});
    }
}

}  // namespace

template <number T>
void trsv(const host_executor&, uplo triangle, diag diagonal, matrix_view<host_executor, const double> a,
          in_vector<host_executor, T> b, vector_view<host_executor, T> x)
{
    solve<double, T>(triangle, diagonal, a, b, x);
}

template <number T>
    requires(number_traits<T>::terms > 1)
void trsv(const host_executor&, uplo triangle, diag diagonal, in_matrix<host_executor, T> a,
          in_vector<host_executor, T> b, vector_view<host_executor, T> x)
{
    solve<T, T>(triangle, diagonal, a, b, x);
}

template <number T>
void trsv_t(const host_executor&, uplo triangle, diag diagonal, matrix_view<host_executor, const double> a,
            in_vector<host_executor, T> b, vector_view<host_executor, T> x)
{
    solve_transposed<double, T>(triangle, diagonal, a, b, x);
}

template <number T>
    requires(number_traits<T>::terms > 1)
void trsv_t(const host_executor&, uplo triangle, diag diagonal, in_matrix<host_executor, T> a,
            in_vector<host_executor, T> b, vector_view<host_executor, T> x)
{
    solve_transposed<T, T>(triangle, diagonal, a, b, x);
}

#define RESIDUA_INSTANTIATE(...)                                                                                     \
    template void trsv<__VA_ARGS__>(const host_executor&, uplo, diag, matrix_view<host_executor, const double>,      \
                                    in_vector<host_executor, __VA_ARGS__>, vector_view<host_executor, __VA_ARGS__>); \
    template void trsv_t<__VA_ARGS__>(const host_executor&, uplo, diag, matrix_view<host_executor, const double>,    \
                                      in_vector<host_executor, __VA_ARGS__>, vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

#define RESIDUA_INSTANTIATE_OWN(...)                                                                                 \
    template void trsv<__VA_ARGS__>(const host_executor&, uplo, diag, in_matrix<host_executor, __VA_ARGS__>,         \
                                    in_vector<host_executor, __VA_ARGS__>, vector_view<host_executor, __VA_ARGS__>); \
    template void trsv_t<__VA_ARGS__>(const host_executor&, uplo, diag, in_matrix<host_executor, __VA_ARGS__>,       \
                                      in_vector<host_executor, __VA_ARGS__>, vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_EXPANSION(RESIDUA_INSTANTIATE_OWN)

}  // namespace residua::blas
