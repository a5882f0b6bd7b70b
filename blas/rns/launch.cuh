#pragma once

#include <residua/blas/base/check_cuda.cuh>
#include <residua/blas/rns/elements.hpp>
#include <residua/blas/rns/lanes.cuh>
#include <residua/blas/rns/launch.hpp>

namespace residua::blas::detail {

/// The constants of a set on the device, made once for each set and device.
const rns_set<rns_most_moduli>* on_device(const cuda_executor& exec, const rns_format& format);

/// How many blocks of a kernel fit on the device together.
int blocks_together(const cuda_executor& exec, const void* kernel, int block);

/// The most threads of a block, and the fewest blocks on a multiprocessor: a thread has 96 registers if it holds 7
/// residues, 128 if it holds 14.
inline constexpr int most_block = 128;

constexpr int least_blocks(int residues) { return residues <= residues_each ? 5 : 4; }

template <int Threads, class F>
__global__ void __launch_bounds__(most_block, least_blocks(residues_each))
    shared_kernel(const rns_set<rns_most_moduli>* set, index_t n, const __grid_constant__ F f)
{
    const rns_lanes<Threads> lanes(set, static_cast<int>(threadIdx.x));
    const index_t step = index_t{gridDim.x} * blockDim.x / Threads;
    for (index_t i = (index_t{blockIdx.x} * blockDim.x + threadIdx.x) / Threads; i < n; i += step) {
        f(lanes, i);
    }
}

template <int N, class F>
__global__ void __launch_bounds__(most_block, least_blocks(N))
    alone_kernel(const __grid_constant__ rns_set<N> set, index_t n, const __grid_constant__ F f)
{
    const rns_alone<N> alone(set);
    const index_t step = index_t{gridDim.x} * blockDim.x;
    for (index_t i = index_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
        f(alone, i);
    }
}

/// The blocks for n numbers, but at most four times as many as fit on the device together.
template <class Kernel>
unsigned grid_for(const cuda_executor& exec, Kernel kernel, int threads, int block, index_t n)
{
    const index_t most = 4 * index_t{blocks_together(exec, reinterpret_cast<const void*>(kernel), block)};
    const index_t wanted = (n * threads + block - 1) / block;
    return static_cast<unsigned>(wanted < most ? wanted : most);
}

template <int Threads, class F>
void launch_shared(const cuda_executor& exec, const rns_format& format, int block, index_t n, const F& f)
{
    const auto kernel = shared_kernel<Threads, F>;
    kernel<<<grid_for(exec, kernel, Threads, block, n), block, 0, exec.stream>>>(on_device(exec, format), n, f);
    require_cuda("RNS kernel", cudaGetLastError());
}

template <int N, class F>
void launch_alone(const cuda_executor& exec, const rns_format& format, int block, index_t n, const F& f)
{
    const auto kernel = alone_kernel<N, F>;
    kernel<<<grid_for(exec, kernel, 1, block, n), block, 0, exec.stream>>>(rns_set<N>::host(format.count()), n, f);
    require_cuda("RNS kernel", cudaGetLastError());
}

/// f.template operator()<Threads>() for the threads that share a number: 1 to 16.
template <class F>
void with_threads(const rns_format& format, const F& f)
{
    switch (residua::detail::rns_threads(format.count())) {
        case 1:
            return f.template operator()<1>();
        case 2:
            return f.template operator()<2>();
        case 4:
            return f.template operator()<4>();
        case 8:
            return f.template operator()<8>();
        default:
            return f.template operator()<16>();
    }
}

}  // namespace residua::blas::detail
