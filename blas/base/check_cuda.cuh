#pragma once

#include <source_location>
#include <string>
#include <string_view>

#include <cuda_runtime.h>

#include <residua/blas/base/cuda_executor.hpp>

namespace residua {

/// throws  cuda_error "op: what CUDA says (cudaErrorName, file:line)" unless status is cudaSuccess
inline void require_cuda(const char* op, cudaError_t status,
                         const std::source_location& at = std::source_location::current())
{
    if (status != cudaSuccess) {
        const std::string_view path = at.file_name();
        throw cuda_error(std::string(op) + ": " + cudaGetErrorString(status) + " (" +
                         cudaGetErrorName(status) + ", " + std::string(path.substr(path.rfind('/') + 1)) +
                         ":" + std::to_string(at.line()) + ")");
    }
}

}  // namespace residua
