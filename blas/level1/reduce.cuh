#pragma once

#include <type_traits>
#include <utility>

#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/launch.cuh>
#include <residua/blas/base/read_once.cuh>
#include <residua/blas/level1/accumulators.cuh>

/// Long sums on a device, in the order of reduction_order.hpp.
namespace residua::blas::detail {

inline constexpr int sum_block = 256;  // threads
inline constexpr int sum_warps = sum_block / warp_lanes;
static_assert(reduction_lanes == warp_lanes, "a warp sums a block of the order of summation");

/// The elements x[i], x[i + warp_lanes], ..., which are read together.
template <class X, int Steps>
struct every_lane {
    typename X::value_type number[Steps];

    __device__ void read(const X& x, index_t i)
    {
        residua::detail::unroll<Steps>([&](int s)
                                           __attribute__((always_inline)) { number[s] = x.load(i + s * warp_lanes); });
    }
};

/// Sums one block of the order of summation by the lanes of a warp: elements first, ..., last - 1 of x, as sum_block of
/// reduce.hpp.
template <class T, class Add, class... X>
__device__ inline accumulator_of<T> sum_of_block(index_t first, index_t last, const Add& add, const X&... x)
{
    constexpr int period = static_cast<int>(renormalization_period<T>);
    constexpr int words = accumulator_of<T>::words;
    constexpr int together = words <= 2 ? period : 1;  // steps whose elements are read at once, before they are needed
    const index_t lane = threadIdx.x % warp_lanes;
    accumulator_of<T> sum;
    if (last - first == reduction_block) {
        const auto read = [&](index_t i, auto&... to) __attribute__((always_inline)) { (to.read(x, i), ...); };
        const auto add_steps = [&](int before, const auto&... from) __attribute__((always_inline))
        {
            residua::detail::unroll<together>([&](int s) __attribute__((always_inline)) {
                add(sum, from.number[s]...);
                if ((before + s + 1) % period == 0) {
                    renormalize(sum);
                }
            });
        };
        [&](auto... now) __attribute__((always_inline))
        {
            read(first + lane, now...);
            for (index_t i = first + lane; i < last; i += warp_lanes * period) {
                residua::detail::unroll<period / together>([&](int group) __attribute__((always_inline)) {
                    const index_t at = i + (group + 1) * together * warp_lanes;
                    [&](auto... next) __attribute__((always_inline))
                    {
                        if (at < last) {
                            read(at, next...);
                        }
                        add_steps(group * together, now...);
                        ((now = next), ...);
                    }
                    (every_lane<X, together>{}...);
                });
            }
        }
        (every_lane<X, together>{}...);
    } else {
        for (index_t i = first; i < last; i += warp_lanes * period) {
            for (index_t at = i + lane; at < i + warp_lanes * period; at += warp_lanes) {
                add(sum, (at < last ? x.load(at) : typename X::value_type{0.0})...);
            }
            renormalize(sum);
        }
    }
    merge_lanes<T>(sum);
    return sum;
}

/// sum <- sum + x y
struct add_products {
    template <class Sum, class X, class T>
    __device__ void operator()(Sum& sum, const X& x, const T& y) const
    {
        add_product(sum, x, y);
    }
};

/// Stores the terms of x at `to`.
template <class T>
__device__ inline void store_number(double* to, const T& x)
{
    for (int k = 0; k < number_traits<T>::terms; ++k) {
        to[k] = term(x, k);
    }
}

/// The words of a result of type R: a number, or an accumulator.
template <class R>
inline constexpr int words_of_result = number_traits<R>::terms;
template <int N>
inline constexpr int words_of_result<accumulator<N>> = accumulator<N>::words;

/// Stores the sum at `to`: rounded to the number R, or as it is if R is its accumulator.
template <class R, int N>
__device__ inline void store_sum(double* to, const accumulator<N>& sum)
{
    if constexpr (std::is_same_v<R, accumulator<N>>) {
        for (int k = 0; k < words_of_result<R>; ++k) {
            to[k] = sum.w[k];
        }
    } else {
        store_number(to, rounded_to<R>(sum.result()));
    }
}

/// The warps of a block sum neighbouring blocks of the order of summation and merge the sums: into accumulator
/// blockIdx.x, or into the result if the grid has one block.
template <class T, class Add, class R, class... X>
__global__ void __launch_bounds__(sum_block, accumulator_of<T>::words <= 4 ? 2 : 1)
    sum_blocks_kernel(index_t n, Add add, accumulators<T> partial, scalar_place<R> result, X... x)
{
    wait_and_trigger();
    const index_t before = index_t{blockIdx.x} * sum_warps;
    const index_t blocks = (n + reduction_block - 1) / reduction_block;
    const index_t b = before + threadIdx.x / warp_lanes;
    accumulator_of<T> sum;
    if (b < blocks) {
        const index_t end = (b + 1) * reduction_block;
        sum = sum_of_block<T>(b * reduction_block, end < n ? end : n, add, read_once<X, half_leaves_first>(x)...);
    }
    merge_warps<T, sum_warps>(sum, static_cast<int>(blocks - before < sum_warps ? blocks - before : sum_warps));
    if (threadIdx.x == 0) {
        if (gridDim.x == 1) {
            store_sum<R>(result.words, sum);
        } else {
            partial.store(blockIdx.x, sum);
        }
    }
}

/// The threads of a block that merges accumulators.
template <class T>
inline constexpr int merge_block = accumulator_of<T>::words <= 4 ? 1024 : 512;

/// Merges each merge_block runs of neighbours of `count` accumulators pairwise into one; the last one left becomes the
/// result.
template <class T, class R>
__global__ void __launch_bounds__(merge_block<T>)
    merge_blocks_kernel(index_t count, index_t run, accumulators<T> from, accumulators<T> to, scalar_place<R> result)
{
    wait_and_trigger();
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
            store_sum<R>(result.words, sum);
        } else {
            to.store(blockIdx.x, sum);
        }
    }
}

/// result <- the sum of add(accumulator, x[i]...) over i < n, in device memory; rounded to R unless R is an accumulator.
///
/// cost  one pass over x; one over n / 4096 accumulators; for each 2^25 elements (2^24 from 6 terms on) one more
template <class T, class R = T, class Add, class... X>
void sum_in_order(const cuda_executor& exec, const char* op, index_t n, const Add& add,
                  std::type_identity_t<scalar_place<R>> result, const X&... x)
{
    const device_guard current(exec);
    if (n == 0) {
        require_cuda(op, cudaMemsetAsync(result.words, 0, words_of_result<R> * sizeof(double), exec.stream));
        return;
    }
    constexpr index_t elements = reduction_block * sum_warps;
    index_t count = (n + elements - 1) / elements;
    const auto left = [](index_t items) {
        const index_t each = merge_block<T> * run_length(items, merge_block<T>);
        return (items + each - 1) / each;
    };
    accumulator_buffer<T> sums(exec, count + left(count));
    accumulators<T> from = sums.view();
    accumulators<T> to{from.data + count, from.stride};
    launch(exec, op, static_cast<unsigned>(count), sum_block, sum_blocks_kernel<T, Add, R, X...>, n, add, from, result,
           x...);
    while (count > 1) {
        const index_t merged = left(count);
        const index_t run = run_length(count, merge_block<T>);
        const index_t threads = ((count + run - 1) / run + warp_lanes - 1) / warp_lanes * warp_lanes;
        const auto block = static_cast<unsigned>(threads < merge_block<T> ? threads : merge_block<T>);
        launch(exec, op, static_cast<unsigned>(merged), block, merge_blocks_kernel<T, R>, count, run, from, to, result);
        std::swap(from, to);
        count = merged;
    }
}

}  // namespace residua::blas::detail
