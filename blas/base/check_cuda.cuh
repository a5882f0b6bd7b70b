#pragma once

#include <source_location>
#include <string>
#include <string_view>

#include <cuda_runtime.h>

#include <residua/blas/base/cuda_executor.hpp>

namespace residua {

/// throws  cuda_error "op: what CUDA says (cudaErrorName, file:line)" unless status is cudaSuccess; CUDA has then
///         forgotten the error, so that no later call is blamed for it
inline void require_cuda(const char* op, cudaError_t status,
                         const std::source_location& at = std::source_location::current())
{
    if (status != cudaSuccess) {
        (void)cudaGetLastError();
        const std::string_view path = at.file_name();
        throw cuda_error(std::string(op) + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ", " +
                         std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(at.line()) + ")");
    }
}

/// Makes the executor's device the current one of this thread, and restores the previous one at the end.
class device_guard {
public:
    explicit device_guard(const cuda_executor& exec)
    {
        require_cuda("choosing the device", cudaGetDevice(&before_));
        if (before_ != exec.device) {
            require_cuda("choosing the device", cudaSetDevice(exec.device));
            changed_ = true;
        }
    }

    device_guard(const device_guard&) = delete;
    device_guard& operator=(const device_guard&) = delete;

    ~device_guard()
    {
        if (changed_) {
            (void)cudaSetDevice(before_);
        }
    }

private:
    int before_ = 0;
    bool changed_ = false;
};

}  // namespace residua
