#include "tests/blas/base/read_once.hpp"

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/check_cuda.cuh>
#include <residua/blas/base/read_once.cuh>

namespace residua::support {
namespace {

__global__ void make_policies(std::uint64_t* policy)
{
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 0.5;" : "=l"(policy[0]));
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy[1]));
}

}  // namespace

cache_policies leave_first(const cuda_executor& exec)
{
    buffer<cuda_executor, std::uint64_t> made(2, exec);
    make_policies<<<1, 1, 0, exec.stream>>>(made.data());
    require_cuda("cache policies", cudaGetLastError());
    cache_policies policies{{blas::detail::half_leaves_first, blas::detail::all_leaves_first}, {}};
    require_cuda("cache policies", cudaMemcpyAsync(policies.made.data(), made.data(), sizeof(policies.made),
                                                   cudaMemcpyDeviceToHost, exec.stream));
    synchronize(exec);
    return policies;
}

}  // namespace residua::support
