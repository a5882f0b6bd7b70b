#pragma once

#include <residua/blas/base/check_cuda.cuh>

/// Two kernels in a row, the second of which waits for the first by itself: its launch costs no time then.
namespace residua::blas::detail {

/// Launches a kernel whose blocks may be brought to the device while the one before still runs; it calls
/// wait_for_previous() before it reads what that one wrote, and that one calls let_next_start().
template <class... Parameter, class... Argument>
cudaError_t launch_early(const cuda_executor& exec, dim3 grid, int block, void (*kernel)(Parameter...),
                         const Argument&... argument)
{
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = dim3(static_cast<unsigned>(block));
    config.stream = exec.stream;
    config.attrs = &early;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, Parameter(argument)...);
}

__device__ inline void let_next_start()
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

__device__ inline void wait_for_previous()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

}  // namespace residua::blas::detail
