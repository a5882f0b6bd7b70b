#include <residua/blas/level2/residual_batch.hpp>

#include <residua/blas/base/batch_lanes.hpp>

namespace residua::blas {
namespace {

/// The workspace of a thread: a matrix of each of eight systems by columns, its vectors, and a row of sizes.
template <class T, class V>
struct lane_residuals {
    index_t n;
    detail::lane_numbers<V> a{n * n};
    detail::lane_numbers<T> x{n};
    detail::lane_numbers<doubled<T>> r{n};
    detail::lane_numbers<double> sizes{n};

    __attribute__((always_inline)) void subtract_row(index_t i)
    {
        using W = doubled<T>;
        const auto sum = r[i];
        const auto size = sizes[i];
        for (index_t l = 0; l < detail::batch_lanes; ++l) {
            size.data()[l] = std::fabs(sum.data()[l]);
        }
        for (index_t j = 0; j < n; ++j) {
            const auto entry = a[j * n + i];
            const auto xj = x[j];
            detail::for_lanes(
                detail::batch_lanes, [&](index_t l) __attribute__((always_inline)) {
                    const V aij = entry.load(l);
                    const T xl = xj.load(l);
                    detail::accumulator_of<W> words{sum.load(l)};
                    detail::subtract_product<T, V>(words, aij, xl);
                    detail::store_words(sum, l, words);
                    size.data()[l] += detail::size_of_product<T, V>(aij, xl);
                });
        }
        detail::for_lanes(
            detail::batch_lanes, [&](index_t l) __attribute__((always_inline)) {
                sum.store(l, detail::accumulator_of<W>{sum.load(l)}.result());
            });
    }
};

}  // namespace

template <number T, number V>
void residual_batch(const host_executor&, matrix_batch_view<host_executor, const V> a,
                    vector_batch_view<host_executor, const T> x, vector_batch_view<host_executor, doubled<T>> r,
                    vector_batch_view<host_executor, double> sizes)
{
    detail::require_residuals<host_executor, T, V>(a, x, r, sizes);
    const index_t n = a.n;
    const auto make = [n] { return lane_residuals<T, V>{n}; };
    detail::for_lane_groups(a.count, detail::operations_of_system<doubled<T>>(n, 2), make,
                            [&](lane_residuals<T, V>& s, index_t first, index_t lanes) {
                                for (index_t j = 0; j < n; ++j) {
                                    s.a.read(j * n, first, lanes, [&](index_t k) { return a.column(k, j); });
                                }
                                s.x.read(0, first, lanes, [&](index_t k) { return x[k]; });
                                s.r.read(0, first, lanes, [&](index_t k) { return r[k]; });
                                detail::run_simd([&]() __attribute__((always_inline)) {
                                    for (index_t i = 0; i < n; ++i) {
                                        s.subtract_row(i);
                                    }
                                });
                                s.r.write(0, first, lanes, [&](index_t k) { return r[k]; });
                                s.sizes.write(0, first, lanes, [&](index_t k) { return sizes[k]; });
                            });
}

#define RESIDUA_INSTANTIATE(X, A)                                                         \
    template void residual_batch<format_of_terms<X>, format_of_terms<A>>(                 \
        const host_executor&, matrix_batch_view<host_executor, const format_of_terms<A>>, \
        vector_batch_view<host_executor, const format_of_terms<X>>,                       \
        vector_batch_view<host_executor, expansion<double, 2 * X>>, vector_batch_view<host_executor, double>);
RESIDUA_FOR_EACH_RESIDUAL_BATCH(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
