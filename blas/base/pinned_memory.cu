#include <residua/blas/base/pinned_memory.hpp>

#include <residua/blas/base/check_cuda.cuh>

namespace residua {

pinned_pages::pinned_pages(const cuda_executor& exec, std::span<std::byte> pages) : exec_(exec)
{
    if (pages.empty()) {
        return;
    }
    const device_guard current(exec_);
    if (cudaHostRegister(pages.data(), pages.size(), cudaHostRegisterPortable) != cudaSuccess) {
        (void)cudaGetLastError();
        return;
    }
    data_ = pages.data();
}

pinned_pages::~pinned_pages()
{
    if (data_ == nullptr) {
        return;
    }
    int before = 0;
    if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(exec_.device) != cudaSuccess) {
        return;  // the process is ending
    }
    (void)cudaStreamSynchronize(exec_.stream);
    (void)cudaHostUnregister(data_);
    (void)cudaSetDevice(before);
}

void queue_copy_to_device(const cuda_executor& exec, std::span<const std::byte> from, void* on_device)
{
    const device_guard current(exec);
    require_cuda("copy to the device",
                 cudaMemcpyAsync(on_device, from.data(), from.size(), cudaMemcpyHostToDevice, exec.stream));
}

void queue_copy_to_host(const cuda_executor& exec, const void* on_device, std::span<std::byte> to)
{
    const device_guard current(exec);
    require_cuda("copy from the device",
                 cudaMemcpyAsync(to.data(), on_device, to.size(), cudaMemcpyDeviceToHost, exec.stream));
}

side_stream::side_stream(const cuda_executor& beside) : exec_(beside)
{
    const device_guard current(exec_);
    int last = 0;
    int first = 0;
    require_cuda("a stream", cudaDeviceGetStreamPriorityRange(&last, &first));
    require_cuda("a stream", cudaStreamCreateWithPriority(&exec_.stream, cudaStreamNonBlocking, first));
}

side_stream::~side_stream() { (void)cudaStreamDestroy(exec_.stream); }

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

void stream_mark::hold_back(const cuda_executor& exec) const
{
    const device_guard current(exec);
    require_cuda("waiting for a mark in a stream", cudaStreamWaitEvent(exec.stream, event_, 0));
}

}  // namespace residua
