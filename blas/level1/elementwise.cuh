#pragma once

#include <residua/blas/base/device_scalar.hpp>
#include <residua/blas/base/launch.cuh>

namespace residua::blas::detail {

inline constexpr int elementwise_block = 256;           // threads
inline constexpr index_t elementwise_blocks = 1 << 20;  // beyond, a thread takes several elements

/// Calls f(i) for i < n, each by a thread. The loop is grid-stride: any grid is correct.
template <class F>
__global__ void __launch_bounds__(elementwise_block) elementwise_kernel(index_t n, const __grid_constant__ F f)
{
    wait_and_trigger();
    const index_t step = index_t{blockDim.x} * gridDim.x;
    for (index_t i = index_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
        f(i);
    }
}

/// Queues f(i) for every i < n; f is a function object whose operator() is __device__. `op` names it in errors.
template <class F>
void run_elementwise(const cuda_executor& exec, const char* op, index_t n, const F& f)
{
    if (n == 0) {
        return;  // an empty grid is a launch error
    }
    const index_t blocks = (n + elementwise_block - 1) / elementwise_block;
    const auto grid = static_cast<unsigned>(blocks < elementwise_blocks ? blocks : elementwise_blocks);
    const device_guard current(exec);
    launch(exec, op, grid, elementwise_block, elementwise_kernel<F>, n, f);
}

}  // namespace residua::blas::detail
