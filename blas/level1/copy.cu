#include <residua/blas/level1/copy.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/elementwise.cuh>

namespace residua::blas {
namespace {

template <class T>
struct copy_to {
    vector_view<cuda_executor, const T> x;
    vector_view<cuda_executor, T> y;

    __device__ void operator()(index_t i) const { y.store(i, x.load(i)); }
};

}  // namespace

template <number T>
void copy(const cuda_executor& exec, in_vector<cuda_executor, T> x, vector_view<cuda_executor, T> y)
{
    require_equal("copy", "sizes of x and y", x.size, y.size);
    detail::run_elementwise(exec, "copy", y.size, copy_to<T>{x, y});
}

#define RESIDUA_INSTANTIATE(...)                                                                 \
    template void copy<__VA_ARGS__>(const cuda_executor&, in_vector<cuda_executor, __VA_ARGS__>, \
                                    vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
