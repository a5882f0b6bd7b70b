#include <residua/blas/multidigit/sums.cuh>

namespace residua::blas::detail {
namespace {

constexpr int warp = 32;
static_assert(multidigit_lanes == warp, "a warp sums a block");

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
    const std::uint32_t* x = terms.x.start.number(i * terms.x.stride);
    const index_t x_step = warp * terms.x.stride * (digits + 1);
    if (terms.magnitudes) {
        RESIDUA_KEEP_LOOP
        for (; i < last; i += warp, x += x_step) {
            sum.add(abs(residua::detail::load<device_digit, N>(x, digits)), p);
        }
        return sum;
    }
    const std::uint32_t* y = terms.y.start.number(i * terms.y.stride);
    const index_t y_step = warp * terms.y.stride * (digits + 1);
    read_ahead<N, 14> next;
    next.read(x, y, digits);
    RESIDUA_KEEP_LOOP
    for (; i < last; i += warp, x += x_step, y += y_step) {
        const auto now = next.take(x, y, digits);
        if (i + warp < last) {
            next.read(x + x_step, y + y_step, digits);
        }
        if (!sum.add_usual_product(now.x, now.y, p)) {
            sum = with_unusual_product<N>(sum, x, y, digits, p);
        }
    }
    return sum;
}

/// On a multiprocessor, so that the blocks of 10^6 terms are there together: registers are left out rather.
template <int N>
inline constexpr int least_blocks = N <= 32 ? 4 : 1;

/// A warp for each block of the order of summation, of which each result blockIdx.y has its own.
template <int N>
__global__ void __launch_bounds__(multidigit_threads, least_blocks<N>)
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

/// Threads that merge the sums of all blocks, at most.
template <int N>
inline constexpr int merge_threads = N <= 14 ? 1024 : 512;

/// Merges the sums of all blocks of result blockIdx.x.
template <int N>
__global__ void __launch_bounds__(merge_threads<N>, 1)
    merge_blocks_kernel(index_t blocks, device_sums sums, int p, multidigit_result y)
{
    take_turn();
    __shared__ std::int64_t tops[merge_threads<N> / warp];
    __shared__ typename device_sum<N>::state parts[merge_threads<N> / warp];
    const unsigned warps = blockDim.x / warp;
    const int w = static_cast<int>(threadIdx.x) / warp;
    const index_t begin = index_t{blockIdx.x} * blocks;
    device_sum<N> sum;
    if (threadIdx.x < blocks) {
        sum = sums.load<N>(begin + threadIdx.x);
    }
    std::int64_t top = sum.get().top;
    for (index_t b = threadIdx.x + blockDim.x; b < blocks; b += blockDim.x) {
        const std::int64_t next = sums.top<N>(begin + b);
        top = next > top ? next : top;
    }
    top = largest_of_warp(top);
    if (threadIdx.x % warp == 0) {
        tops[w] = top;
    }
    __syncthreads();
    top = largest_of_warp(tops[threadIdx.x % warps]);
    sum.raise(top);
    RESIDUA_KEEP_LOOP
    for (index_t b = threadIdx.x + blockDim.x; b < blocks; b += blockDim.x) {
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
        const index_t whole_warps = (blocks + warp - 1) / warp * warp;
        const auto threads = static_cast<unsigned>(whole_warps < merge_threads<N> ? whole_warps : merge_threads<N>);
        launch(exec, op, static_cast<unsigned>(results), threads, merge_blocks_kernel<N>, blocks, sums.view(),
               format.bits(), y);
    });
}

}  // namespace residua::blas::detail
