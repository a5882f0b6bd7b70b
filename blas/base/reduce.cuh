#pragma once

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/check_cuda.cuh>
#include <residua/blas/base/device_scalar.hpp>

/// Long sums on a device, in the order of reduction_order.hpp.
namespace residua::blas::detail {

inline constexpr int sum_block = 256;  // threads
inline constexpr int warp_lanes = 32;
static_assert(reduction_lanes == warp_lanes, "a warp sums a block of the order of summation");

/// Accumulators in planes: word k of accumulator i is data[k stride + i].
template <class T>
struct accumulators {
    double* data;
    index_t stride;

    RESIDUA_HD accumulator_of<T> load(index_t i) const
    {
        accumulator_of<T> a;
        residua::detail::unroll<accumulator_of<T>::words>([&](int k) __attribute__((always_inline)) {
            a.w[k] = data[k * stride + i];
        });
        return a;
    }

    RESIDUA_HD void store(index_t i, const accumulator_of<T>& a) const
    {
        residua::detail::unroll<accumulator_of<T>::words>([&](int k) __attribute__((always_inline)) {
            data[k * stride + i] = a.w[k];
        });
    }
};

/// Device memory for n of them, in stream order.
template <class T>
class accumulator_buffer {
public:
    accumulator_buffer(const cuda_executor& exec, index_t n) : words_(n * accumulator_of<T>::words, exec), n_(n) {}

    accumulators<T> view() { return {words_.data(), n_}; }

private:
    buffer<cuda_executor, double> words_;
    index_t n_;
};

/// Lane l + half is merged into lane l for half = 16, ..., 1; the sum is in lane 0.
template <class T>
__device__ inline void merge_warp(accumulator_of<T>& sum)
{
    for (int half = warp_lanes / 2; half > 0; half /= 2) {
        accumulator_of<T> other;
        residua::detail::unroll<accumulator_of<T>::words>([&](int k) __attribute__((always_inline)) {
            other.w[k] = __shfl_down_sync(0xffffffffu, sum.w[k], static_cast<unsigned>(half));
        });
        sum.merge(other);
    }
}

/// One block of the order of summation by the lanes of a warp: elements first, ..., last - 1 of x, as sum_block of
/// reduce.hpp.
template <class T, class Add, class... X>
__device__ inline accumulator_of<T> sum_of_block(index_t first, index_t last, const Add& add, const X&... x)
{
    const index_t lane = threadIdx.x % warp_lanes;
    constexpr index_t steps = tidy_period<T>;
    accumulator_of<T> sum;
    for (index_t i = first; i < last; i += warp_lanes * steps) {
        residua::detail::unroll<static_cast<int>(steps)>([&](int s) __attribute__((always_inline)) {
            const index_t at = i + s * warp_lanes + lane;
            add(sum, (at < last ? x.load(at) : typename X::value_type{0.0})...);
        });
        tidy(sum);
    }
    merge_warp<T>(sum);
    return sum;
}

template <class T, class Add, class... X>
__global__ void __launch_bounds__(sum_block) sum_blocks_kernel(index_t n, Add add, accumulators<T> partial, X... x)
{
    const index_t b = (index_t{blockIdx.x} * sum_block + threadIdx.x) / warp_lanes;
    const index_t first = b * reduction_block;
    if (first < n) {
        const index_t end = first + reduction_block;
        const accumulator_of<T> sum = sum_of_block<T>(first, end < n ? end : n, add, x...);
        if (threadIdx.x % warp_lanes == 0) {
            partial.store(b, sum);
        }
    }
}

/// Where a sum goes when it is done.
template <class T>
__device__ inline void store_number(double* to, const T& x)
{
    for (int k = 0; k < number_traits<T>::terms; ++k) {
        to[k] = term(x, k);
    }
}

/// Merges each 2 sum_block neighbours of `count` accumulators pairwise into one; the last one left becomes the result.
template <class T>
__global__ void __launch_bounds__(sum_block)
    merge_blocks_kernel(index_t count, accumulators<T> from, accumulators<T> to, double* result)
{
    constexpr int words = accumulator_of<T>::words;
    __shared__ double shared[words * sum_block];
    const accumulators<T> here{shared, sum_block};
    const int t = static_cast<int>(threadIdx.x);
    const index_t first = index_t{blockIdx.x} * 2 * sum_block;
    index_t left = count - first < 2 * sum_block ? count - first : 2 * sum_block;  // accumulators not merged yet
    for (accumulators<T> level{from.data + first, from.stride};; level = here) {
        accumulator_of<T> sum;
        const bool mine = 2 * t < left;
        if (mine) {
            sum = level.load(2 * t);
            if (2 * t + 1 < left) {
                sum.merge(level.load(2 * t + 1));
            }
        }
        left = (left + 1) / 2;
        if (left == 1) {
            if (t == 0 && result != nullptr) {
                store_number<T>(result, sum.result());
            } else if (t == 0) {
                to.store(blockIdx.x, sum);
            }
            return;
        }
        __syncthreads();  // all have read
        if (mine) {
            here.store(t, sum);
        }
        __syncthreads();
    }
}

/// result <- the sum of add(accumulator, x[i]...) over i < n, in device memory.
///
/// cost  one pass over x, and for each 2^18 elements one over 512 accumulators
template <class T, class Add, class... X>
void sum_in_order(const cuda_executor& exec, const char* op, index_t n, const Add& add, scalar_place<T> result,
                  const X&... x)
{
    const device_guard current(exec);
    if (n == 0) {
        require_cuda(op, cudaMemsetAsync(result.words, 0, number_traits<T>::terms * sizeof(double), exec.stream));
        return;
    }
    index_t count = (n + reduction_block - 1) / reduction_block;
    accumulator_buffer<T> sums(exec, count);
    constexpr index_t each = sum_block / warp_lanes;
    sum_blocks_kernel<T>
        <<<static_cast<unsigned>((count + each - 1) / each), sum_block, 0, exec.stream>>>(n, add, sums.view(), x...);
    require_cuda(op, cudaGetLastError());
    for (;;) {
        const index_t merged = (count + 2 * sum_block - 1) / (2 * sum_block);
        accumulator_buffer<T> next(exec, merged);
        merge_blocks_kernel<T><<<static_cast<unsigned>(merged), sum_block, 0, exec.stream>>>(
            count, sums.view(), next.view(), merged == 1 ? result.words : nullptr);
        require_cuda(op, cudaGetLastError());
        if (merged == 1) {
            return;
        }
        sums = std::move(next);
        count = merged;
    }
}

}  // namespace residua::blas::detail
