#pragma once

#include <utility>

#include <residua/blas/base/accumulators.cuh>
#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/launch_early.cuh>
#include <residua/blas/base/read_ahead.cuh>

/// Long sums on a device, in the order of reduction_order.hpp.
namespace residua::blas::detail {

inline constexpr int sum_block = 128;  // threads
inline constexpr int sum_warps = sum_block / warp_lanes;
static_assert(reduction_lanes == warp_lanes, "a warp sums a block of the order of summation");

/// What a warp does with numbers of T or with pairs of them: blocks of the order of summation, one after the other.
///
/// A stage is what each lane adds between two tidies; two are under way, three if they are small.
template <class T, class... X>
struct block_sums {
    static constexpr int steps = static_cast<int>(tidy_period<T>);
    static constexpr int numbers = (X::terms + ...);  // words of a step
    static constexpr int stages = numbers <= 4 ? 3 : 2;
    static constexpr index_t elements = index_t{warp_lanes} * steps;  // of a stage
    static_assert(reduction_block % elements == 0);
    using ring = read_ahead<sum_block, steps * numbers, stages>;
    static constexpr int shared_bytes = ring::shared_words * static_cast<int>(sizeof(double));

    /// Blocks first, ..., last - 1 of add(accumulator, x[i]...) over i < n, longest_run at most, merged pairwise; in
    /// lane 0.
    template <class Add>
    __device__ static accumulator_of<T> sum(double* shared, index_t first, index_t last, index_t n, const Add& add,
                                            const X&... x)
    {
        const index_t end = last * reduction_block < n ? last * reduction_block : n;
        index_t next = first * reduction_block;
        ring ahead(shared);
        for (int s = 0; s < stages; ++s) {
            fetch(ahead, next + s * elements, end, x...);
        }
        return merge_run<T>(first, last, [&](index_t b) {
            const index_t end_of_block = (b + 1) * reduction_block;
            accumulator_of<T> sum;
            for (; next < end_of_block && next < end; next += elements) {
                ahead.wait();
                residua::detail::unroll<steps>([&](int s) __attribute__((always_inline)) {
                    add_step(ahead, s * numbers, sum, add, x...);
                });
                tidy(sum);
                fetch(ahead, next + stages * elements, end, x...);
            }
            merge_lanes<T>(sum);
            return sum;
        });
    }

private:
    __device__ static void fetch(ring& ahead, index_t first, index_t end, const X&... x)
    {
        if (first < end) {
#pragma unroll
            for (int s = 0; s < steps; ++s) {
                const index_t i = first + s * warp_lanes + threadIdx.x % warp_lanes;
                int to = s * numbers;
                ((ahead.fetch(to, x, i < end ? i : first, i < end), to += X::terms), ...);
            }
        }
        ahead.fetched();
    }

    template <class Add, class One>
    __device__ static void add_step(const ring& ahead, int from, accumulator_of<T>& sum, const Add& add, const One&)
    {
        add(sum, ahead.template take<One>(from));
    }
    template <class Add, class One, class Other>
    __device__ static void add_step(const ring& ahead, int from, accumulator_of<T>& sum, const Add& add, const One&,
                                    const Other&)
    {
        add(sum, ahead.template take<One>(from), ahead.template take<Other>(from + One::terms));
    }
};

/// Where a sum goes when it is done.
template <class T>
__device__ inline void store_number(double* to, const T& x)
{
    for (int k = 0; k < number_traits<T>::terms; ++k) {
        to[k] = term(x, k);
    }
}

/// Each warp of a block sums `run` neighbouring blocks of the order of summation, and they are merged: accumulator
/// blockIdx.x, or the result if there is no other.
template <class T, class Add, class... X>
__global__ void __launch_bounds__(sum_block)
    sum_blocks_kernel(index_t n, index_t run, Add add, accumulators<T> partial, double* result, X... x)
{
    extern __shared__ double shared[];
    let_next_start();
    const index_t before = index_t{blockIdx.x} * sum_warps;  // runs
    const index_t blocks = (n + reduction_block - 1) / reduction_block;
    const index_t left = (blocks + run - 1) / run - before;
    const index_t first = (before + threadIdx.x / warp_lanes) * run;
    accumulator_of<T> sum;
    if (first < blocks) {
        sum = block_sums<T, X...>::sum(shared, first, first + run < blocks ? first + run : blocks, n, add, x...);
    }
    merge_warps<T, sum_warps>(sum, static_cast<int>(left < sum_warps ? left : sum_warps));
    if (threadIdx.x == 0) {
        if (gridDim.x == 1) {
            store_number<T>(result, sum.result());
        } else {
            partial.store(blockIdx.x, sum);
        }
    }
}

/// Threads of a block that merges accumulators.
template <class T>
inline constexpr int merge_block = accumulator_of<T>::words <= 4 ? 1024 : 512;

/// Merges each merge_block runs of neighbours of `count` accumulators pairwise into one; the last one left becomes the
/// result.
template <class T>
__global__ void __launch_bounds__(merge_block<T>)
    merge_blocks_kernel(index_t count, index_t run, accumulators<T> from, accumulators<T> to, double* result)
{
    wait_for_previous();
    constexpr int warps = merge_block<T> / warp_lanes;
    const index_t before = index_t{blockIdx.x} * merge_block<T>;  // runs
    const index_t runs = (count + run - 1) / run - before;
    const index_t here = runs < merge_block<T> ? runs : merge_block<T>;
    const index_t first = (before + threadIdx.x) * run;
    const index_t end = first + run < count ? first + run : count;
    accumulator_of<T> sum = merge_run<T>(first, end, [&](index_t i) { return from.load(i); });
    const index_t in_warp = here - static_cast<index_t>(threadIdx.x / warp_lanes * warp_lanes);
    merge_neighbours<T>(sum, static_cast<int>(in_warp < warp_lanes ? in_warp : warp_lanes));
    merge_warps<T, warps>(sum, static_cast<int>((here + warp_lanes - 1) / warp_lanes));
    if (threadIdx.x == 0) {
        if (gridDim.x == 1) {
            store_number<T>(result, sum.result());
        } else {
            to.store(blockIdx.x, sum);
        }
    }
}

/// For a kernel that wants more shared memory than the 48 KiB that a block has unasked, its own variables among them.
template <class Kernel>
void allow_shared_memory(const char* op, Kernel* kernel, int bytes)
{
    constexpr int never_too_much = 32 << 10;
    if (bytes > never_too_much) {
        require_cuda(op, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    }
}

/// result <- the sum of add(accumulator, x[i]...) over i < n, in device memory.
///
/// cost  one pass over x; one over n / 4096 accumulators; for each 2^25 elements (2^24 from 6 terms on) one more
template <class T, class Add, class... X>
void sum_in_order(const cuda_executor& exec, const char* op, index_t n, const Add& add, scalar_place<T> result,
                  const X&... x)
{
    const device_guard current(exec);
    if (n == 0) {
        require_cuda(op, cudaMemsetAsync(result.words, 0, number_traits<T>::terms * sizeof(double), exec.stream));
        return;
    }
    constexpr index_t many = 1 << 13;  // blocks of the order of summation: every multiprocessor has some
    const index_t blocks = (n + reduction_block - 1) / reduction_block;
    const index_t run = blocks < many ? 1 : 2;
    index_t count = (blocks + run * sum_warps - 1) / (run * sum_warps);
    const auto left = [](index_t items) {
        const index_t each = merge_block<T> * run_length(items, merge_block<T>);
        return (items + each - 1) / each;
    };
    accumulator_buffer<T> sums(exec, count + left(count));
    accumulators<T> from = sums.view();
    accumulators<T> to{from.data + count, from.stride};
    const auto kernel = sum_blocks_kernel<T, Add, X...>;
    constexpr int shared = block_sums<T, X...>::shared_bytes;
    allow_shared_memory(op, kernel, shared);
    kernel<<<static_cast<unsigned>(count), sum_block, shared, exec.stream>>>(n, run, add, from, result.words, x...);
    require_cuda(op, cudaGetLastError());
    while (count > 1) {
        const index_t merged = left(count);
        require_cuda(op, launch_early(exec, dim3(static_cast<unsigned>(merged)), merge_block<T>, merge_blocks_kernel<T>,
                                      count, run_length(count, merge_block<T>), from, to, result.words));
        std::swap(from, to);
        count = merged;
    }
}

}  // namespace residua::blas::detail
