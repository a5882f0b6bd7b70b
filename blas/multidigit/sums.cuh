#pragma once

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/read_once.cuh>
#include <residua/blas/multidigit/launch.cuh>

/// Sums of multi-digit floats in the memory of a device, and how they are merged.
namespace residua::blas::detail {

/// Sums, word by word: word k of sum i is word[k * stride + i].
struct device_sums {
    std::uint32_t* word = nullptr;
    index_t stride = 0;

    /// The words of a sum of N digits: its state.
    template <int N>
    static constexpr index_t words = device_sum<N>::digits + 3;

    template <int N>
    __device__ void store(index_t i, const device_sum<N>& sum) const
    {
        const typename device_sum<N>::state& s = sum.get();
        RESIDUA_UNROLL(N)
        for (int k = 0; k < device_sum<N>::digits; ++k) {
            word[k * stride + i] = s.digit[k];
        }
        constexpr index_t after = device_sum<N>::digits;
        word[after * stride + i] = static_cast<std::uint32_t>(s.top);
        word[(after + 1) * stride + i] = static_cast<std::uint32_t>(s.top >> 32);
        word[(after + 2) * stride + i] = static_cast<std::uint32_t>(s.special);
    }

    template <int N>
    __device__ std::int64_t top(index_t i) const
    {
        constexpr index_t after = device_sum<N>::digits;
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(word[(after + 1) * stride + i]) << 32 |
                                         word[after * stride + i]);
    }

    template <int N>
    __device__ device_sum<N> load(index_t i) const
    {
        typename device_sum<N>::state s;
        RESIDUA_UNROLL(N)
        for (int k = 0; k < device_sum<N>::digits; ++k) {
            s.digit[k] = word[k * stride + i];
        }
        s.top = top<N>(i);
        s.special = static_cast<int>(word[(device_sum<N>::digits + 2) * stride + i]);
        return device_sum<N>(s);
    }
};

/// The memory of sums, not cleared, in stream order.
class device_sum_buffer {
public:
    template <int N>
    static device_sum_buffer of(const cuda_executor& exec, index_t count)
    {
        return {exec, count, device_sums::words<N>};
    }
    device_sum_buffer(const device_sum_buffer&) = delete;
    device_sum_buffer& operator=(const device_sum_buffer&) = delete;
    ~device_sum_buffer() { residua::detail::cuda_free(exec_, sums_.word); }

    device_sums view() const { return sums_; }

private:
    device_sum_buffer(const cuda_executor& exec, index_t count, index_t words)
        : exec_(exec),
          sums_{static_cast<std::uint32_t*>(residua::detail::cuda_allocate(
                    exec, static_cast<std::size_t>(count * words) * sizeof(std::uint32_t))),
                count}
    {}

    cuda_executor exec_;
    device_sums sums_;
};

/// sum + x y for the numbers at x and y, whose product is unusual. They are read once more: to keep them would take
/// half of the registers of a thread.
template <int N>
__device__ __noinline__ device_sum<N> with_unusual_product(device_sum<N> sum, const std::uint32_t* x,
                                                           const std::uint32_t* y, int digits, int p)
{
    sum.add_unusual_product(residua::detail::load<device_digit, N, true>(x, digits),
                            residua::detail::load<device_digit, N, true>(y, digits), p);
    return sum;
}

/// The factors of a product, as memory has them.
template <int N>
struct device_factors {
    residua::detail::stored_multidigit<device_digit, N> x, y;
};

/// sum <- sum + x y. Returns false for an unusual product, for which the caller calls with_unusual_product.
template <int N>
__device__ __forceinline__ bool add_usual_product(device_sum<N>& sum, device_factors<N> f, int p)
{
    using residua::detail::highest_bit;
    if (!f.x.is_regular() || !f.y.is_regular()) {
        return false;
    }
    const bool negative = ((f.x.d[N - 1] ^ f.y.d[N - 1]) & highest_bit) != 0;
    f.x.d[N - 1] |= highest_bit;
    f.y.d[N - 1] |= highest_bit;
    const std::uint64_t exponent = std::uint64_t{f.x.exponent} + f.y.exponent;  // 2^31 too much of each
    return sum.add_usual_product(f.x.d, f.y.d, static_cast<std::int64_t>(exponent) - (std::int64_t{1} << 32), negative,
                                 p);
}

/// Prefetches the factors of the next product while one is added: read() starts the loads, whose words factors()
/// returns. No operation touches their words before factors(), since the first one waits for the load. Factors of more
/// than Most digits are read by factors() itself: a thread has too few registers for two pairs.
template <int N, int Most, class ReadX = passing_read<half_leaves_first>, class ReadY = ReadX>
class factor_prefetch {
public:
    __device__ void read(const std::uint32_t* x, const std::uint32_t* y, int digits)
    {
        if constexpr (N <= Most) {
            read_ = {residua::detail::load_stored<device_digit, N>(x, digits, ReadX{}),
                     residua::detail::load_stored<device_digit, N>(y, digits, ReadY{})};
        }
    }

    __device__ device_factors<N> factors(const std::uint32_t* x, const std::uint32_t* y, int digits) const
    {
        if constexpr (N <= Most) {
            return read_;
        } else {
            return {residua::detail::load_stored<device_digit, N, true>(x, digits),
                    residua::detail::load_stored<device_digit, N, true>(y, digits)};
        }
    }

private:
    device_factors<N> read_;
};

/// The maximum over the lanes of a warp, in every lane.
__device__ inline std::int64_t largest_of_warp(std::int64_t x)
{
    const auto high = static_cast<std::int32_t>(x >> 32);
    const std::int32_t top = __reduce_max_sync(0xffffffff, high);
    const std::uint32_t low = __reduce_max_sync(0xffffffff, high == top ? static_cast<std::uint32_t>(x) : 0U);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(top)) << 32 | low);
}

/// Adds up the sums of the lanes of a warp, which have the same units; every lane gets the result.
template <int N>
__device__ void add_warp(device_sum<N>& sum)
{
    typename device_sum<N>::state s = sum.get();
    s.special = static_cast<int>(__reduce_or_sync(0xffffffff, static_cast<unsigned>(s.special)));
    std::uint64_t carry = 0;
    RESIDUA_UNROLL(N)
    for (int k = 0; k < device_sum<N>::digits; ++k) {
        const std::uint64_t low = __reduce_add_sync(0xffffffff, s.digit[k] & 0xffff);
        const std::uint64_t high = __reduce_add_sync(0xffffffff, s.digit[k] >> 16);
        carry += low + (high << 16);
        s.digit[k] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
    sum = device_sum<N>(s);
}

/// The maximum over the threads of a block of up to Most warps, in every thread.
template <int Most>
__device__ std::int64_t largest_of_block(std::int64_t x)
{
    __shared__ std::int64_t of_warp[Most];
    x = largest_of_warp(x);
    if (threadIdx.x % warpSize == 0) {
        of_warp[threadIdx.x / warpSize] = x;
    }
    __syncthreads();
    const unsigned lane = threadIdx.x % warpSize;
    return largest_of_warp(of_warp[lane * warpSize < blockDim.x ? lane : 0]);
}

/// Adds up the sums of the threads of a block, which has whole warps, up to Most, and sums of the same units. The
/// threads of the first warp get the result.
template <int N, int Most>
__device__ void add_block(device_sum<N>& sum)
{
    __shared__ typename device_sum<N>::state of_warp[Most];
    add_warp<N>(sum);
    if (threadIdx.x % warpSize == 0) {
        of_warp[threadIdx.x / warpSize] = sum.get();
    }
    __syncthreads();
    if (threadIdx.x < warpSize) {
        typename device_sum<N>::state none;
        none.top = sum.get().top;
        sum = device_sum<N>(threadIdx.x < blockDim.x / warpSize ? of_warp[threadIdx.x] : none);
        add_warp<N>(sum);
    }
}

/// Merges `count` sums for each result, by one thread each: sum c of result i is sums[c * results + i].
template <int N>
__global__ void __launch_bounds__(multidigit_threads)
    merge_few_kernel(index_t results, index_t count, device_sums sums, int p, multidigit_result y, index_t y_step)
{
    wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * multidigit_threads + threadIdx.x;
    if (i >= results) {
        return;
    }
    const index_t first = index_t{blockIdx.y} * count * results + i;
    std::int64_t top = device_sum<N>::nothing;
    for (index_t c = 0; c < count; ++c) {
        const std::int64_t next = sums.top<N>(first + c * results);
        top = next > top ? next : top;
    }
    device_sum<N> total;
    total.raise(top);
    RESIDUA_KEEP_LOOP
    for (index_t c = 0; c < count; ++c) {
        device_sum<N> next = sums.load<N>(first + c * results);
        next.raise(top);
        total.add_same_units(next);
    }
    const multidigit_result to{y.start.from(blockIdx.y * y_step), y.stride};
    to.store(i, total.result(p));
}

}  // namespace residua::blas::detail
