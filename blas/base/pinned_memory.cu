#include <residua/blas/base/pinned_memory.hpp>

#include <string>

#include <residua/blas/base/check_cuda.cuh>

namespace residua {

pinned_memory::pinned_memory(const cuda_executor& exec, std::size_t bytes) : exec_(exec)
{
    if (bytes == 0) {
        return;
    }
    const device_guard current(exec_);
    void* memory = nullptr;
    const cudaError_t status = cudaHostAlloc(&memory, bytes, cudaHostAllocPortable);
    if (status == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        throw resource_error("no page-locked memory for " + std::to_string(bytes) + " bytes");
    }
    require_cuda("page-locked memory", status);
    data_ = static_cast<std::byte*>(memory);
    size_ = bytes;
}

pinned_memory::~pinned_memory()
{
    if (data_ == nullptr) {
        return;
    }
    int before = 0;
    if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(exec_.device) != cudaSuccess) {
        return;  // the process is ending
    }
    (void)cudaStreamSynchronize(exec_.stream);
    (void)cudaFreeHost(data_);
    (void)cudaSetDevice(before);
}

void pinned_memory::queue_copy_to(void* on_device) const
{
    const device_guard current(exec_);
    require_cuda("copy to the device", cudaMemcpyAsync(on_device, data_, size_, cudaMemcpyHostToDevice, exec_.stream));
}

void pinned_memory::queue_copy_from(const void* on_device) const
{
    const device_guard current(exec_);
    require_cuda("copy from the device",
                 cudaMemcpyAsync(data_, on_device, size_, cudaMemcpyDeviceToHost, exec_.stream));
}

stream_mark::stream_mark(const cuda_executor& exec) : exec_(exec)
{
    const device_guard current(exec_);
    require_cuda("a mark in a stream", cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
}

stream_mark::~stream_mark() { (void)cudaEventDestroy(event_); }

void stream_mark::set()
{
    const device_guard current(exec_);
    require_cuda("a mark in a stream", cudaEventRecord(event_, exec_.stream));
}

void stream_mark::wait() const
{
    const device_guard current(exec_);
    require_cuda("waiting for a mark in a stream", cudaEventSynchronize(event_));
}

}  // namespace residua
