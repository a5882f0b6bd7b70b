#include <residua/blas/multidigit/sums.cuh>

namespace residua::blas::detail {
namespace {

constexpr int warp = 32;
static_assert(multidigit_lanes == warp, "a warp sums a block");

/// Operands of so few digits are read before the products of those before them are added.
template <int N>
inline constexpr bool reads_ahead = N <= 14;

/// The terms of a block by a warp; the sum of each lane. Its numbers lie whole tiles apart.
template <int N>
__device__ device_sum<N> sum_of_lane(index_t first, index_t last, const multidigit_terms& terms, int p)
{
    device_sum<N> sum;
    index_t i = first + threadIdx.x % warp;
    if (i >= last) {
        return sum;
    }
    const int digits = terms.x.start.digits;
    const auto load = [digits](const std::uint32_t* word) {
        return residua::detail::load<device_digit, N>(word, digits);
    };
    const std::uint32_t* x = terms.x.start.number(i * terms.x.stride);
    const index_t x_step = warp * terms.x.stride * (digits + 1);
    if (terms.magnitudes) {
        RESIDUA_KEEP_LOOP
        for (; i < last; i += warp, x += x_step) {
            sum.add(abs(load(x)), p);
        }
        return sum;
    }
    const std::uint32_t* y = terms.y.start.number(i * terms.y.stride);
    const index_t y_step = warp * terms.y.stride * (digits + 1);
    multidigit_float<device_digit, N> next_x, next_y;
    if constexpr (reads_ahead<N>) {
        next_x = load(x);
        next_y = load(y);
    }
    RESIDUA_KEEP_LOOP
    for (; i < last; i += warp, x += x_step, y += y_step) {
        bool added = false;
        if constexpr (reads_ahead<N>) {
            const auto a = next_x;
            const auto b = next_y;
            if (i + warp < last) {
                next_x = load(x + x_step);
                next_y = load(y + y_step);
            }
            added = sum.add_usual_product(a, b, p);
        } else {
            added = sum.add_usual_product(load(x), load(y), p);
        }
        if (!added) {
            sum = with_unusual_product<N>(sum, x, y, digits, p);
        }
    }
    return sum;
}

/// A warp for each block of the order of summation, of which each result blockIdx.y has its own.
template <int N>
__global__ void __launch_bounds__(multidigit_threads)
    sum_blocks_kernel(index_t n, index_t blocks, const __grid_constant__ multidigit_terms terms, int p,
                      device_sums sums)
{
    take_turn();
    const index_t b = (index_t{blockIdx.x} * multidigit_threads + threadIdx.x) / warp;
    if (b >= blocks) {
        return;
    }
    const index_t first = b * multidigit_block;
    const index_t last = first + multidigit_block < n ? first + multidigit_block : n;
    device_sum<N> sum = sum_of_lane<N>(first, last, terms.of_result(blockIdx.y), p);
    merge_warp<N>(sum);
    if (threadIdx.x % warp == 0) {
        sums.store<N>(blockIdx.y * blocks + b, sum);
    }
}

constexpr int merge_threads = 512;

/// Merges the sums of all blocks of result blockIdx.x.
template <int N>
__global__ void __launch_bounds__(merge_threads, 1)
    merge_blocks_kernel(index_t blocks, device_sums sums, int p, multidigit_result y)
{
    take_turn();
    constexpr int warps = merge_threads / warp;
    __shared__ std::int64_t tops[warps];
    __shared__ typename device_sum<N>::state parts[warps];
    const int w = static_cast<int>(threadIdx.x) / warp;
    const index_t begin = index_t{blockIdx.x} * blocks;
    std::int64_t top = device_sum<N>::nothing;
    for (index_t b = threadIdx.x; b < blocks; b += merge_threads) {
        const std::int64_t next = sums.top<N>(begin + b);
        top = next > top ? next : top;
    }
    top = largest_of_warp(top);
    if (threadIdx.x % warp == 0) {
        tops[w] = top;
    }
    __syncthreads();
    top = largest_of_warp(tops[threadIdx.x % warps]);
    device_sum<N> sum;
    sum.raise(top);
    RESIDUA_KEEP_LOOP
    for (index_t b = threadIdx.x; b < blocks; b += merge_threads) {
        device_sum<N> next = sums.load<N>(begin + b);
        next.raise(top);
        sum.add_same_units(next);
    }
    merge_warp<N>(sum);
    if (threadIdx.x % warp == 0) {
        parts[w] = sum.get();
    }
    __syncthreads();
    if (w == 0) {
        sum = threadIdx.x < warps ? device_sum<N>(parts[threadIdx.x]) : device_sum<N>();
        merge_warp<N>(sum);
        if (threadIdx.x == 0) {
            y.store(blockIdx.x, sum.result(p));
        }
    }
}

}  // namespace

void sum_long(const cuda_executor& exec, const char* op, const multidigit_format& format, index_t n, index_t results,
              const multidigit_terms& terms, const multidigit_result& y)
{
    if (results == 0) {
        return;
    }
    const device_guard current(exec);
    const index_t blocks = n > 0 ? (n + multidigit_block - 1) / multidigit_block : 1;
    with_device_size(format, [&]<int N>() {
        auto sums = device_sum_buffer::of<N>(exec, blocks * results);
        const dim3 grid(blocks_for(blocks * warp), static_cast<unsigned>(results));
        launch(exec, op, grid, multidigit_threads, sum_blocks_kernel<N>, n, blocks, terms, format.bits(), sums.view());
        launch(exec, op, static_cast<unsigned>(results), merge_threads, merge_blocks_kernel<N>, blocks, sums.view(),
               format.bits(), y);
    });
}

}  // namespace residua::blas::detail
