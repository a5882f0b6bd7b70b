#pragma once

#include <string>

#include <cuda_runtime.h>

#include <residua/blas/base/cuda_executor.hpp>

namespace residua {

/// throws  cuda_error "op: what CUDA says (cudaErrorName)" unless status is cudaSuccess
inline void require_cuda(const char* op, cudaError_t status)
{
    if (status != cudaSuccess) {
        throw cuda_error(std::string(op) + ": " + cudaGetErrorString(status) + " (" +
                         cudaGetErrorName(status) + ")");
    }
}

}  // namespace residua
