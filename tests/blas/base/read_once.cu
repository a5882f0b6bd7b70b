#include "tests/blas/base/read_once.hpp"

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/check_cuda.cuh>
#include <residua/blas/base/read_once.cuh>

namespace residua::support {
namespace {

__global__ void make_policy(std::uint64_t* policy)
{
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 0.5;" : "=l"(*policy));
}

}  // namespace

cache_policies half_leaves_first(const cuda_executor& exec)
{
    buffer<cuda_executor, std::uint64_t> made(1, exec);
    make_policy<<<1, 1, 0, exec.stream>>>(made.data());
    require_cuda("a cache policy", cudaGetLastError());
    cache_policies policies{blas::detail::half_leaves_first, 0};
    require_cuda("a cache policy", cudaMemcpyAsync(&policies.made, made.data(), sizeof(policies.made),
                                                   cudaMemcpyDeviceToHost, exec.stream));
    synchronize(exec);
    return policies;
}

}  // namespace residua::support
