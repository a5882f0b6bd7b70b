#include <residua/blas/multidigit/sums.cuh>

namespace residua::blas::detail {
namespace {

constexpr int lanes = static_cast<int>(multidigit_lanes);  // threads of a block
constexpr int warp = 32;

/// Numbers of so many digits are asked for while the product before theirs is added: their words are the lines of a
/// tile, one for each of 16 lanes. Shorter ones wait in registers by then; longer ones are kept busy by their products.
template <int N>
inline constexpr bool is_fetched_ahead = N > 8 && N <= 14;

/// Whether the numbers from x on fill tiles, one for each lane.
__device__ bool fills_tiles(const multidigit_operand& x) { return x.stride == 1 && x.start.first % warp == 0; }

/// Asks for the tiles in which the numbers at x and y are those of this lane.
__device__ void fetch_tiles(const std::uint32_t* x, const std::uint32_t* y, int digits)
{
    const int lane = static_cast<int>(threadIdx.x) % warp;
    const int word = lane % (warp / 2);
    if (word <= digits) {
        const std::uint32_t* const line = (lane < warp / 2 ? x : y) - lane + word * warp;
        asm volatile("prefetch.global.L2 [%0];" ::"l"(line));
    }
}

/// The terms of a block; the sum of this thread's lane, whose numbers lie whole tiles apart.
template <int N>
__device__ device_sum<N> sum_of_lane(index_t first, index_t last, const multidigit_terms& terms, int p)
{
    device_sum<N> sum;
    index_t i = first + threadIdx.x;
    if (i >= last) {
        return sum;
    }
    const int digits = terms.x.start.digits;
    const std::uint32_t* x = terms.x.start.number(i * terms.x.stride);
    const index_t x_step = lanes * terms.x.stride * (digits + 1);
    if (terms.magnitudes) {
        RESIDUA_KEEP_LOOP
        for (; i < last; i += lanes, x += x_step) {
            sum.add(abs(residua::detail::load<device_digit, N, true>(x, digits)), p);
        }
        return sum;
    }
    const std::uint32_t* y = terms.y.start.number(i * terms.y.stride);
    const index_t y_step = lanes * terms.y.stride * (digits + 1);
    const bool fetches_ahead = is_fetched_ahead<N> && fills_tiles(terms.x) && fills_tiles(terms.y);
    read_ahead<N, 8> next;
    next.read(x, y, digits);
    RESIDUA_KEEP_LOOP
    for (; i < last; i += lanes, x += x_step, y += y_step) {
        const auto now = next.take(x, y, digits);
        if (i + lanes < last) {
            next.read(x + x_step, y + y_step, digits);
            if (fetches_ahead) {
                fetch_tiles(x + x_step, y + y_step, digits);
            }
        }
        if (!sum.add_usual_product(now.x, now.y, p)) {
            sum = with_unusual_product<N>(sum, x, y, digits, p);
        }
    }
    return sum;
}

/// Of such blocks on a multiprocessor.
template <int N>
inline constexpr int least_blocks = N <= 32 ? 4 : 1;

/// Block blockIdx.y of the sum that makes result blockIdx.x: it becomes the result if there is no other.
template <int N>
__global__ void __launch_bounds__(lanes, least_blocks<N>)
    sum_blocks_kernel(index_t n, index_t length, const __grid_constant__ multidigit_terms terms, int p,
                      device_sums sums, multidigit_result y)
{
    take_turn();
    const index_t first = index_t{blockIdx.y} * length;
    const index_t last = first + length < n ? first + length : n;
    device_sum<N> sum = sum_of_lane<N>(first, last, terms.of_result(blockIdx.x), p);
    sum.raise(largest_of_block<lanes / warp>(sum.get().top));
    add_block<N, lanes / warp>(sum);
    if (threadIdx.x != 0) {
        return;
    }
    if (gridDim.y > 1) {
        sums.store<N>(index_t{blockIdx.x} * gridDim.y + blockIdx.y, sum);
    } else {
        y.store(blockIdx.x, sum.result(p));
    }
}

constexpr int most_warps = (static_cast<int>(multidigit_most_blocks) + warp - 1) / warp;

/// Merges the sums of all blocks of result blockIdx.x, one for each thread.
template <int N>
__global__ void __launch_bounds__(most_warps* warp, 1)
    merge_blocks_kernel(index_t blocks, device_sums sums, int p, multidigit_result y)
{
    take_turn();
    device_sum<N> sum;
    if (threadIdx.x < blocks) {
        sum = sums.load<N>(index_t{blockIdx.x} * blocks + threadIdx.x);
    }
    sum.raise(largest_of_block<most_warps>(sum.get().top));
    add_block<N, most_warps>(sum);
    if (threadIdx.x == 0) {
        y.store(blockIdx.x, sum.result(p));
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
    const index_t length = terms_of_block(n);
    const index_t blocks = n > 0 ? (n + length - 1) / length : 1;
    with_device_size(format, [&]<int N>() {
        const auto sums = device_sum_buffer::of<N>(exec, blocks > 1 ? blocks * results : 0);
        const dim3 grid(static_cast<unsigned>(results), static_cast<unsigned>(blocks));
        launch(exec, op, grid, lanes, sum_blocks_kernel<N>, n, length, terms, format.bits(), sums.view(), y);
        if (blocks > 1) {
            const auto threads = static_cast<unsigned>((blocks + warp - 1) / warp * warp);
            launch(exec, op, static_cast<unsigned>(results), threads, merge_blocks_kernel<N>, blocks, sums.view(),
                   format.bits(), y);
        }
    });
}

}  // namespace residua::blas::detail
