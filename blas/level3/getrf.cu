#include <residua/blas/level3/getrf.cuh>

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/launch.cuh>

namespace residua::blas {
namespace {

constexpr const char* op = "getrf";

constexpr unsigned threads = 256;

/// Each block looks at some columns: it reports entries that are not finite, or fills the columns with NaN.
template <class Real, bool Fills>
__global__ void __launch_bounds__(threads) each_entry_kernel(lapack_matrix<cuda_executor, Real> a, int* not_finite)
{
    detail::wait_and_trigger();
    bool found = false;
    for (index_t j = blockIdx.x; j < a.n; j += gridDim.x) {
        for (index_t i = threadIdx.x; i < a.n; i += threads) {
            Real& x = a.data[j * a.ld + i];
            if constexpr (Fills) {
                x = static_cast<Real>(nan(""));
            } else {
                found = found || !(x - x == Real{0});
            }
        }
    }
    if (found) {
        *not_finite = 1;
    }
}

__global__ void __launch_bounds__(threads) no_swaps_kernel(index_t n, std::int64_t* pivot)
{
    detail::wait_and_trigger();
    for (index_t k = threadIdx.x; k < n; k += threads) {
        pivot[k] = k + 1;
    }
}

template <bool Fills, class Real>
void each_entry(const char* operation, const cuda_executor& exec, const lapack_matrix<cuda_executor, Real>& a,
                int* not_finite)
{
    const auto blocks = static_cast<unsigned>(a.n < 1024 ? a.n : 1024);
    detail::launch(exec, operation, blocks, threads, each_entry_kernel<Real, Fills>, a, not_finite);
}

}  // namespace

template <std::floating_point Real>
bool detail::has_not_finite(const char* operation, const cuda_executor& exec,
                            const lapack_matrix<cuda_executor, Real>& a)
{
    buffer<cuda_executor, int> not_finite(1, exec);
    each_entry<false>(operation, exec, a, not_finite.data());
    return *to_host(exec, not_finite).data() != 0;
}

template <std::floating_point Real>
void detail::make_nan(const char* operation, const cuda_executor& exec, const lapack_matrix<cuda_executor, Real>& a,
                      std::span<std::int64_t> pivots)
{
    each_entry<true>(operation, exec, a, nullptr);
    launch(exec, operation, 1, threads, no_swaps_kernel, a.n, pivots.data());
}

template <std::floating_point Real>
index_t getrf(const cuda_executor& exec, lapack_matrix<cuda_executor, Real> a, std::span<std::int64_t> pivots)
{
    detail::require_lapack_matrix(op, a.n, a.ld, pivots.size());
    if (a.n == 0) {
        return 0;
    }
    const device_guard current(exec);
    if (detail::has_not_finite(op, exec, a)) {
        detail::make_nan(op, exec, a, pivots);
        return 0;
    }
    const detail::cusolver_functions& f = detail::cusolver(op);
    const cusolverDnHandle_t handle = detail::cusolver_of(op, exec);
    const detail::cusolver_parameters how(op);
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

template bool detail::has_not_finite<float>(const char*, const cuda_executor&,
                                            const lapack_matrix<cuda_executor, float>&);
template void detail::make_nan<float>(const char*, const cuda_executor&, const lapack_matrix<cuda_executor, float>&,
                                      std::span<std::int64_t>);
template index_t getrf<double>(const cuda_executor&, lapack_matrix<cuda_executor, double>, std::span<std::int64_t>);
template index_t getrf<float>(const cuda_executor&, lapack_matrix<cuda_executor, float>, std::span<std::int64_t>);

}  // namespace residua::blas
