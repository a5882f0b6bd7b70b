#include <residua/blas/level3/getrf_batch.hpp>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/launch.cuh>
#include <residua/blas/level3/batch_team.cuh>

namespace residua::blas {
namespace {

using detail::all_lanes;
using detail::warp;

/// x of one system in the registers of `rows` lanes: each has the elements row and, if Each is 2, row + 32.
template <class T, int Each>
struct vector_in_lanes {
    detail::accumulator_of<T> own[Each];
    int rows;

    /// The words of element j, in all lanes.
    __device__ detail::accumulator_of<T> words_of(int j) const
    {
        detail::accumulator_of<T> words;
        residua::detail::unroll<number_traits<T>::terms>([&](int k) {
            const double mine = Each == 1 || j < warp ? own[0].w[k] : own[Each - 1].w[k];
            words.w[k] = __shfl_sync(all_lanes, mine, j % warp, rows);
        });
        return words;
    }

    template <bool Lower>
    __device__ void solve_triangle(const matrix_batch_view<cuda_executor, const T>& a, index_t s, int row)
    {
        const int n = static_cast<int>(a.n);
        for (int step = 0; step < n; ++step) {
            const int j = Lower ? step : n - 1 - step;
            const auto column = a.column(s, j);
            const T sum = words_of(j).result();
            const T found = Lower ? sum : T{sum / column.load(j)};
            const bool renormalizes = (step + 1) % detail::renormalization_period<T> == 0;
            residua::detail::unroll<Each>([&](int e) {
                const int i = row + e * warp;
                if (i == j) {
                    own[e] = detail::accumulator_of<T>{found};
                } else if (i < n && (Lower ? i > j : i < j)) {
                    detail::add_product(own[e], column.load(i), T{-found});
                    if (renormalizes) {
                        detail::renormalize(own[e]);
                    }
                }
            });
        }
    }
};

/// Element i of P x is element order[i] of x.
template <int Each>
__device__ void find_order(int n, const std::int32_t* pivots, int row, int rows, int (&order)[Each])
{
    residua::detail::unroll<Each>([&](int e) { order[e] = row + e * warp; });
    for (int k = 0; k < n; ++k) {
        const int p = pivots[k] - 1;
        const int at_k = __shfl_sync(all_lanes, Each == 1 || k < warp ? order[0] : order[Each - 1], k % warp, rows);
        const int at_p = __shfl_sync(all_lanes, Each == 1 || p < warp ? order[0] : order[Each - 1], p % warp, rows);
        residua::detail::unroll<Each>([&](int e) {
            const int i = row + e * warp;
            order[e] = i == k ? at_p : i == p ? at_k : order[e];
        });
    }
}

template <class T, int Each>
__global__ void __launch_bounds__(detail::block_threads)
    getrs_kernel(matrix_batch_view<cuda_executor, const T> a, const std::int32_t* pivots, const std::int32_t* info,
                 vector_batch_view<cuda_executor, T> x, detail::team_shape shape)
{
    detail::wait_and_trigger();
    const int n = static_cast<int>(a.n);
    const int row = static_cast<int>(threadIdx.x) % shape.rows;
    const index_t own = index_t{blockIdx.x} * shape.systems + static_cast<int>(threadIdx.x) / shape.rows;
    const bool is_there = own < a.count;
    const index_t s = is_there ? own : a.count - 1;
    const auto vector = x[s];
    const bool fails = info[s] != 0;
    int order[Each];
    find_order<Each>(n, pivots + s * n, row, shape.rows, order);
    vector_in_lanes<T, Each> lanes;
    lanes.rows = shape.rows;
    residua::detail::unroll<Each>([&](int e) {
        if (row + e * warp < n && !fails) {
            lanes.own[e] = detail::accumulator_of<T>{vector.load(order[e])};
        }
    });
    // The elements of a team are read before any is written, as the shuffles of a solve come between.
    lanes.template solve_triangle<true>(a, s, row);
    lanes.template solve_triangle<false>(a, s, row);
    residua::detail::unroll<Each>([&](int e) {
        const int i = row + e * warp;
        if (is_there && i < n) {
            T found;
            residua::detail::unroll<number_traits<T>::terms>([&](int k) {
                term(found, k) = fails ? __longlong_as_double(0x7ff8000000000000ll) : lanes.own[e].w[k];
            });
            vector.store(i, found);
        }
    });
}

}  // namespace

template <number T>
void getrs_batch(const cuda_executor& exec, in_matrix_batch<cuda_executor, T> a, std::span<const std::int32_t> pivots,
                 std::span<const std::int32_t> info, vector_batch_view<cuda_executor, T> x)
{
    detail::require_factors("getrs_batch", a, pivots.size(), info.size());
    require_batch("getrs_batch", x, a.n, a.count);
    if (a.n == 0 || a.count == 0) {
        return;
    }
    const device_guard current(exec);
    const detail::team_shape shape = detail::rows_of_team(static_cast<int>(a.n));
    const unsigned blocks = detail::blocks_for_teams("getrs_batch", a.count, shape.systems);
    const auto kernel = a.n > warp ? getrs_kernel<T, 2> : getrs_kernel<T, 1>;
    detail::launch(exec, "getrs_batch", blocks, detail::block_threads, kernel, a, pivots.data(), info.data(), x, shape);
}

#define RESIDUA_INSTANTIATE(...)                                                                              \
    template void getrs_batch<__VA_ARGS__>(const cuda_executor&, in_matrix_batch<cuda_executor, __VA_ARGS__>, \
                                           std::span<const std::int32_t>, std::span<const std::int32_t>,      \
                                           vector_batch_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_BATCH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
