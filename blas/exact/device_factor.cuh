#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <residua/blas/base/launch.cuh>
#include <residua/blas/exact/byte_planes.hpp>
#include <residua/blas/exact/operands.hpp>

/// Factors of exact products as integers, and results from sums of products of integers, on a device.
namespace residua::blas::detail {

struct factor_block {
    static constexpr int threads = 256;
    static constexpr int warp = 32;
    static constexpr int warps = threads / warp;
    static constexpr int looks = 512;           // elements of a vector that a block looks at
    static constexpr int times = 4;             // elements of which a thread makes integers
    static constexpr int most_shared = 200000;  // bytes
    static constexpr unsigned all_lanes = 0xffffffff;
};

inline unsigned blocks_for(index_t n, index_t each) { return static_cast<unsigned>((n + each - 1) / each); }

/// The extents of vectors, in an array for each member of vector_extent.
struct device_extents {
    long long* top;
    long long* last;
    int* special;

    __device__ vector_extent get(index_t i) const { return {top[i], last[i], special[i] != 0}; }
};

static __global__ void start_kernel(index_t count, device_extents to)
{
    wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * factor_block::threads + threadIdx.x;
    if (i < count) {
        to.top[i] = vector_extent::none;
        to.last[i] = -vector_extent::none;
        to.special[i] = 0;
    }
}

template <class Operand>
__global__ void __launch_bounds__(factor_block::threads)
    look_kernel(Operand x, index_t length, index_t count, device_extents to)
{
    wait_and_trigger();
    const auto lane = static_cast<int>(threadIdx.x) % factor_block::warp;
    const auto own = static_cast<int>(threadIdx.x) / factor_block::warp;
    const bool along = x.along == 1;  // each warp looks at a vector, else each lane
    const auto parts = static_cast<unsigned>((length + factor_block::looks - 1) / factor_block::looks);
    const index_t i =
        index_t{blockIdx.x / parts} * (along ? factor_block::warps : factor_block::warp) + (along ? own : lane);
    const index_t begin = index_t{blockIdx.x % parts} * factor_block::looks;
    const index_t end = min(length, begin + factor_block::looks);
    vector_extent extent;
    if (i < count) {
        for (index_t l = begin + (along ? lane : own); l < end; l += along ? factor_block::warp : factor_block::warps) {
            x.look(l, i, extent);
        }
    }
    for (int apart = along ? factor_block::warp / 2 : 0; apart > 0; apart /= 2) {
        extent.include(__shfl_down_sync(factor_block::all_lanes, extent.top, apart),
                       __shfl_down_sync(factor_block::all_lanes, extent.last, apart));
        extent.special |= __shfl_down_sync(factor_block::all_lanes, extent.special ? 1 : 0, apart) != 0;
    }
    if (i < count && (!along || lane == 0)) {
        if (extent.top != vector_extent::none) {
            atomicMax(to.top + i, static_cast<long long>(extent.top));
            atomicMin(to.last + i, static_cast<long long>(extent.last));
        }
        if (extent.special) {
            atomicOr(to.special + i, 1);
        }
    }
}

static __global__ void widest_kernel(index_t count, device_extents of, unsigned long long* widest)
{
    wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * factor_block::threads + threadIdx.x;
    if (i < count && of.get(i).counts()) {
        atomicMax(widest, static_cast<unsigned long long>(of.top[i] - of.last[i]));
    }
}

/// The power of two that makes integers of the numbers of a vector: 2^(width - top).
__device__ inline std::int64_t unit_of(const vector_extent& extent, std::int64_t width)
{
    return extent.counts() ? extent.top - width : 0;
}

/// Makes integers of elements, and zeros beyond them. As memory lies, a block takes 32 vectors and one element of each
/// for each warp, or one vector and an element for each thread; it does so several times.
template <class Operand>
__global__ void __launch_bounds__(factor_block::threads)
    integer_kernel(Operand x, index_t length, index_t count, device_extents extents, std::int64_t width,
                   std::uint64_t* word, integer_vectors to, unsigned parts)
{
    wait_and_trigger();
    extern __shared__ std::uint64_t number[];  // of a vector side by side, then one free place, so that banks differ
    const auto t = static_cast<int>(threadIdx.x);
    const int own_warps = static_cast<int>(blockDim.x) / factor_block::warp;
    const int words_apart = factor_block::warp * (own_warps + 1);
    const bool along = x.along == 1;
    const int lengths = along ? static_cast<int>(blockDim.x) : own_warps;
    const index_t first_l = index_t{blockIdx.x % parts} * (factor_block::times * lengths);
    const index_t first_i = index_t{blockIdx.x / parts} * (along ? 1 : factor_block::warp);
    const int own_l = along ? t : t / factor_block::warp;
    const int own_i = along ? 0 : t % factor_block::warp;
    const long_integer mine{number + (along ? t : own_i * (own_warps + 1) + own_l), words_apart, to.words};
    const index_t vector = first_i + own_i;
    const vector_extent extent = vector < count ? extents.get(vector) : vector_extent{};
    const std::int64_t unit = unit_of(extent, width);
    const int to_l = t % lengths;
    const int to_i = t / lengths;
    const std::uint64_t* const from = number + (along ? t : to_i * (own_warps + 1) + to_l);
    std::uint64_t* const first_to = word + (first_i + to_i) * to.ld + to_l;
    const index_t end = min(to.ld, first_l + factor_block::times * lengths);
    for (index_t first = first_l; first < end; first += lengths) {
#pragma unroll 1
        for (int k = 0; k < to.words; ++k) {
            mine.word[k * words_apart] = 0;
        }
        if (first + own_l < length && extent.counts()) {
            x.add(first + own_l, vector, -unit, mine);
        }
        __syncthreads();
        if (first + to_l < to.ld && first_i + to_i < to.vectors) {
#pragma unroll 1
            for (int k = 0; k < to.words; ++k) {
                first_to[k * to.stride + first] = from[k * words_apart];
            }
        }
        __syncthreads();
    }
}

/// A factor: vectors, and the powers of two that make integers of their numbers.
template <class Operand>
class device_factor {
public:
    using reader = exact_reader<Operand>;  // of kernels

    device_factor(const char* op, const cuda_executor& exec, const Operand& from, index_t length, index_t count,
                  long bits)
        : op_(op),
          from_(from),
          length_(length),
          count_(count),
          ends_(2 * count, exec, uninitialized{}),
          special_(count, exec, uninitialized{})
    {
        launch(exec, op_, blocks_for(count, factor_block::threads), factor_block::threads, start_kernel, count,
               extents());
        if (length == 0) {
            return;
        }
        buffer<cuda_executor, unsigned long long> widest(1, exec);
        const unsigned grid = blocks_for(count, from_.along == 1 ? factor_block::warps : factor_block::warp) *
                              blocks_for(length, factor_block::looks);
        launch(exec, op_, grid, factor_block::threads, look_kernel<reader>, this->from(), length, count, extents());
        launch(exec, op_, blocks_for(count, factor_block::threads), factor_block::threads, widest_kernel, count,
               extents(), widest.data());
        unsigned long long found = 0;
        residua::detail::cuda_copy_out(exec, &found, widest.data(), sizeof found);
        width_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(found));
        width_ = bits > 0 ? std::min<std::int64_t>(width_, bits) : width_;
    }

    index_t length() const { return length_; }
    index_t count() const { return count_; }
    const reader& from() const { return from_; }
    std::int64_t width() const { return width_; }
    std::int64_t bits() const { return width_ + bits_of_terms(Operand::terms); }
    int words() const { return static_cast<int>(bits() / 64) + 1; }
    device_extents extents() { return {ends_.data(), ends_.data() + count_, special_.data()}; }

    /// The integers of the factor, with their words in `word`: `vectors` vectors of ld elements, filled up with zeros.
    ///
    /// throws  unsupported_error for numbers whose words a block's shared memory does not hold
    integer_vectors integers(const cuda_executor& exec, index_t vectors, index_t ld,
                             buffer<cuda_executor, std::uint64_t>& word)
    {
        integer_vectors x;
        x.words = words();
        x.vectors = vectors;
        x.ld = ld;
        x.stride = x.size();
        if (bytes_of(factor_block::warp, words()) > factor_block::most_shared) {
            throw unsupported_error(std::string(op_) + ": numbers of " + std::to_string(width_) +
                                    " bits, from the largest of a vector to the last, are too long for a CUDA device; "
                                    "give bits, how many to keep of each number");
        }
        word = buffer<cuda_executor, std::uint64_t>(x.size() * x.words, exec, uninitialized{});
        x.word = word.data();
        if (x.size() == 0) {
            return x;
        }
        int block = factor_block::threads;
        while (block > factor_block::warp && bytes_of(block, x.words) > factor_block::most_shared) {
            block /= 2;
        }
        const bool along = from_.along == 1;
        const unsigned parts = blocks_for(x.ld, factor_block::times * (along ? block : block / factor_block::warp));
        const unsigned grid = blocks_for(x.vectors, along ? 1 : factor_block::warp) * parts;
        const auto bytes = static_cast<int>(bytes_of(block, x.words));
        allow_shared_memory(exec, op_, reinterpret_cast<const void*>(integer_kernel<reader>), bytes);
        integer_kernel<reader><<<grid, static_cast<unsigned>(block), static_cast<unsigned>(bytes), exec.stream>>>(
            from(), length_, count_, extents(), width_, word.data(), x, parts);
        require_cuda(op_, cudaGetLastError());
        return x;
    }

private:
    static index_t bytes_of(int block, int words)
    {
        return index_t{block + factor_block::warp} * words * static_cast<index_t>(sizeof(std::uint64_t));
    }

    const char* op_;
    Operand from_;
    index_t length_;
    index_t count_;
    buffer<cuda_executor, long long> ends_;
    buffer<cuda_executor, int> special_;
    std::int64_t width_ = 1;
};

/// Makes number i down + j across of a result from the sum of row i and column j.
template <class Operand, class Result>
struct rounded_sums {
    Operand a;
    Operand b;
    device_extents of_a;
    device_extents of_b;
    std::int64_t width_a;
    std::int64_t width_b;
    index_t inner;
    Result c;
    index_t down;
    index_t across;

    __device__ void store(index_t i, index_t j, const long_integer& sum) const
    {
        const index_t k = i * down + j * across;
        if (of_a.special[i] != 0 || of_b.special[j] != 0) {
            c.store_special(k, special_sum(a, b, inner, i, j));
        } else {
            c.store(k, sum, unit_of(of_a.get(i), width_a) + unit_of(of_b.get(j), width_b));
        }
    }
};

template <class Operand, class Result>
rounded_sums<exact_reader<Operand>, Result> round_sums(device_factor<Operand>& a, device_factor<Operand>& b,
                                                       const Result& c, index_t down, index_t across)
{
    return {a.from(), b.from(), a.extents(), b.extents(), a.width(), b.width(), a.length(), c, down, across};
}

}  // namespace residua::blas::detail
