#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <residua/blas/base/cuda_executor.hpp>

struct CUevent_st;  // what cudaEvent_t points to

/// Copies between a device and the host that the host does not wait for. In builds with CUDA.
namespace residua {

/// Memory of the host that stays where it is, so that copies between it and a device are queued in the stream. Who
/// reads it, or writes to it again, waits for them before.
class pinned_memory {
public:
    pinned_memory() = default;  ///< no memory

    /// throws  resource_error if the memory is not there
    pinned_memory(const cuda_executor& exec, std::size_t bytes);
    pinned_memory(pinned_memory&& other) noexcept
        : exec_(other.exec_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0))
    {}
    pinned_memory& operator=(pinned_memory&& other) noexcept
    {
        std::swap(exec_, other.exec_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~pinned_memory();  ///< waits for the stream

    std::span<std::byte> bytes() const { return {data_, size_}; }

    /// Queues a copy of all of it to an address on the device.
    ///
    /// throws  cuda_error
    void queue_copy_to(void* on_device) const;

    /// Queues a copy of as many bytes from the device.
    ///
    /// throws  cuda_error
    void queue_copy_from(const void* on_device) const;

private:
    cuda_executor exec_;
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

/// A moment of a stream that the host waits for, while what is queued after it goes on.
class stream_mark {
public:
    /// throws  cuda_error if the device refuses
    explicit stream_mark(const cuda_executor& exec);
    stream_mark(const stream_mark&) = delete;
    stream_mark& operator=(const stream_mark&) = delete;
    ~stream_mark();

    /// The moment when all that was queued before is done.
    ///
    /// throws  cuda_error
    void set();

    /// throws  cuda_error with the error of what failed since
    void wait() const;

private:
    cuda_executor exec_;
    CUevent_st* event_ = nullptr;
};

}  // namespace residua
