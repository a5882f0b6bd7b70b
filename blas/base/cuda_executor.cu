#include <residua/blas/base/cuda_executor.hpp>

#include <limits>

#include <residua/blas/base/check_cuda.cuh>

namespace residua {

std::vector<cuda_device> cuda_devices()
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        (void)cudaGetLastError();  // no driver, no device: not an error of a later call
        return {};
    }
    std::vector<cuda_device> devices;
    for (int d = 0; d < count; ++d) {
        cudaDeviceProp properties{};
        cuda_device device;
        if (cudaSetDevice(d) != cudaSuccess || cudaGetDeviceProperties(&properties, d) != cudaSuccess ||
            cudaMemGetInfo(&device.free_bytes, &device.memory_bytes) != cudaSuccess) {
            (void)cudaGetLastError();
            continue;
        }
        device.name = properties.name;
        device.multiprocessors = properties.multiProcessorCount;
        devices.push_back(device);
    }
    if (!devices.empty()) {
        (void)cudaSetDevice(0);
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
    require_cuda("choosing the device", cudaSetDevice(device));
    cudaMemPool_t pool = nullptr;
    require_cuda("the memory pool", cudaDeviceGetDefaultMemPool(&pool, device));
    std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();  // all that was freed, for the next vector
    require_cuda("the memory pool", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    cuda_executor exec;
    exec.device = device;
    return exec;
}

void synchronize(const cuda_executor& exec)
{
    require_cuda("waiting for the device", cudaStreamSynchronize(exec.stream));
}

void* detail::cuda_allocate_zeros(const cuda_executor& exec, std::size_t bytes)
{
    void* p = nullptr;
    const cudaError_t status = cudaMallocAsync(&p, bytes, exec.stream);
    if (status == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        throw resource_error("no device memory for " + std::to_string(bytes) + " bytes");
    }
    require_cuda("allocation", status);
    require_cuda("allocation", cudaMemsetAsync(p, 0, bytes, exec.stream));
    return p;
}

void detail::cuda_free(const cuda_executor& exec, void* p) noexcept
{
    (void)cudaFreeAsync(p, exec.stream);
}

void detail::cuda_copy_in(const cuda_executor& exec, void* to, const void* from_host, std::size_t bytes)
{
    require_cuda("copy to the device", cudaMemcpyAsync(to, from_host, bytes, cudaMemcpyHostToDevice, exec.stream));
    synchronize(exec);
}

void detail::cuda_copy_out(const cuda_executor& exec, void* to_host, const void* from, std::size_t bytes)
{
    require_cuda("copy from the device", cudaMemcpyAsync(to_host, from, bytes, cudaMemcpyDeviceToHost, exec.stream));
    synchronize(exec);
}

void detail::cuda_copy(const cuda_executor& exec, void* to, const void* from, std::size_t bytes)
{
    require_cuda("copy", cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, exec.stream));
}

}  // namespace residua
