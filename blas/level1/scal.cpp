#include <residua/blas/level1/scal.hpp>

#include <residua/blas/base/elementwise.hpp>
#include <residua/blas/base/instantiate.hpp>

namespace residua::blas {

template <number T>
void scal(const host_executor&, const std::type_identity_t<T>& a, vector_view<host_executor, T> y)
{
    detail::elementwise<T>(
        detail::multiply_add_operations<T>,
        [alpha = a](const T& yi) __attribute__((always_inline)) { return alpha * yi; }, y, y);
}

#define RESIDUA_INSTANTIATE(...)                                              \
    template void scal<__VA_ARGS__>(const host_executor&, const __VA_ARGS__&, \
                                    vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
