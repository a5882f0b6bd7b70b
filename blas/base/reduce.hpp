#pragma once

#include <algorithm>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/lane_window.hpp>
#include <residua/blas/base/pairwise.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/base/row_sums.hpp>
#include <residua/blas/base/simd.hpp>

/// Long sums on the host in the order of reduction_order.hpp.
namespace residua::blas::detail {

/// The accumulators of all lanes of a few blocks, side by side so that the lanes of one block
/// merge in SIMD across the blocks.
template <class T>
struct lane_sums {
    static constexpr index_t blocks = 8;
    static constexpr int words = accumulator_of<T>::words;

    alignas(64) double w[words][reduction_lanes][blocks];
};

/// Merges the lanes of each block into lane 0.
template <class T>
void merge_lanes(lane_sums<T>& sums);

/// Sums elements first, ..., last - 1, at most a block, into the lanes of block `slot`.
template <class T, class Add, class... X>
inline __attribute__((always_inline)) void sum_block(lane_sums<T>& sums, index_t slot, index_t first, index_t last,
                                                     const Add& add, const vector_view<host_executor, X>&... x)
{
    using acc = accumulator_of<T>;
    constexpr index_t lanes = reduction_lanes;
    constexpr index_t steps = renormalization_period<T>;

    row_sums<T, lanes> lane;
    lane.clear();
    for (index_t i = first; i < last; i += lanes * steps) {
        const index_t count = std::min(lanes * steps, last - i);
        [&](const auto&... from) __attribute__((always_inline))
        {
            for_lanes(
                lanes, [&](index_t l) __attribute__((always_inline)) {
                    acc a = lane.load(l);
                    residua::detail::unroll<steps>([&](int s) __attribute__((always_inline)) {
                        add(a, from.load(s * lanes + l)...);
                    });
                    renormalize(a);
                    lane.store(l, a);
                });
        }
        (lane_window<X, lanes * steps>(x, i, count).view()...);
    }

    for (int k = 0; k < acc::words; ++k) {
        for (index_t l = 0; l < lanes; ++l) {
            sums.w[k][l][slot] = lane.w[k][l];
        }
    }
}

/// The sum over blocks first, ..., last - 1, by this thread.
template <class T, class Add, class... X>
accumulator_of<T> sum_blocks(index_t first, index_t last, index_t n, const Add& add,
                             const vector_view<host_executor, X>&... x)
{
    using sums = lane_sums<T>;
    sums group;
    pairwise_sum<accumulator_of<T>> tree;
    for (index_t b = first; b < last; b += sums::blocks) {
        const index_t used = std::min(sums::blocks, last - b);
        run_simd([&]() __attribute__((always_inline)) {
            for (index_t slot = 0; slot < used; ++slot) {
                const index_t begin = (b + slot) * reduction_block;
                sum_block<T>(group, slot, begin, std::min(begin + reduction_block, n), add, x...);
            }
        });
        merge_lanes<T>(group);
        for (index_t slot = 0; slot < used; ++slot) {
            accumulator_of<T> sum;
            for (int k = 0; k < sums::words; ++k) {
                sum.w[k] = group.w[k][0][slot];
            }
            tree.push(sum);
        }
    }
    return tree.total();
}

/// The sum of add(accumulator, x[i]...) over i < n. `operations` is the work of all of it.
template <class T, class Add, class... X>
accumulator_of<T> sum_in_order(index_t n, double operations, const Add& add, const vector_view<host_executor, X>&... x)
{
    // Subtrees of a power of two of blocks, few enough for a fixed array.
    constexpr index_t most_parts = 64;
    const index_t blocks = (n + reduction_block - 1) / reduction_block;
    index_t size = lane_sums<T>::blocks;
    while (size * most_parts < blocks) {
        size *= 2;
    }
    const index_t parts = (blocks + size - 1) / size;
    accumulator_of<T> part[most_parts];
    parallel_ranges(parts, 1, operations, [&](index_t begin, index_t end) {
        for (index_t p = begin; p < end; ++p) {
            part[p] = sum_blocks<T>(p * size, std::min((p + 1) * size, blocks), n, add, x...);
        }
    });

    pairwise_sum<accumulator_of<T>> tree;
    for (index_t p = 0; p < parts; ++p) {
        tree.push(part[p]);
    }
    return tree.total();
}

}  // namespace residua::blas::detail
