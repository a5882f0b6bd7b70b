#pragma once

#include <string>

#include <cublasLt.h>
#include <cublas_v2.h>

#include <residua/blas/base/check_cuda.cuh>

namespace residua::blas::detail {

/// The functions of cuBLAS that blas calls. Nothing is linked to the library: it is loaded when the first of them is
/// needed, so that programs start, and do all else, where it is not installed or there is no address space for it.
struct cublas_functions {
    decltype(&cublasGetProperty) property = nullptr;
    decltype(&cublasGetStatusString) status_string = nullptr;
    decltype(&cublasCreate_v2) create = nullptr;
    decltype(&cublasDestroy_v2) destroy = nullptr;
    decltype(&cublasSetMathMode) set_math_mode = nullptr;
    decltype(&cublasSetStream_v2) set_stream = nullptr;
    decltype(&cublasSgemm_v2_64) sgemm = nullptr;
    decltype(&cublasDgemm_v2_64) dgemm = nullptr;
    decltype(&cublasStrsm_v2_64) strsm = nullptr;
    decltype(&cublasGemmEx_64) gemm_ex = nullptr;
    decltype(&cublasGemmStridedBatchedEx_64) gemm_strided_batched_ex = nullptr;

    // Functions of cuBLASLt, which cuBLAS loads.
    decltype(&cublasLtMatmulDescCreate) product_create = nullptr;
    decltype(&cublasLtMatmulDescDestroy) product_destroy = nullptr;
    decltype(&cublasLtMatmulDescSetAttribute) product_set = nullptr;
    decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
    decltype(&cublasLtMatrixLayoutDestroy) layout_destroy = nullptr;
    decltype(&cublasLtMatrixLayoutSetAttribute) layout_set = nullptr;
    decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
    decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
    decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
    decltype(&cublasLtMatmulAlgoGetHeuristic) find_algorithms = nullptr;
    decltype(&cublasLtMatmulAlgoConfigGetAttribute) algorithm_get = nullptr;
    decltype(&cublasLtMatmul) multiply = nullptr;
};

/// The functions of the shared library of a major version, which then stays loaded.
///
/// throws  cuda_error with op and file if the library or one of the functions is missing, or the version is another
cublas_functions load_cublas(const char* op, const std::string& file, int major);

/// The functions of the major version whose header this was compiled with.
///
/// throws  as load_cublas
const cublas_functions& cublas(const char* op);

/// throws  cuda_error unless status is CUBLAS_STATUS_SUCCESS
void require_cublas(const char* op, cublasStatus_t status);

/// This thread's cuBLAS for the executor's device and stream, whose device is current. It never rounds to fewer bits
/// than its operands have.
///
/// throws  as load_cublas; cuda_error
/// from    NVIDIA, cuBLAS library, CUBLAS_PEDANTIC_MATH
cublasHandle_t cublas_of(const char* op, const cuda_executor& exec);

}  // namespace residua::blas::detail
