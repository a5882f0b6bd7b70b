#include "chain_run.hpp"

#include <algorithm>
#include <cmath>

#include <residua/arith/expansion/lanes/warp.cuh>
#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/check_cuda.cuh>
#include <residua/blas/base/cuda_timer.hpp>

#include "chain_links.hpp"

namespace residua {
namespace {

// With shared memory a block has 224 terms, 56 KiB: four blocks, and the KiB that CUDA takes for each, fill the 228 KiB
// of a multiprocessor of compute capability 9.0, and every number of terms divides 224.
constexpr int term_bytes = 256;  // [CJMP16]
constexpr int constrained_terms = 224;
constexpr int free_threads = 128;  // the threads of a block without shared memory
constexpr int most_threads = std::max(constrained_terms, free_threads);

using chain_kernel = void(chain_operands, index_t, int, double*);

/// Each chain has one thread, or N neighbouring ones. Any grid with enough threads for all chains is right. Tiles
/// without a chain of their own compute the last chain, in step with the other tiles of their warp.
template <chain_function F, int N>
__global__ void __launch_bounds__(most_threads)
    chains_kernel(chain_operands from, index_t chains, int links, double* result)
{
    const index_t thread = index_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if constexpr (is_on_lanes(F)) {
        const index_t i = thread / N < chains ? thread / N : chains - 1;
        const lanes::warp_tile<N> tile;
        run_lane_chain(tile, from, i, links, result + i * N, lane_link<F, lanes::warp_tile<N>>{tile});
    } else {
        if (thread < chains) {
            run_sequential_chain<F, N>(from, thread, links, result + thread * N);
        }
    }
}

template <chain_function F>
chain_kernel* kernel_of(int terms)
{
    switch (terms) {
        case 2:
            return chains_kernel<F, 2>;
        case 4:
            return chains_kernel<F, 4>;
        case 8:
            return chains_kernel<F, 8>;
        case 16:
            return chains_kernel<F, 16>;
        default:
            return chains_kernel<F, 32>;
    }
}

chain_kernel* kernel_of(const chain_run& run)
{
    switch (run.function) {
        case chain_function::sum:
            return kernel_of<chain_function::sum>(run.terms);
        case chain_function::product:
            return kernel_of<chain_function::product>(run.terms);
        case chain_function::safe_lane_sum:
            return kernel_of<chain_function::safe_lane_sum>(run.terms);
        case chain_function::fast_lane_sum:
            return kernel_of<chain_function::fast_lane_sum>(run.terms);
        case chain_function::lane_sum:
            return kernel_of<chain_function::lane_sum>(run.terms);
        case chain_function::lane_product:
            return kernel_of<chain_function::lane_product>(run.terms);
    }
    return nullptr;
}

/// The part of the launch that follows from the request alone.
chain_fit shape_of(const chain_run& run)
{
    const bool shared = run.storage == chain_storage::shared;
    const int chain_threads = is_on_lanes(run.function) ? run.terms : 1;
    chain_fit fit;
    fit.block_chains = shared ? constrained_terms / run.terms : free_threads / chain_threads;
    fit.block_threads = fit.block_chains * chain_threads;
    fit.shared_bytes = shared ? constrained_terms * term_bytes : 0;
    return fit;
}

/// Divides a multiprocessor's memory: as much shared memory as blocks want, or all of it as cache for local memory.
void divide_memory(chain_kernel* kernel, const chain_fit& fit)
{
    const int carveout = fit.shared_bytes > 0 ? cudaSharedmemCarveoutMaxShared : cudaSharedmemCarveoutMaxL1;
    require_cuda("bench", cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
    require_cuda("bench", cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, fit.shared_bytes));
}

constexpr int fma_chains = 8;
constexpr int fma_threads = 256;

__global__ void __launch_bounds__(fma_threads) fma_kernel(double factor, double term, int steps, double* result)
{
    double v[fma_chains];
    for (int k = 0; k < fma_chains; ++k) {
        v[k] = static_cast<double>(threadIdx.x + k);
    }
    for (int step = 0; step < steps; ++step) {
        for (int k = 0; k < fma_chains; ++k) {
            v[k] = std::fma(v[k], factor, term);
        }
    }
    for (int k = 1; k < fma_chains; ++k) {
        v[0] += v[k];
    }
    result[index_t{blockIdx.x} * fma_threads + threadIdx.x] = v[0];
}

}  // namespace

chain_fit fit_of(const cuda_executor& exec, const chain_run& run)
{
    const device_guard current(exec);
    chain_kernel* const kernel = kernel_of(run);
    chain_fit fit = shape_of(run);
    divide_memory(kernel, fit);
    cudaFuncAttributes attributes;
    require_cuda("bench", cudaFuncGetAttributes(&attributes, kernel));
    fit.registers = attributes.numRegs;
    fit.local_bytes = static_cast<int>(attributes.localSizeBytes);
    require_cuda("bench", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit.blocks, kernel, fit.block_threads,
                                                                        static_cast<std::size_t>(fit.shared_bytes)));
    return fit;
}

void launch(const cuda_executor& exec, const chain_run& run)
{
    if (run.chains == 0) {
        return;  // an empty grid is a launch error
    }
    const device_guard current(exec);
    chain_kernel* const kernel = kernel_of(run);
    const chain_fit fit = shape_of(run);
    divide_memory(kernel, fit);
    const auto blocks = static_cast<unsigned>((run.chains + fit.block_chains - 1) / fit.block_chains);
    kernel<<<blocks, fit.block_threads, fit.shared_bytes, exec.stream>>>(run.from, run.chains, run.links, run.result);
    require_cuda("bench", cudaGetLastError());
}

double measure_fma_rate(const cuda_executor& exec)
{
    const device_guard current(exec);
    constexpr int steps = 4096;
    constexpr int samples = 5;
    constexpr int waves = 4;
    int multiprocessors = 0;
    int blocks = 0;
    require_cuda("bench", cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, exec.device));
    require_cuda("bench", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fma_kernel, fma_threads, 0));
    blocks *= multiprocessors * waves;
    buffer<cuda_executor, double> result(index_t{blocks} * fma_threads, exec);
    cuda_timer timer(exec);
    double least = 0.0;
    for (int sample = 0; sample <= samples; ++sample) {
        timer.start();
        fma_kernel<<<blocks, fma_threads, 0, exec.stream>>>(0.5, 1.0, steps, result.data());
        require_cuda("bench", cudaGetLastError());
        const double seconds = timer.stop();
        if (sample > 0) {  // sample 0 warms up
            least = sample == 1 ? seconds : std::min(least, seconds);
        }
    }
    return static_cast<double>(blocks) * fma_threads * fma_chains * steps / least;
}

}  // namespace residua
