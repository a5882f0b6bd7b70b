#pragma once

#include <string>

#include <cublas_v2.h>

#include <residua/blas/base/check_cuda.cuh>

namespace residua::blas::detail {

/// throws  cuda_error unless status is CUBLAS_STATUS_SUCCESS
inline void require_cublas(const char* op, cublasStatus_t status)
{
    if (status != CUBLAS_STATUS_SUCCESS) {
        throw cuda_error(std::string(op) + ": cuBLAS: " + cublasGetStatusString(status));
    }
}

/// This thread's cuBLAS for the executor's device and stream, whose device is current. It never rounds to fewer bits
/// than its operands have.
///
/// from  NVIDIA, cuBLAS library, CUBLAS_PEDANTIC_MATH
inline cublasHandle_t cublas_of(const char* op, const cuda_executor& exec)
{
    struct handle {
        cublasHandle_t get = nullptr;
        int device = -1;

        ~handle()
        {
            if (get != nullptr) {
                (void)cublasDestroy(get);
            }
        }
    };
    static thread_local handle h;
    if (h.device != exec.device) {
        if (h.get != nullptr) {
            (void)cublasDestroy(h.get);
            h.get = nullptr;
        }
        require_cublas(op, cublasCreate(&h.get));
        h.device = exec.device;
        require_cublas(op, cublasSetMathMode(h.get, CUBLAS_PEDANTIC_MATH));
    }
    require_cublas(op, cublasSetStream(h.get, exec.stream));
    return h.get;
}

}  // namespace residua::blas::detail
