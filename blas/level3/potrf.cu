#include <residua/blas/level3/potrf.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/cusolver.cuh>
#include <residua/blas/level3/getrf.cuh>

namespace residua::blas {
namespace {

constexpr const char* op = "potrf";

}  // namespace

template <std::floating_point Real>
index_t potrf(const cuda_executor& exec, lapack_matrix<cuda_executor, Real> a)
{
    detail::require_lapack_matrix(op, a.n, a.ld, static_cast<std::size_t>(a.n));
    if (a.n == 0) {
        return 0;
    }
    const device_guard current(exec);
    if (detail::has_not_finite(op, exec, a)) {
        return 1;
    }
    const detail::cusolver_functions& f = detail::cusolver(op);
    const cusolverDnHandle_t handle = detail::cusolver_of(op, exec);
    const detail::cusolver_parameters how(op);
    constexpr cudaDataType type = std::is_same_v<Real, double> ? CUDA_R_64F : CUDA_R_32F;
    constexpr cublasFillMode_t lower = CUBLAS_FILL_MODE_LOWER;
    std::size_t device_bytes = 0;
    std::size_t host_bytes = 0;
    detail::require_cusolver(
        op, f.potrf_bytes(handle, how.get(), lower, a.n, type, a.data, a.ld, type, &device_bytes, &host_bytes));
    buffer<cuda_executor, unsigned char> device_work(static_cast<index_t>(device_bytes), exec, uninitialized{});
    std::vector<std::byte> host_work(host_bytes);
    buffer<cuda_executor, int> info(1, exec);
    detail::require_cusolver(op, f.potrf(handle, how.get(), lower, a.n, type, a.data, a.ld, type, device_work.data(),
                                         device_bytes, host_work.data(), host_bytes, info.data()));
    const buffer<host_executor, int> result = to_host(exec, info);  // waits
    if (*result.data() < 0) {
        throw cuda_error(std::string(op) + ": cuSOLVER refuses argument " + std::to_string(-*result.data()));
    }
    return *result.data();
}

template index_t potrf<double>(const cuda_executor&, lapack_matrix<cuda_executor, double>);
template index_t potrf<float>(const cuda_executor&, lapack_matrix<cuda_executor, float>);

}  // namespace residua::blas
