#pragma once

#include <utility>

#include <residua/blas/base/launch.cuh>
#include <residua/blas/level1/accumulators.cuh>

/// Long sums on a device, in the order of reduction_order.hpp, for formats whose numbers warps hold; reduce.cuh is
/// for formats whose numbers threads hold.
namespace residua::blas::detail {

inline constexpr int sum_team = 8;           // warps that share a block of the order of summation
inline constexpr int lane_sums_stride = 33;  // one more than lanes, for the banks of shared memory

/// One block of the order of summation by sum_team warps, as sum_block of reduce.hpp; all of them get the sum.
template <class T, class Add, class... X>
__device__ inline held_accumulator<T> sum_of_block_by_warps(index_t first, index_t last, const Add& add, const X&... x)
{
    __shared__ double shared[number_traits<T>::terms * lane_sums_stride];
    const accumulators<T> of_lanes{shared, lane_sums_stride};
    const index_t warp = threadIdx.x / 32;
    for (index_t lane = warp; lane < reduction_lanes; lane += sum_team) {
        held_accumulator<T> sum;
        for (index_t i = first + lane; i - lane < last; i += reduction_lanes) {
            add(sum, (i < last ? x.load(i) : typename X::value_type{0.0})...);
        }
        of_lanes.store(lane, sum);
    }
    for (index_t half = reduction_lanes / 2; half > 0; half /= 2) {
        __syncthreads();
        for (index_t lane = warp; lane < half; lane += sum_team) {
            held_accumulator<T> sum = of_lanes.load(lane);
            sum.merge(of_lanes.load(lane + half));
            of_lanes.store(lane, sum);
        }
    }
    __syncthreads();
    return of_lanes.load(0);
}

/// result[k] <- term k
template <int N>
__device__ inline void store_number(double* result, const warp_number<N>& x)
{
    if (warp_lane() < N) {
        result[warp_lane()] = x.term;
    }
}

/// Block b of the order of summation: accumulator b, or the result if there is no other.
template <class T, class Add, class... X>
__global__ void __launch_bounds__(32 * sum_team)
    sum_blocks_by_warps(index_t n, Add add, accumulators<T> partial, double* result, X... x)
{
    wait_and_trigger();
    const index_t first = index_t{blockIdx.x} * reduction_block;
    const index_t last = first + reduction_block < n ? first + reduction_block : n;
    const auto sum = sum_of_block_by_warps<T>(first, last, add, x...);
    if (threadIdx.x < 32) {
        if (gridDim.x == 1) {
            store_number(result, sum.result());
        } else {
            partial.store(blockIdx.x, sum);
        }
    }
}

/// Each longest_run neighbours of `count` accumulators merged into one by a warp; the last one left is the result.
template <class T>
__global__ void __launch_bounds__(32 * sum_team)
    merge_by_warps(index_t count, accumulators<T> from, accumulators<T> to, double* result)
{
    wait_and_trigger();
    const index_t warp = index_t{blockIdx.x} * sum_team + threadIdx.x / 32;
    const index_t first = warp * longest_run;
    if (first < count) {
        const index_t last = first + longest_run < count ? first + longest_run : count;
        const auto sum = merge_run<T>(first, last, [&](index_t i) { return from.load(i); });
        if (count <= longest_run) {
            store_number(result, sum.result());
        } else {
            to.store(warp, sum);
        }
    }
}

/// result <- the sum of add(accumulator, x[i]...) over i < n, in device memory.
template <class T, class Add, class... X>
    requires(threads_each<T> > 1)
void sum_in_order(const cuda_executor& exec, const char* op, index_t n, const Add& add, scalar_place<T> result,
                  const X&... x)
{
    const device_guard current(exec);
    if (n == 0) {
        require_cuda(op, cudaMemsetAsync(result.words, 0, number_traits<T>::terms * sizeof(double), exec.stream));
        return;
    }
    index_t count = (n + reduction_block - 1) / reduction_block;
    const auto merged = [](index_t items) { return (items + longest_run - 1) / longest_run; };
    accumulator_buffer<T> sums(exec, count + merged(count));
    accumulators<T> from = sums.view();
    accumulators<T> to{from.data + count, from.stride};
    launch(exec, op, static_cast<unsigned>(count), 32 * sum_team, sum_blocks_by_warps<T, Add, decltype(as_held(x))...>,
           n, add, from, result.words, as_held(x)...);
    for (; count > 1; count = merged(count)) {
        const auto blocks = static_cast<unsigned>((merged(count) + sum_team - 1) / sum_team);
        launch(exec, op, blocks, 32 * sum_team, merge_by_warps<T>, count, from, to, result.words);
        std::swap(from, to);
    }
}

}  // namespace residua::blas::detail
