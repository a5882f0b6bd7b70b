#include <residua/blas/level1/asum.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/reduce.cuh>

namespace residua::blas {
namespace {

struct add_magnitudes {
    template <class Sum, class T>
    __device__ void operator()(Sum& sum, const T& x) const
    {
        detail::add(sum, abs(x));
    }
};

}  // namespace

template <number T>
T detail::asum_of(const cuda_executor& exec, const vector_view<cuda_executor, const T>& x)
{
    device_scalar<T> result(exec);
    detail::sum_in_order<T>(exec, "asum", x.size, add_magnitudes{}, result, x);
    return to_host(exec, result);
}

#define RESIDUA_INSTANTIATE(...) \
    template __VA_ARGS__ detail::asum_of(const cuda_executor&, const vector_view<cuda_executor, const __VA_ARGS__>&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
