#include <residua/blas/level1/times_i.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/elementwise.cuh>

namespace residua::blas {
namespace {

template <class T>
struct times_i_to {
    vector_view<cuda_executor, const T> x;
    vector_view<cuda_executor, T> y;

    __device__ void operator()(index_t i) const { y.store(i, i % 2 == 0 ? -x.load(i + 1) : x.load(i - 1)); }
};

}  // namespace

template <number T>
void detail::times_i(const cuda_executor& exec, in_vector<cuda_executor, T> x, vector_view<cuda_executor, T> y)
{
    run_elementwise(exec, "times_i", y.size, times_i_to<T>{x, y});
}

#define RESIDUA_INSTANTIATE(...)                                                                            \
    template void detail::times_i<__VA_ARGS__>(const cuda_executor&, in_vector<cuda_executor, __VA_ARGS__>, \
                                               vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
