#pragma once

#include <algorithm>
#include <exception>

#include <omp.h>

#include <residua/blas/base/simd.hpp>
#include <residua/io/error.hpp>

namespace residua::blas::detail {

/// Work below this many operations on binary64 words is not worth waking another thread:
/// about 20 microseconds of one core. Chosen with bench/blas/host_bench.
inline constexpr double serial_operations = 3e5;

/// The rough cost of one multiply-add of N-term numbers, in operations on binary64 words.
template <class T>
inline constexpr double multiply_add_operations =
    number_traits<T>::terms * number_traits<T>::terms * (2.0 * number_traits<T>::terms + 1.0);

/// How many threads a loop should use for this many operations; 1 inside a parallel region.
inline int threads_for(double operations)
{
    return operations < serial_operations || omp_in_parallel() ? 1 : omp_get_max_threads();
}

/// f(team, me) on each thread of a team, whose first exception is thrown once all have ended: one that left its thread
/// would end the process.
template <class F>
void run_team(int threads, const F& f)
{
    std::exception_ptr thrown;
#pragma omp parallel num_threads(threads)
    {
        try {
            f(index_t{omp_get_num_threads()}, index_t{omp_get_thread_num()});
        } catch (...) {
#pragma omp critical(residua_run_team)
            thrown = thrown ? thrown : std::current_exception();
        }
    }
    if (thrown) {
        std::rethrow_exception(thrown);
    }
}

/// body(begin, end) on [0, count), cut into one contiguous range for each thread. Cuts are
/// multiples of `grain`; what body computes must not depend on where they are.
///
/// throws   what body throws
template <class Body>
void parallel_ranges(index_t count, index_t grain, double operations, const Body& body)
{
    const int threads = threads_for(operations);
    if (threads == 1) {
        if (count > 0) {
            body(index_t{0}, count);
        }
        return;
    }
    const index_t grains = (count + grain - 1) / grain;
    run_team(threads, [&](index_t team, index_t me) {
        const index_t begin = std::min(count, grains * me / team * grain);
        const index_t end = std::min(count, grains * (me + 1) / team * grain);
        if (begin < end) {
            body(begin, end);
        }
    });
}

/// As parallel_ranges, over items of unequal weight: item i weighs offset(i + 1) - offset(i) + 1.
template <class Offset, class Body>
void parallel_weighted_ranges(index_t count, const Offset& offset, double operations, const Body& body)
{
    const int threads = threads_for(operations);
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
