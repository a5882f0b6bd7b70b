#include <residua/blas/level3/inverse_sums_batch.hpp>

#include <residua/arith/base/bits.hpp>
#include <residua/blas/level1/elementwise.cuh>

namespace residua::blas {
namespace {

/// Row e of the inverses of all systems, one after the other. Threads of a warp go through the factors in step.
template <class F>
struct inverse_row {
    matrix_batch_view<cuda_executor, const F> lu;
    const std::int32_t* info;
    vector_batch_view<cuda_executor, double> inverse;
    vector_batch_view<cuda_executor, double> upper;

    __device__ void operator()(index_t e) const
    {
        const int n = static_cast<int>(lu.n);
        const index_t s = e / n;
        const int i = static_cast<int>(e - s * n);
        if (info[s] != 0) {
            inverse[s].store(i, from_bits(exponent_mask));
            upper[s].store(i, from_bits(exponent_mask));
            return;
        }
        F y[largest_batch_order];
        double sum = 0.0;
        double size = 0.0;
        RESIDUA_KEEP_LOOP
        for (int k = 0; k < n; ++k) {
            const auto column = lu.column(s, k);
            detail::accumulator_of<F> left{F{k == i ? 1.0 : 0.0}};
            RESIDUA_KEEP_LOOP
            for (int m = 0; m < k; ++m) {
                if (m >= i) {
                    subtract(left, column.load(m), y[m]);
                }
            }
            y[k] = k < i ? F{0.0} : F{left.result() / column.load(k)};
        }
        RESIDUA_KEEP_LOOP
        for (int k = n - 1; k >= 0; --k) {
            const auto column = lu.column(s, k);
            detail::accumulator_of<F> left{y[k]};
            RESIDUA_KEEP_LOOP
            for (int m = k + 1; m < n; ++m) {
                subtract(left, column.load(m), y[m]);
            }
            y[k] = left.result();
            sum += fabs(term(y[k], 0));
            size += k >= i ? fabs(column.data()[i]) : 0.0;
        }
        inverse[s].store(i, sum);
        upper[s].store(i, size);
    }

    __device__ static void subtract(detail::accumulator_of<F>& left, const F& entry, const F& x)
    {
        detail::add_product(left, entry, F{-x});
        if constexpr (number_traits<F>::terms > 1) {
            detail::renormalize(left);
        }
    }
};

}  // namespace

template <number F>
void inverse_sums_batch(const cuda_executor& exec, matrix_batch_view<cuda_executor, const F> lu,
                        std::span<const std::int32_t> info, vector_batch_view<cuda_executor, double> inverse,
                        vector_batch_view<cuda_executor, double> upper)
{
    detail::require_inverse_sums<cuda_executor, F>(lu, info.size(), inverse, upper);
    detail::run_elementwise(exec, "inverse_sums_batch", lu.n * lu.count,
                            inverse_row<F>{lu, info.data(), inverse, upper});
}

#define RESIDUA_INSTANTIATE(...)                                                                                  \
    template void inverse_sums_batch<__VA_ARGS__>(                                                                \
        const cuda_executor&, matrix_batch_view<cuda_executor, const __VA_ARGS__>, std::span<const std::int32_t>, \
        vector_batch_view<cuda_executor, double>, vector_batch_view<cuda_executor, double>);
RESIDUA_FOR_EACH_BATCH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
