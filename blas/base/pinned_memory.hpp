#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <residua/blas/base/cuda_executor.hpp>

struct CUevent_st;  // what cudaEvent_t points to

/// Copies between a device and the host that the host does not wait for. In builds with CUDA.
namespace residua {

/// Whole pages of the host that a device reads and writes by itself while this object lives. Where the system does not
/// lock them, copies take a detour, and the host may wait for them.
class pinned_pages {
public:
    pinned_pages(const cuda_executor& exec, std::span<std::byte> pages);
    pinned_pages(pinned_pages&& other) noexcept : exec_(other.exec_), data_(std::exchange(other.data_, nullptr)) {}
    pinned_pages& operator=(pinned_pages&& other) noexcept
    {
        std::swap(exec_, other.exec_);
        std::swap(data_, other.data_);
        return *this;
    }
    ~pinned_pages();  ///< waits for the stream

private:
    cuda_executor exec_;
    std::byte* data_ = nullptr;  ///< null where they are not locked
};

/// Queue copies of all bytes that the host has, or has room for. Who reads that memory, or writes to it, waits for them
/// before.
///
/// throws  cuda_error
void queue_copy_to_device(const cuda_executor& exec, std::span<const std::byte> from, void* on_device);
void queue_copy_to_host(const cuda_executor& exec, const void* on_device, std::span<std::byte> to);

/// A stream of a device beside the others, which marks alone put in order. Where both have work, its work comes first.
class side_stream {
public:
    /// throws  cuda_error if the device refuses
    explicit side_stream(const cuda_executor& beside);
    side_stream(const side_stream&) = delete;
    side_stream& operator=(const side_stream&) = delete;
    ~side_stream();  ///< what is queued goes on

    const cuda_executor& exec() const { return exec_; }

private:
    cuda_executor exec_;
};

/// A moment of a stream, for which the host or another stream waits, while what is queued after it goes on.
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

    /// What is queued in this stream from here on waits for the moment.
    ///
    /// throws  cuda_error
    void hold_back(const cuda_executor& exec) const;

private:
    cuda_executor exec_;
    CUevent_st* event_ = nullptr;
};

}  // namespace residua
