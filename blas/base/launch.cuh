#pragma once

#include <map>
#include <mutex>
#include <source_location>
#include <utility>

#include <residua/blas/base/check_cuda.cuh>

/// Programmatic dependent launches: a kernel is launched while the one before it still runs, and itself waits for that
/// one at the grid dependency, so that its launch costs little time.
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

/// Lets launches of a kernel take `bytes` bytes of dynamic shared memory. What an earlier call has allowed stays allowed,
/// since another thread may be about to launch the kernel with more.
inline void allow_shared_memory(const cuda_executor& exec, const char* op, const void* kernel, int bytes)
{
    static std::mutex turn;
    static std::map<std::pair<int, const void*>, int> allowed;
    const std::lock_guard<std::mutex> mine(turn);
    int& most = allowed[{exec.device, kernel}];
    if (bytes > most) {
        require_cuda(op, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
        most = bytes;
    }
}

/// Waits at the grid dependency until all earlier kernels have ended. Every thread calls this or wait_and_trigger(), if
/// only to wait: if a kernel ended without waiting, the next one would not wait for the kernels before it.
__device__ inline void wait_for_previous()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/// Waits at the grid dependency, then triggers the launch of the next kernel. A trigger before the wait would be too
/// early: the next kernel would take the room that is left beside two kernels, all on the same few multiprocessors.
__device__ inline void wait_and_trigger()
{
    wait_for_previous();
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

}  // namespace residua::blas::detail
