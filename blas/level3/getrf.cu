#include <residua/blas/level3/getrf.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/cusolver.cuh>

namespace residua::blas {
namespace {

constexpr const char* op = "getrf";

/// What cuSOLVER may be told about how to go about it: nothing, for its default algorithm.
class parameters {
public:
    parameters() { detail::require_cusolver(op, detail::cusolver(op).create_parameters(&get_)); }
    parameters(const parameters&) = delete;
    parameters& operator=(const parameters&) = delete;
    ~parameters() { (void)detail::cusolver(op).destroy_parameters(get_); }

    cusolverDnParams_t get() const { return get_; }

private:
    cusolverDnParams_t get_ = nullptr;
};

}  // namespace

template <std::floating_point Real>
index_t getrf(const cuda_executor& exec, lapack_matrix<cuda_executor, Real> a, std::span<std::int64_t> pivots)
{
    detail::require_lapack_matrix(a.n, a.ld, pivots.size());
    if (a.n == 0) {
        return 0;
    }
    const device_guard current(exec);
    const detail::cusolver_functions& f = detail::cusolver(op);
    const cusolverDnHandle_t handle = detail::cusolver_of(op, exec);
    const parameters how;
    constexpr cudaDataType type = std::is_same_v<Real, double> ? CUDA_R_64F : CUDA_R_32F;
    std::size_t device_bytes = 0;
    std::size_t host_bytes = 0;
    detail::require_cusolver(
        op, f.getrf_bytes(handle, how.get(), a.n, a.n, type, a.data, a.ld, type, &device_bytes, &host_bytes));
    buffer<cuda_executor, unsigned char> device_work(static_cast<index_t>(device_bytes), exec, uninitialized{});
    std::vector<std::byte> host_work(host_bytes);
    buffer<cuda_executor, int> info(1, exec);
    detail::require_cusolver(op, f.getrf(handle, how.get(), a.n, a.n, type, a.data, a.ld, pivots.data(), type,
                                         device_work.data(), device_bytes, host_work.data(), host_bytes, info.data()));
    const buffer<host_executor, int> result = to_host(exec, info);  // waits
    if (*result.data() < 0) {
        throw cuda_error(std::string(op) + ": cuSOLVER refuses argument " + std::to_string(-*result.data()));
    }
    return *result.data();
}

template index_t getrf<double>(const cuda_executor&, lapack_matrix<cuda_executor, double>, std::span<std::int64_t>);
template index_t getrf<float>(const cuda_executor&, lapack_matrix<cuda_executor, float>, std::span<std::int64_t>);

}  // namespace residua::blas
