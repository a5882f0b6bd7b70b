#pragma once

#include <cstddef>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/check_cuda.cuh>
#include <residua/blas/base/unroll.hpp>

/// Accumulators in device memory, and how the threads of a device merge them pairwise, in the order of
/// reduction_order.hpp.
namespace residua::blas::detail {

inline constexpr int warp_lanes = 32;

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

/// Device memory for n accumulators, not cleared, in stream order.
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

/// The accumulator of the lane `step` lanes after this one.
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

/// Merges lane 0 of the first `count` of `Warps` warps of a block as merge_neighbours does; the sum is in thread 0.
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

/// longest_run: the most items that a thread merges before it goes on with other items.
inline constexpr int run_levels = 4;
inline constexpr index_t longest_run = 1 << (run_levels - 1);

/// load(first), ..., load(last - 1), longest_run at most, merged as by merge_neighbours; empty if there are none.
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

/// load(0), ..., load(count - 1), below 2^Levels of them, merged one after the other in the order of merge_neighbours.
template <class T, int Levels, class Load>
__device__ inline accumulator_of<T> merge_all(index_t count, const Load& load)
{
    accumulator_of<T> waiting[Levels];
    int depth = 0;
    for (index_t c = 0; c < count; ++c) {
        accumulator_of<T> sum = load(c);
        for (index_t n = c; depth > 0 && (c + 1 == count || n % 2 == 1); n /= 2) {
            accumulator_of<T> before = waiting[--depth];
            before.merge(sum);
            sum = before;
        }
        waiting[depth++] = sum;
    }
    return depth > 0 ? waiting[0] : accumulator_of<T>{};
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

}  // namespace residua::blas::detail
