#pragma once

#include <residua/blas/base/check_cuda.cuh>
#include <residua/blas/base/device_scalar.hpp>

namespace residua::blas::detail {

inline constexpr int elementwise_block = 256;           // threads
inline constexpr index_t elementwise_blocks = 1 << 20;  // beyond, a thread takes several elements

/// f(i) for i < n: grid-stride, any grid is correct.
template <class F>
__global__ void __launch_bounds__(elementwise_block) elementwise_kernel(index_t n, const __grid_constant__ F f)
{
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
    elementwise_kernel<<<grid, elementwise_block, 0, exec.stream>>>(n, f);
    require_cuda(op, cudaGetLastError());
}

}  // namespace residua::blas::detail
