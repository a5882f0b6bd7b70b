#include <residua/blas/base/cuda_executor.hpp>

#include <limits>

#include <residua/blas/base/check_cuda.cuh>

namespace residua {

namespace {

__global__ void nothing() {}

cudaMemPool_t pool_of(const cuda_executor& exec)
{
    cudaMemPool_t pool = nullptr;
    require_cuda("the memory pool", cudaDeviceGetDefaultMemPool(&pool, exec.device));
    return pool;
}

}  // namespace

std::vector<cuda_device> cuda_devices()
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        (void)cudaGetLastError();  // no driver or no device is no error of a later call
        return {};
    }
    std::vector<cuda_device> devices;
    for (int d = 0; d < count; ++d) {
        cudaDeviceProp properties{};
        if (cudaGetDeviceProperties(&properties, d) != cudaSuccess) {
            (void)cudaGetLastError();
            continue;
        }
        devices.push_back({d, properties.name, properties.totalGlobalMem, properties.multiProcessorCount});
    }
    return devices;
}

std::string why_no_cuda_device()
{
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    (void)cudaGetLastError();
    return status == cudaSuccess ? "CUDA sees no device" : cudaGetErrorString(status);
}

cuda_executor make_cuda_executor(int device)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        throw cuda_error("no CUDA device can be used: " + why_no_cuda_device());
    }
    if (device < 0 || device >= count) {
        throw cuda_error("there is no CUDA device " + std::to_string(device) + ": this machine has " +
                         std::to_string(count) + ", counted from 0");
    }
    cuda_executor exec;
    exec.device = device;
    const device_guard current(exec);
    std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();  // the pool keeps all that is freed, for later use
    require_cuda("the memory pool", cudaMemPoolSetAttribute(pool_of(exec), cudaMemPoolAttrReleaseThreshold, &keep));
    cudaFuncAttributes compiled{};  // all kernels of this build are compiled for this device as this one is
    require_cuda("a first kernel", cudaFuncGetAttributes(&compiled, nothing));
    exec.programmatic_launch = compiled.ptxVersion >= 90;
    nothing<<<1, 1, 0, exec.stream>>>();
    require_cuda("a first kernel", cudaGetLastError());
    synchronize(exec);
    return exec;
}

cuda_executor with_own_stream(const cuda_executor& exec)
{
    return {cudaStreamPerThread, exec.device, exec.programmatic_launch};
}

std::size_t free_device_memory(const cuda_executor& exec)
{
    const device_guard current(exec);
    synchronize(exec);
    require_cuda("the memory pool", cudaMemPoolTrimTo(pool_of(exec), 0));
    std::size_t free = 0;
    std::size_t all = 0;
    require_cuda("free memory", cudaMemGetInfo(&free, &all));
    return free;
}

void synchronize(const cuda_executor& exec)
{
    const device_guard current(exec);
    require_cuda("waiting for the device", cudaStreamSynchronize(exec.stream));
}

void* detail::cuda_allocate(const cuda_executor& exec, std::size_t bytes)
{
    const device_guard current(exec);
    void* p = nullptr;
    const cudaError_t status = cudaMallocAsync(&p, bytes, exec.stream);
    if (status == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        throw resource_error("no device memory for " + std::to_string(bytes) + " bytes");
    }
    require_cuda("allocation", status);
    return p;
}

void* detail::cuda_allocate_zeros(const cuda_executor& exec, std::size_t bytes)
{
    const device_guard current(exec);
    void* const p = cuda_allocate(exec, bytes);
    if (const cudaError_t cleared = cudaMemsetAsync(p, 0, bytes, exec.stream); cleared != cudaSuccess) {
        (void)cudaFreeAsync(p, exec.stream);
        require_cuda("allocation", cleared);
    }
    return p;
}

void detail::cuda_free(const cuda_executor& exec, void* p) noexcept
{
    int before = 0;
    if (cudaGetDevice(&before) != cudaSuccess || (before != exec.device && cudaSetDevice(exec.device) != cudaSuccess)) {
        return;  // the process is ending
    }
    (void)cudaFreeAsync(p, exec.stream);
    (void)cudaSetDevice(before);
}

void detail::cuda_copy_in(const cuda_executor& exec, void* to, const void* from_host, std::size_t bytes)
{
    const device_guard current(exec);
    require_cuda("copy to the device", cudaMemcpyAsync(to, from_host, bytes, cudaMemcpyHostToDevice, exec.stream));
    synchronize(exec);
}

void detail::cuda_copy_out(const cuda_executor& exec, void* to_host, const void* from, std::size_t bytes)
{
    const device_guard current(exec);
    require_cuda("copy from the device", cudaMemcpyAsync(to_host, from, bytes, cudaMemcpyDeviceToHost, exec.stream));
    synchronize(exec);
}

void detail::cuda_copy(const cuda_executor& exec, void* to, const void* from, std::size_t bytes)
{
    const device_guard current(exec);
    require_cuda("copy", cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, exec.stream));
}

}  // namespace residua
