#include <residua/blas/level1/permute.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/elementwise.cuh>

namespace residua::blas {
namespace {

template <class T>
struct permute_to {
    const index_t* source;
    const double* factor;
    vector_view<cuda_executor, const T> x;
    vector_view<cuda_executor, T> y;

    __device__ void operator()(index_t i) const { y.store(i, detail::times_power<T>(factor[i], x.load(source[i]))); }
};

}  // namespace

template <number T>
void permute(const cuda_executor& exec, const scaled_permutation<cuda_executor>& p, in_vector<cuda_executor, T> x,
             vector_view<cuda_executor, T> y)
{
    require_equal("permute", "sizes of the permutation and y", p.source.size(), y.size);
    require_equal("permute", "factors and size of y", p.factor.size(), y.size);
    detail::run_elementwise(exec, "permute", y.size, permute_to<T>{p.source.data(), p.factor.data(), x, y});
}

#define RESIDUA_INSTANTIATE(...)                                                                       \
    template void permute<__VA_ARGS__>(const cuda_executor&, const scaled_permutation<cuda_executor>&, \
                                       in_vector<cuda_executor, __VA_ARGS__>,                          \
                                       vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
