#pragma once

#include <utility>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/check_cuda.cuh>
#include <residua/blas/base/device_scalar.hpp>

/// Long sums on a device, in the order of reduction_order.hpp.
namespace residua::blas::detail {

inline constexpr int sum_block = 256;  // threads
inline constexpr int warp_lanes = 32;
inline constexpr int sum_warps = sum_block / warp_lanes;
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

/// Device memory for n of them, not cleared, in stream order.
template <class T>
class accumulator_buffer {
public:
    accumulator_buffer(const cuda_executor& exec, index_t n)
        : exec_(exec),
          words_(static_cast<double*>(residua::detail::cuda_allocate(
              exec, static_cast<std::size_t>(n) * accumulator_of<T>::words * sizeof(double)))),
          n_(n)
    {}
    accumulator_buffer(const accumulator_buffer&) = delete;
    accumulator_buffer& operator=(const accumulator_buffer&) = delete;
    ~accumulator_buffer() { residua::detail::cuda_free(exec_, words_); }

    accumulators<T> view() { return {words_, n_}; }

private:
    cuda_executor exec_;
    double* words_;
    index_t n_;
};

/// The accumulator of the lane `step` lanes on.
template <class T>
__device__ inline accumulator_of<T> from_lane_after(const accumulator_of<T>& sum, int step)
{
    accumulator_of<T> other;
    residua::detail::unroll<accumulator_of<T>::words>([&](int k) __attribute__((always_inline)) {
        other.w[k] = __shfl_down_sync(0xffffffffu, sum.w[k], static_cast<unsigned>(step));
    });
    return other;
}

/// Lane l + half is merged into lane l for half = 16, ..., 1; the sum is in lane 0.
template <class T>
__device__ inline void merge_lanes(accumulator_of<T>& sum)
{
    for (int half = warp_lanes / 2; half > 0; half /= 2) {
        sum.merge(from_lane_after<T>(sum, half));
    }
}

/// The first `count` lanes are merged pairwise, neighbours first, an odd last one moving up unchanged; the sum is in
/// lane 0.
template <class T>
__device__ inline void merge_neighbours(accumulator_of<T>& sum, int count)
{
    const int lane = static_cast<int>(threadIdx.x % warp_lanes);
    for (int step = 1; step < count; step *= 2) {
        const accumulator_of<T> other = from_lane_after<T>(sum, step);
        if (lane % (2 * step) == 0 && lane + step < count) {
            sum.merge(other);
        }
    }
}

/// The same of lane 0 of the first `count` of `Warps` warps of a block; the sum is in thread 0.
template <class T, int Warps>
__device__ inline void merge_warps(accumulator_of<T>& sum, int count)
{
    __shared__ double shared[accumulator_of<T>::words * Warps];
    const accumulators<T> of_warps{shared, Warps};
    const int thread = static_cast<int>(threadIdx.x);
    if (thread % warp_lanes == 0) {
        of_warps.store(thread / warp_lanes, sum);
    }
    __syncthreads();
    if (thread < warp_lanes) {
        if (thread < count) {
            sum = of_warps.load(thread);
        }
        merge_neighbours<T>(sum, count);
    }
}

/// Items that a thread merges at most before it goes on with others.
inline constexpr int run_levels = 4;
inline constexpr index_t longest_run = 1 << (run_levels - 1);

/// load(first), ..., load(last - 1), longest_run at most, merged pairwise as above; empty if there are none.
template <class T, class Load>
__device__ inline accumulator_of<T> merge_run(index_t first, index_t last, const Load& load)
{
    accumulator_of<T> waiting[run_levels];  // [l]: 2^l items merged, if the count of items so far has bit l
    const int count = last > first ? static_cast<int>(last - first) : 0;
    for (int k = 0; k < count; ++k) {
        accumulator_of<T> sum = load(first + k);
        bool carried = true;
        residua::detail::unroll<run_levels>([&](int l) __attribute__((always_inline)) {
            if (carried && (k >> l & 1) != 0) {
                waiting[l].merge(sum);
                sum = waiting[l];
            } else if (carried) {
                waiting[l] = sum;
                carried = false;
            }
        });
    }
    accumulator_of<T> total;
    bool any = false;
    residua::detail::unroll<run_levels>([&](int l) __attribute__((always_inline)) {
        if ((count >> l & 1) != 0) {
            if (any) {
                waiting[l].merge(total);
            }
            total = waiting[l];
            any = true;
        }
    });
    return total;
}

/// The least power of two that is not less than items / threads, at most longest_run.
inline index_t run_length(index_t items, index_t threads)
{
    index_t length = 1;
    while (length < longest_run && length * threads < items) {
        length *= 2;
    }
    return length;
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
    merge_lanes<T>(sum);
    return sum;
}

/// Where a sum goes when it is done.
template <class T>
__device__ inline void store_number(double* to, const T& x)
{
    for (int k = 0; k < number_traits<T>::terms; ++k) {
        to[k] = term(x, k);
    }
}

/// The warps of a block sum neighbouring blocks of the order of summation and merge them: accumulator blockIdx.x, or
/// the result if there is no other.
template <class T, class Add, class... X>
__global__ void __launch_bounds__(sum_block)
    sum_blocks_kernel(index_t n, Add add, accumulators<T> partial, double* result, X... x)
{
    const index_t before = index_t{blockIdx.x} * sum_warps;
    const index_t blocks = (n + reduction_block - 1) / reduction_block;
    const index_t b = before + threadIdx.x / warp_lanes;
    accumulator_of<T> sum;
    if (b < blocks) {
        const index_t end = (b + 1) * reduction_block;
        sum = sum_of_block<T>(b * reduction_block, end < n ? end : n, add, x...);
    }
    merge_warps<T, sum_warps>(sum, static_cast<int>(blocks - before < sum_warps ? blocks - before : sum_warps));
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

/// result <- the sum of add(accumulator, x[i]...) over i < n, in device memory.
///
/// cost  one pass over x; one over n / 4096 accumulators; for each 2^25 elements (2^24 from 6 terms on) one more
template <class T, class Add, class... X>
void sum_in_order(const cuda_executor& exec, const char* op, index_t n, const Add& add, device_scalar<T>& result,
                  const X&... x)
{
    const device_guard current(exec);
    if (n == 0) {
        require_cuda(op, cudaMemsetAsync(result.data(), 0, number_traits<T>::terms * sizeof(double), exec.stream));
        return;
    }
    const index_t elements = reduction_block * sum_warps;
    index_t count = (n + elements - 1) / elements;
    const auto left = [](index_t items) {
        const index_t each = merge_block<T> * run_length(items, merge_block<T>);
        return (items + each - 1) / each;
    };
    accumulator_buffer<T> sums(exec, count + left(count));
    accumulators<T> from = sums.view();
    accumulators<T> to{from.data + count, from.stride};
    sum_blocks_kernel<T>
        <<<static_cast<unsigned>(count), sum_block, 0, exec.stream>>>(n, add, from, result.data(), x...);
    require_cuda(op, cudaGetLastError());
    while (count > 1) {
        const index_t merged = left(count);
        merge_blocks_kernel<T><<<static_cast<unsigned>(merged), merge_block<T>, 0, exec.stream>>>(
            count, run_length(count, merge_block<T>), from, to, result.data());
        require_cuda(op, cudaGetLastError());
        std::swap(from, to);
        count = merged;
    }
}

}  // namespace residua::blas::detail
