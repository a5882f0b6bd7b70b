#include <residua/blas/level1/xpay.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/axpy.hpp>

namespace residua::blas {

template <number T>
void xpay(const host_executor&, in_vector<host_executor, T> x, const std::type_identity_t<T>& a,
          vector_view<host_executor, T> y)
{
    require_equal("xpay", "sizes of x and y", x.size, y.size);
    detail::add_scaled<T>(a, y, x, y);
}

#define RESIDUA_INSTANTIATE(...)                                                                                     \
    template void xpay<__VA_ARGS__>(const host_executor&, in_vector<host_executor, __VA_ARGS__>, const __VA_ARGS__&, \
                                    vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
