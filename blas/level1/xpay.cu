#include <residua/blas/level1/xpay.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/axpy.hpp>

namespace residua::blas {

template <number T>
void xpay(const cuda_executor& exec, in_vector<cuda_executor, T> x, const std::type_identity_t<scalar_argument<T>>& a,
          vector_view<cuda_executor, T> y)
{
    detail::add_scaled<T>(exec, "xpay", a, y, x, y);
}

#define RESIDUA_INSTANTIATE(...)                                                                 \
    template void xpay<__VA_ARGS__>(const cuda_executor&, in_vector<cuda_executor, __VA_ARGS__>, \
                                    const scalar_argument<__VA_ARGS__>&, vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
