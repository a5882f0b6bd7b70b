#pragma once

#include <residua/blas/base/check_cuda.cuh>
#include <residua/blas/rns/elements.hpp>
#include <residua/blas/rns/lanes.cuh>
#include <residua/blas/rns/launch.hpp>

namespace residua::blas::detail {

/// The constants of a set on the device; made once for each.
const rns_set<rns_most_moduli>* on_device(const cuda_executor& exec, const rns_format& format);

/// How many blocks of a kernel fit on the device together.
int blocks_together(const cuda_executor& exec, const void* kernel, int block);

template <int Threads, class F>
__global__ void __launch_bounds__(256) rns_kernel(const rns_set<rns_most_moduli>* set, index_t n, const F f)
{
    const rns_lanes<Threads> lanes(set, static_cast<int>(threadIdx.x));
    const index_t step = index_t{gridDim.x} * blockDim.x / Threads;
    for (index_t i = (index_t{blockIdx.x} * blockDim.x + threadIdx.x) / Threads; i < n; i += step) {
        f(lanes, i);
    }
}

template <int Threads, class F>
void launch(const cuda_executor& exec, const rns_format& format, int block, index_t n, const F& f)
{
    const auto kernel = rns_kernel<Threads, F>;
    const index_t most = 4 * blocks_together(exec, reinterpret_cast<const void*>(kernel), block);
    const index_t wanted = (n * Threads + block - 1) / block;
    const int grid = static_cast<int>(wanted < most ? wanted : most);
    kernel<<<grid, block, 0, exec.stream>>>(on_device(exec, format), n, f);
    require_cuda("RNS kernel", cudaGetLastError());
}

/// f.template operator()<Threads>() for the number of threads at run time.
template <class F>
void with_threads(int threads, const F& f)
{
    switch (threads) {
    case 1: return f.template operator()<1>();
    case 2: return f.template operator()<2>();
    case 4: return f.template operator()<4>();
    case 8: return f.template operator()<8>();
    default: return f.template operator()<16>();
    }
}

}  // namespace residua::blas::detail
