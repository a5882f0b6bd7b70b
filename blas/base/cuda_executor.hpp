#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <residua/io/error.hpp>

struct CUstream_st;  // what cudaStream_t points to: no host file needs CUDA's headers

namespace residua {

/// One stream of a CUDA device. Operations are queued on it and return before they are done;
/// those that give the host a number wait for it.
struct cuda_executor {
    CUstream_st* stream = nullptr;  ///< the default stream if null
    int device = 0;
    bool programmatic_launch = false;  ///< whether launches are dependent ones (launch.cuh); set by make_cuda_executor
};

/// A CUDA call or a kernel that failed: the operation, the file and line, what CUDA says.
class cuda_error : public resource_error {
public:
    using resource_error::resource_error;
};

/// A device that can be used.
struct cuda_device {
    int number = 0;  ///< CUDA's
    std::string name;
    std::size_t memory_bytes = 0;  ///< in all
    int multiprocessors = 0;
};

/// The devices that this build can use, in CUDA's order; empty without a GPU or its driver, and in a
/// build without CUDA.
std::vector<cuda_device> cuda_devices();

/// Why cuda_devices() is empty, in words.
std::string why_no_cuda_device();

/// An executor on a device: its default stream, and a memory pool that keeps what is freed. The current device of
/// the calling thread stays what it was, here and in every operation.
///
/// throws  cuda_error if there is no such device, or no kernel of this build runs on it
cuda_executor make_cuda_executor(int device = 0);

/// The device of an executor, and on it the stream of whichever thread uses the result: the work of one thread does not
/// wait for that of another. A thread waits for its own work before another thread may use the memory.
cuda_executor with_own_stream(const cuda_executor& exec);

/// Bytes of its device's memory that are free, after the pool has given back what it kept.
std::size_t free_device_memory(const cuda_executor& exec);

/// Waits for all that was queued.
///
/// throws  cuda_error with the error of what failed since
void synchronize(const cuda_executor& exec);

namespace detail {

/// Device memory from the device's asynchronous pool, as it is or cleared.
///
/// throws  resource_error naming the bytes if the memory is not there
void* cuda_allocate(const cuda_executor& exec, std::size_t bytes);
void* cuda_allocate_zeros(const cuda_executor& exec, std::size_t bytes);

/// In stream order: operations queued before still find the memory.
void cuda_free(const cuda_executor& exec, void* p) noexcept;

/// Copies; those from or to the host return when they are done.
void cuda_copy_in(const cuda_executor& exec, void* to, const void* from_host, std::size_t bytes);
void cuda_copy_out(const cuda_executor& exec, void* to_host, const void* from, std::size_t bytes);
void cuda_copy(const cuda_executor& exec, void* to, const void* from, std::size_t bytes);

}  // namespace detail
}  // namespace residua
