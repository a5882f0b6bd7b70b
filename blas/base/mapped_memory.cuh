#pragma once

#include <cstddef>
#include <cstring>

#include <residua/blas/base/check_cuda.cuh>

namespace residua::blas::detail {

/// Memory of the host that every device can write to: after one wait the host reads there what a kernel has written,
/// without a copy.
template <class T>
class mapped_memory {
public:
    mapped_memory() = default;
    mapped_memory(const mapped_memory&) = delete;
    mapped_memory& operator=(const mapped_memory&) = delete;
    ~mapped_memory() { (void)cudaFreeHost(memory_); }

    /// `count` objects, always as many; zero bytes at first.
    T* get(std::size_t count)
    {
        if (memory_ == nullptr) {
            require_cuda("memory for results", cudaHostAlloc(&memory_, count * sizeof(T), cudaHostAllocPortable));
            std::memset(static_cast<void*>(memory_), 0, count * sizeof(T));
        }
        return memory_;
    }

private:
    T* memory_ = nullptr;
};

}  // namespace residua::blas::detail
