#include <residua/blas/level1/waxpby.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/elementwise.hpp>
#include <residua/blas/base/instantiate.hpp>

namespace residua::blas {

template <number T>
void waxpby(const host_executor&, const std::type_identity_t<T>& a, in_vector<host_executor, T> x,
            const std::type_identity_t<T>& b, in_vector<host_executor, T> y, vector_view<host_executor, T> w)
{
    require_equal("waxpby", "sizes of x and w", x.size, w.size);
    require_equal("waxpby", "sizes of y and w", y.size, w.size);
    detail::elementwise<T>(
        2.0 * detail::multiply_add_operations<T>,
        [ alpha = a, beta = b ](const T& xi, const T& yi)
            __attribute__((always_inline)) { return detail::waxpby_element(alpha, xi, beta, yi); },
        w, x, y);
}

#define RESIDUA_INSTANTIATE(...)                                                                                       \
    template void waxpby<__VA_ARGS__>(const host_executor&, const __VA_ARGS__&, in_vector<host_executor, __VA_ARGS__>, \
                                      const __VA_ARGS__&, in_vector<host_executor, __VA_ARGS__>,                       \
                                      vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
