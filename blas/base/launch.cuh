#pragma once

#include <source_location>

#include <residua/blas/base/check_cuda.cuh>

/// Kernels in a row with programmatic dependent launch: each is brought to the device while the one before it still
/// runs, and waits for it by itself, so that its launch costs little time.
namespace residua::blas::detail {

/// Queues a kernel, which calls wait_and_trigger() or wait_for_previous() before it touches memory; `op` is for errors.
template <class... Parameter, class... Argument>
void launch(const cuda_executor& exec, const char* op, dim3 grid, dim3 block, void (*kernel)(Parameter...),
            const Argument&... argument)
{
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.stream = exec.stream;
    config.attrs = &early;
    config.numAttrs = exec.programmatic_launch ? 1 : 0;
    require_cuda(op, cudaLaunchKernelEx(&config, kernel, Parameter(argument)...));
}

/// Waits until all kernels before have ended: the grid dependency. Every thread calls this or wait_and_trigger(), also
/// one that has nothing to do: a kernel that ended without waiting would seem to be the last of all before it.
__device__ inline void wait_for_previous()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/// The same, and then lets the next kernel come to the device. To trigger it before the wait would be too early: it
/// would take the room that is left beside two kernels, all on the same few multiprocessors.
__device__ inline void wait_and_trigger()
{
    wait_for_previous();
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

}  // namespace residua::blas::detail
