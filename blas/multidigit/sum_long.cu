#include <residua/blas/base/mapped_memory.cuh>
#include <residua/blas/multidigit/sums.cuh>

#include <cstdint>

namespace residua::blas::detail {
namespace {

constexpr int lanes = static_cast<int>(multidigit_lanes);  // threads of a block
constexpr int warp = 32;

/// Numbers of at most this many digits are read while the product before theirs is added.
constexpr int most_prefetched = 14;

/// Whether numbers of N digits, none of them spare, have a loop of their own for contiguous vectors.
template <int N>
inline constexpr bool has_loop_of_neighbours = spare_digits<N> == 0;

/// Prefetches the first numbers of x of a group to the second cache, which has room for those of all groups, if they
/// fill tiles. An earlier kernel that still has to write them does no harm, since it writes to that cache.
__device__ void fetch_first(index_t first, index_t last, const multidigit_operand& x)
{
#if __CUDA_ARCH__ >= 900
    constexpr index_t most_bytes = 16384;
    if (x.stride == 1 && x.start.first % warp == 0 && first < last) {
        const index_t tiles = (last - first + warp - 1) / warp;
        const index_t all = tiles * (x.start.digits + 1) * warp * index_t{sizeof(device_digit)};
        const auto bytes = static_cast<unsigned>(all < most_bytes ? all : most_bytes);
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(x.start.number(first)), "r"(bytes));
    }
#endif
}

/// sum <- sum + x_0 y_0 + x_1 y_1 + ..., `left` products, at least one, of numbers that lie x_step and y_step apart.
///
/// If Twice, two products are written out, each of which reads the factors of the other, so that none need be moved.
template <bool Twice, int N>
__device__ __forceinline__ void add_products(device_sum<N>& sum, int left, const std::uint32_t* x, index_t x_step,
                                             const std::uint32_t* y, index_t y_step, int digits, int p)
{
    using reader = factor_prefetch<N, most_prefetched>;
    const auto add = [&](const reader& from, reader& next) {
        const device_factors<N> now = from.factors(x, y, digits);
        if (left > 1) {
            next.read(x + x_step, y + y_step, digits);
        }
        if (!add_usual_product(sum, now, p)) {
            sum = with_unusual_product<N>(sum, x, y, digits, p);
        }
        x += x_step;
        y += y_step;
        --left;
    };
    reader even;
    reader odd;
    even.read(x, y, digits);
    RESIDUA_KEEP_LOOP
    while (left > 0) {
        if constexpr (Twice) {
            add(even, odd);
            if (left == 0) {
                break;
            }
            add(odd, even);
        } else {
            add(even, even);
        }
    }
}

/// The sum of this thread's lane of a group, whose numbers lie whole tiles apart.
template <int N>
__device__ device_sum<N> sum_of_lane(index_t first, index_t last, const multidigit_terms& terms, int p)
{
    device_sum<N> sum;
    const index_t i = first + threadIdx.x;
    int left = i < last ? static_cast<int>((last - i + lanes - 1) / lanes) : 0;  // terms
    if (left == 0) {
        return sum;
    }
    const int digits = terms.x.start.digits;
    const std::uint32_t* x = terms.x.start.number(i * terms.x.stride);
    const index_t x_step = lanes * terms.x.stride * (digits + 1);
    if (terms.magnitudes) {
        RESIDUA_KEEP_LOOP
        for (; left > 0; --left, x += x_step) {
            sum.add(abs(residua::detail::load<device_digit, N, true>(x, digits)), p);
        }
        return sum;
    }
    const std::uint32_t* y = terms.y.start.number(i * terms.y.stride);
    if constexpr (has_loop_of_neighbours<N>) {
        if (terms.x.stride == 1 && terms.y.stride == 1) {
            constexpr index_t step = lanes * (N + 1);
            add_products<true>(sum, left, x, step, y, step, N, p);
            return sum;
        }
    }
    add_products<false>(sum, left, x, x_step, y, lanes * terms.y.stride * (digits + 1), digits, p);
    return sum;
}

/// How n terms are cut into blocks of `block` terms, and these into groups of `group`.
struct cut_of_sum {
    index_t n, block, group, groups, blocks;

    cut_of_sum(index_t terms, index_t of_block)
        : n(terms),
          block(of_block),
          group(terms_of_group(of_block)),
          groups(groups_of_block(of_block)),
          blocks((n + block - 1) / block)
    {}
};

/// The groups that a multiprocessor is to hold at least.
template <int N>
inline constexpr int least_groups = N <= 32 ? 2 : 1;

/// Sums group blockIdx.y of all groups of result blockIdx.x. Without memory for sums there is one group, and its sum is
/// the result.
template <int N>
__global__ void __launch_bounds__(lanes, least_groups<N>)
    sum_groups_kernel(const __grid_constant__ cut_of_sum cut, const __grid_constant__ multidigit_terms terms, int p,
                      device_sums sums, multidigit_result y)
{
    const auto groups = static_cast<unsigned>(cut.groups);
    const index_t begin = blockIdx.y / groups * cut.block;
    const index_t end = begin + cut.block < cut.n ? begin + cut.block : cut.n;
    const index_t first = begin + blockIdx.y % groups * cut.group;
    const index_t last = first + cut.group < end ? first + cut.group : end;
    const multidigit_terms of_result = terms.of_result(blockIdx.x);
    if (threadIdx.x == 0) {
        fetch_first(first, last, of_result.x);
    } else if (threadIdx.x == warp && !of_result.magnitudes) {
        fetch_first(first, last, of_result.y);
    }
    wait_and_trigger();
    device_sum<N> sum = sum_of_lane<N>(first, last, of_result, p);
    sum.raise(largest_of_block<lanes / warp>(sum.get().top));
    add_block<N, lanes / warp>(sum);
    if (threadIdx.x != 0) {
        return;
    }
    if (sums.word != nullptr) {
        sums.store<N>(index_t{blockIdx.x} * gridDim.y + blockIdx.y, sum);
    } else {
        y.store(blockIdx.x, sum.result(p));
    }
}

/// Merges the sums of the groups of block blockIdx.y of result blockIdx.x by a warp; each thread has one of them.
template <int N>
__global__ void __launch_bounds__(warp)
    merge_groups_kernel(index_t groups, device_sums of_groups, device_sums of_blocks)
{
    static_assert(multidigit_most_groups <= warp);
    wait_and_trigger();
    const index_t block = index_t{blockIdx.x} * gridDim.y + blockIdx.y;
    device_sum<N> sum;
    if (threadIdx.x < groups) {
        sum = of_groups.load<N>(block * groups + threadIdx.x);
    }
    sum.raise(largest_of_warp(sum.get().top));
    add_warp<N>(sum);
    if (threadIdx.x == 0) {
        of_blocks.store<N>(block, sum);
    }
}

constexpr int most_warps = (static_cast<int>(multidigit_most_blocks) + warp - 1) / warp;

/// Merges the sums of all blocks of result blockIdx.x; each thread has one of them.
template <int N>
__global__ void __launch_bounds__(most_warps* warp, 1)
    merge_blocks_kernel(index_t blocks, device_sums sums, int p, multidigit_result y)
{
    wait_and_trigger();
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

/// of_blocks <- the sums of all blocks of each result, one result after the other.
template <int N>
void sum_all_blocks(const cuda_executor& exec, const char* op, const cut_of_sum& cut, index_t results,
                    const multidigit_terms& terms, int p, const device_sums& of_blocks)
{
    const auto grid = [&](index_t each) { return dim3(static_cast<unsigned>(results), static_cast<unsigned>(each)); };
    const bool is_whole = cut.groups == 1;
    const auto of_groups = device_sum_buffer::of<N>(exec, is_whole ? 0 : results * cut.blocks * cut.groups);
    launch(exec, op, grid(cut.blocks * cut.groups), lanes, sum_groups_kernel<N>, cut, terms, p,
           is_whole ? of_blocks : of_groups.view(), multidigit_result{});
    if (!is_whole) {
        launch(exec, op, grid(cut.blocks), warp, merge_groups_kernel<N>, cut.groups, of_groups.view(), of_blocks);
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
    const cut_of_sum cut(n, terms_of_block(n));
    with_device_size(format, [&]<int N>() {
        if (cut.blocks <= 1) {  // which are too short for groups
            launch(exec, op, static_cast<unsigned>(results), lanes, sum_groups_kernel<N>, cut, terms, format.bits(),
                   device_sums{}, y);
            return;
        }
        const auto sums = device_sum_buffer::of<N>(exec, cut.blocks * results);
        sum_all_blocks<N>(exec, op, cut, results, terms, format.bits(), sums.view());
        const auto threads = static_cast<unsigned>((cut.blocks + warp - 1) / warp * warp);
        launch(exec, op, static_cast<unsigned>(results), threads, merge_blocks_kernel<N>, cut.blocks, sums.view(),
               format.bits(), y);
    });
}

void sum_blocks(const cuda_executor& exec, const char* op, const multidigit_format& format, index_t length, index_t n,
                const multidigit_terms& terms, std::uint64_t* states)
{
    if (n == 0) {
        return;
    }
    const device_guard current(exec);
    const cut_of_sum cut(n, length);
    const index_t blocks = cut.blocks;
    const index_t digits = words_of_sum(format) - 2;
    with_device_size(format, [&]<int N>() {
        constexpr index_t own = device_sum<N>::digits;
        const auto sums = device_sum_buffer::of<N>(exec, blocks);
        sum_all_blocks<N>(exec, op, cut, 1, terms, format.bits(), sums.view());
        // Page-locked, so that the copy takes no detour; with room for the sums of any vector in any format.
        constexpr index_t most_words = multidigit_most_blocks * device_sums::words<multidigit_most_bits / 32>;
        static thread_local mapped_memory<std::uint32_t> box;
        std::uint32_t* const words = box.get(static_cast<std::size_t>(most_words));
        const auto bytes = static_cast<std::size_t>(blocks * device_sums::words<N>) * sizeof *words;
        residua::detail::cuda_copy_out(exec, words, sums.view().word, bytes);
        for (index_t b = 0; b < blocks; ++b) {
            const auto word = [&](index_t k) { return words[k * blocks + b]; };
            const auto digit = [&](index_t k) {  // in two's complement: the sign takes all places above
                return k < own ? word(k) : std::uint32_t{0} - (word(own - 1) >> 31);
            };
            for (index_t k = 0; k < digits; ++k) {
                *states++ = std::uint64_t{digit(2 * k + 1)} << 32 | digit(2 * k);
            }
            *states++ = std::uint64_t{word(own + 1)} << 32 | word(own);
            *states++ = word(own + 2);
        }
    });
}

}  // namespace residua::blas::detail
