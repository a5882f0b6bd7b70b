#pragma once

#include <string>

#include <cusolverDn.h>

#include <residua/blas/base/check_cuda.cuh>

namespace residua::blas::detail {

/// The functions of cuSOLVER that blas calls, loaded as cublas.cuh loads functions of cuBLAS.
struct cusolver_functions {
    decltype(&cusolverGetProperty) property = nullptr;
    decltype(&cusolverDnCreate) create = nullptr;
    decltype(&cusolverDnDestroy) destroy = nullptr;
    decltype(&cusolverDnSetStream) set_stream = nullptr;
    decltype(&cusolverDnSetDeterministicMode) set_deterministic_mode = nullptr;
    decltype(&cusolverDnCreateParams) create_parameters = nullptr;
    decltype(&cusolverDnDestroyParams) destroy_parameters = nullptr;
    decltype(&cusolverDnXgetrf_bufferSize) getrf_bytes = nullptr;
    decltype(&cusolverDnXgetrf) getrf = nullptr;
    decltype(&cusolverDnXpotrf_bufferSize) potrf_bytes = nullptr;
    decltype(&cusolverDnXpotrf) potrf = nullptr;
};

/// The functions of the shared library of a major version, which then stays loaded.
///
/// throws  cuda_error with op and file if the library or one of the functions is missing, or the version is another
cusolver_functions load_cusolver(const char* op, const std::string& file, int major);

/// The file of the major version whose header this was compiled with.
std::string cusolver_file();

/// The functions of cusolver_file(), loaded by the first call.
///
/// throws  as load_cusolver
const cusolver_functions& cusolver(const char* op);

/// throws  cuda_error with the status as cuSOLVER's header has it, unless that is CUSOLVER_STATUS_SUCCESS
void require_cusolver(const char* op, cusolverStatus_t status);

/// This thread's cuSOLVER for the executor's device and stream, whose device is current. It is asked for the same bits in
/// every run, and computes in the format of its operands.
///
/// throws  as load_cusolver; cuda_error
/// from    NVIDIA, cuSOLVER library, cusolverDnSetDeterministicMode
cusolverDnHandle_t cusolver_of(const char* op, const cuda_executor& exec);

}  // namespace residua::blas::detail
