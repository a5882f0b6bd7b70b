#include <residua/blas/level1/fill.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/elementwise.cuh>

namespace residua::blas {
namespace {

template <class T>
struct fill_with {
    scalar_argument<T> a;
    vector_view<cuda_executor, T> y;

    __device__ void operator()(index_t i) const { y.store(i, a.load()); }
};

}  // namespace

template <number T>
void fill(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& a, vector_view<cuda_executor, T> y)
{
    detail::run_elementwise(exec, "fill", y.size, fill_with<T>{a, y});
}

#define RESIDUA_INSTANTIATE(...)                                                               \
    template void fill<__VA_ARGS__>(const cuda_executor&, const scalar_argument<__VA_ARGS__>&, \
                                    vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
