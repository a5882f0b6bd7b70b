#include <residua/blas/level3/inverse_sums_batch.hpp>

#include <cmath>
#include <limits>

#include <residua/blas/base/batch_lanes.hpp>

namespace residua::blas {
namespace {

using detail::batch_lanes;

/// The workspace of a thread: the factors of eight systems by columns, and a row of each inverse.
template <class F>
struct lane_inverses {
    index_t n;
    detail::lane_numbers<F> lu{n * n};
    detail::lane_numbers<F> y{n};
    detail::lane_numbers<F> minus{n};
    detail::lane_numbers<double> inverse{n};
    detail::lane_numbers<double> upper{n};

    /// y_k <- what is left of it, divided by the pivot where there is one; minus_k <- -y_k
    template <bool Divides>
    __attribute__((always_inline)) void finish(index_t k)
    {
        const auto yk = y[k];
        const auto minus_k = minus[k];
        const auto pivot = lu[k * n + k];
        detail::for_lanes(
            batch_lanes, [&](index_t l) __attribute__((always_inline)) {
                const F sum = detail::accumulator_of<F>{yk.load(l)}.result();
                const F found = Divides ? F{sum / pivot.load(l)} : sum;
                yk.store(l, found);
                minus_k.store(l, -found);
            });
    }

    __attribute__((always_inline)) void find_row(index_t i)
    {
        for (index_t k = 0; k < n; ++k) {
            for (index_t l = 0; l < batch_lanes; ++l) {
                y[k].store(l, F{k == i ? 1.0 : 0.0});
            }
        }
        for (index_t k = i; k < n; ++k) {
            for (index_t m = i; m < k; ++m) {
                detail::add_products<F, true>(y[k], lu[k * n + m], minus[m]);
            }
            finish<true>(k);
        }
        double* const sum = inverse[i].data();
        double* const size = upper[i].data();
        for (index_t l = 0; l < batch_lanes; ++l) {
            sum[l] = 0.0;
            size[l] = 0.0;
        }
        for (index_t k = n - 1; k >= 0; --k) {
            for (index_t m = k + 1; m < n; ++m) {
                detail::add_products<F, true>(y[k], lu[k * n + m], minus[m]);
            }
            finish<false>(k);
            const double* const yk = y[k].data();
            const double* const entry = lu[k * n + i].data();
            for (index_t l = 0; l < batch_lanes; ++l) {
                sum[l] += std::fabs(yk[l]);
                size[l] += k >= i ? std::fabs(entry[l]) : 0.0;
            }
        }
    }
};

}  // namespace

template <number F>
void inverse_sums_batch(const host_executor&, matrix_batch_view<host_executor, const F> lu,
                        std::span<const std::int32_t> info, vector_batch_view<host_executor, double> inverse,
                        vector_batch_view<host_executor, double> upper)
{
    detail::require_inverse_sums<host_executor, F>(lu, info.size(), inverse, upper);
    const index_t n = lu.n;
    const auto make = [n] { return lane_inverses<F>{n}; };
    detail::for_lane_groups(lu.count, 2.0 * detail::operations_of_system<F>(n, 3), make,
                            [&](lane_inverses<F>& s, index_t first, index_t lanes) {
                                for (index_t j = 0; j < n; ++j) {
                                    s.lu.read(j * n, first, lanes, [&](index_t k) { return lu.column(k, j); });
                                }
                                detail::run_simd([&]() __attribute__((always_inline)) {
                                    for (index_t i = 0; i < n; ++i) {
                                        s.find_row(i);
                                    }
                                });
                                s.inverse.write(0, first, lanes, [&](index_t k) { return inverse[k]; });
                                s.upper.write(0, first, lanes, [&](index_t k) { return upper[k]; });
                                for (index_t l = first; l < first + lanes; ++l) {
                                    for (index_t i = 0; info[static_cast<std::size_t>(l)] != 0 && i < n; ++i) {
                                        inverse[l].store(i, std::numeric_limits<double>::infinity());
                                        upper[l].store(i, std::numeric_limits<double>::infinity());
                                    }
                                }
                            });
}

#define RESIDUA_INSTANTIATE(...)                                                                                  \
    template void inverse_sums_batch<__VA_ARGS__>(                                                                \
        const host_executor&, matrix_batch_view<host_executor, const __VA_ARGS__>, std::span<const std::int32_t>, \
        vector_batch_view<host_executor, double>, vector_batch_view<host_executor, double>);
RESIDUA_FOR_EACH_BATCH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
