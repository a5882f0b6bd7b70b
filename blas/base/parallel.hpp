#pragma once

#include <algorithm>

#include <residua/blas/base/array_traits.hpp>
#include <residua/blas/base/simd.hpp>
#include <residua/io/error.hpp>
#include <residua/io/team.hpp>

namespace residua::blas::detail {

/// The work that pays for waking a thread, in operations on binary64 words: about 10 microseconds of one core. Chosen
/// with bench/blas/host_bench.
inline constexpr double operations_of_thread = 1.5e5;

/// Work below this many operations is done by the thread that asks for it.
inline constexpr double serial_operations = 2.0 * operations_of_thread;

/// The rough cost of one multiply-add of N-term numbers, in operations on binary64 words.
template <class T>
inline constexpr double multiply_add_operations = array_traits<T>::operations();

/// The number of threads for `operations` operations. A team is no larger than its work needs, and no larger than
/// io::available_threads(), which is 1 inside a team. All parallel work calls this.
inline int threads_for(double operations)
{
    if (!(operations >= serial_operations)) {
        return 1;
    }
    const int most = io::available_threads();
    return operations >= operations_of_thread * most ? most : static_cast<int>(operations / operations_of_thread);
}

/// Calls f(threads, me) for me = 0, ..., threads - 1, as io::run_parts does.
///
/// throws   what a part throws, once all have ended
template <class F>
void run_team(int threads, const F& f)
{
    io::run_parts(threads, threads, [&](index_t me) { f(index_t{threads}, me); });
}

/// body(begin, end) on [0, count), cut into one contiguous range for each thread. Cuts are
/// multiples of `grain`; what body computes must not depend on where they are.
///
/// throws   what body throws
template <class Body>
void parallel_ranges(index_t count, index_t grain, double operations, const Body& body)
{
    const index_t grains = (count + grain - 1) / grain;
    const int threads = count > grain ? static_cast<int>(std::min<index_t>(threads_for(operations), grains)) : 1;
    if (threads == 1) {
        if (count > 0) {
            body(index_t{0}, count);
        }
        return;
    }
    run_team(threads, [&](index_t team, index_t me) {
        const index_t begin = std::min(count, grains * me / team * grain);
        const index_t end = std::min(count, grains * (me + 1) / team * grain);
        if (begin < end) {
            body(begin, end);
        }
    });
}

/// parallel_ranges() over items of unequal weight: item i weighs offset(i + 1) - offset(i) + 1.
template <class Offset, class Body>
void parallel_weighted_ranges(index_t count, const Offset& offset, double operations, const Body& body)
{
    const int threads = count > 1 ? static_cast<int>(std::min<index_t>(threads_for(operations), count)) : 1;
    if (threads == 1) {
        if (count > 0) {
            body(index_t{0}, count);
        }
        return;
    }
    // The first item at or beyond k / team of the weight.
    const auto cut = [&](index_t k, index_t team) {
        const index_t goal = (offset(count) - offset(0) + count) / team * k;
        index_t low = k == team ? count : 0;
        index_t high = k == 0 ? 0 : count;
        while (low < high) {
            const index_t middle = low + (high - low) / 2;
            if (offset(middle) - offset(0) + middle < goal) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    };
    run_team(threads, [&](index_t team, index_t me) {
        const index_t begin = cut(me, team);
        const index_t end = cut(me + 1, team);
        if (begin < end) {
            body(begin, end);
        }
    });
}

}  // namespace residua::blas::detail
