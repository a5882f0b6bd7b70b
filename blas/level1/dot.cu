#include <residua/blas/level1/dot.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/reduce.cuh>

namespace residua::blas {

template <number T>
void dot(const cuda_executor& exec, in_vector<cuda_executor, T> x, in_vector<cuda_executor, T> y,
         scalar_place<T> result)
{
    require_equal("dot", "sizes of x and y", x.size, y.size);
    detail::sum_in_order<T>(exec, "dot", x.size, detail::add_products{}, result, x, y);
}

template <number T>
T detail::dot_of(const cuda_executor& exec, const vector_view<cuda_executor, const T>& x,
                 const vector_view<cuda_executor, const T>& y)
{
    device_scalar<T> result(exec);
    dot<T>(exec, x, y, result);
    return to_host(exec, result);
}

#define RESIDUA_INSTANTIATE(...)                                                                                    \
    template void dot<__VA_ARGS__>(const cuda_executor&, in_vector<cuda_executor, __VA_ARGS__>,                     \
                                   in_vector<cuda_executor, __VA_ARGS__>, scalar_place<__VA_ARGS__>);               \
    template __VA_ARGS__ detail::dot_of(const cuda_executor&, const vector_view<cuda_executor, const __VA_ARGS__>&, \
                                        const vector_view<cuda_executor, const __VA_ARGS__>&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
