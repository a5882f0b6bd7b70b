#include <residua/blas/level1/scal.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/elementwise.cuh>

namespace residua::blas {
namespace {

template <class T>
struct scale {
    scalar_argument<T> a;
    vector_view<cuda_executor, T> y;

    __device__ void operator()(index_t i) const { y.store(i, detail::scal_element(a.load(), y.load(i))); }
};

}  // namespace

template <number T>
void scal(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& a, vector_view<cuda_executor, T> y)
{
    detail::run_elementwise(exec, "scal", y.size, scale<T>{a, y});
}

#define RESIDUA_INSTANTIATE(...)                                                               \
    template void scal<__VA_ARGS__>(const cuda_executor&, const scalar_argument<__VA_ARGS__>&, \
                                    vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
