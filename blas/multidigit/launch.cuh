#pragma once

#include <residua/arith/multidigit/sizes.hpp>
#include <residua/blas/base/launch.cuh>
#include <residua/blas/multidigit/for_indices.hpp>

/// Launches of kernels of multi-digit floats.
namespace residua::blas::detail {

using device_digit = std::uint32_t;

template <int N>
using device_sum = multidigit_sum<device_digit, N>;

inline constexpr int multidigit_threads = 128;  // of a block

/// Calls f.operator()<N>() for the size of the format.
template <class F>
void with_device_size(const multidigit_format& format, const F& f)
{
    with_multidigit_size<device_digit>(format.digits(), f);
}

inline unsigned blocks_for(index_t threads)
{
    return static_cast<unsigned>((threads + multidigit_threads - 1) / multidigit_threads);
}

/// The blocks that a multiprocessor is to hold at once. Without a limit, threads of longer numbers would take too many
/// registers, and too few warps would be there to hide the latency of memory.
template <int N>
inline constexpr int blocks_at_once = N <= 8    ? 10
                                      : N <= 14 ? 8
                                      : N <= 32 ? 4
                                                : 1;

/// f(i) for i < n, one thread each.
template <int N, class F>
__global__ void __launch_bounds__(multidigit_threads, blocks_at_once<N>)
    multidigit_kernel(index_t n, const __grid_constant__ F f)
{
    wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * multidigit_threads + threadIdx.x;
    if (i < n) {
        f.template operator()<device_digit, N>(i);
    }
}

template <class F>
void run_on_device(const cuda_executor& exec, const char* op, const multidigit_format& format, index_t n, const F& f)
{
    if (n == 0) {
        return;  // an empty grid is a launch error
    }
    const device_guard current(exec);
    with_device_size(
        format, [&]<int N>() { launch(exec, op, blocks_for(n), multidigit_threads, multidigit_kernel<N, F>, n, f); });
}

}  // namespace residua::blas::detail
