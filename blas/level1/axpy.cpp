#include <residua/blas/level1/axpy.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/elementwise.hpp>
#include <residua/blas/base/instantiate.hpp>

namespace residua::blas {

template <number T>
void detail::add_scaled(const T& a, in_vector<host_executor, T> x, in_vector<host_executor, T> y,
                        vector_view<host_executor, T> w)
{
    elementwise<T>(
        multiply_add_operations<T>,
        [alpha = a](const T& xi, const T& yi) __attribute__((always_inline)) { return axpy_element(alpha, xi, yi); }, w,
        x, y);
}

template <number T>
void axpy(const host_executor&, const std::type_identity_t<T>& a, in_vector<host_executor, T> x,
          vector_view<host_executor, T> y)
{
    require_equal("axpy", "sizes of x and y", x.size, y.size);
    detail::add_scaled<T>(a, x, y, y);
}

#define RESIDUA_INSTANTIATE(...)                                                                                     \
    template void axpy<__VA_ARGS__>(const host_executor&, const __VA_ARGS__&, in_vector<host_executor, __VA_ARGS__>, \
                                    vector_view<host_executor, __VA_ARGS__>);                                        \
    template void detail::add_scaled<__VA_ARGS__>(const __VA_ARGS__&, in_vector<host_executor, __VA_ARGS__>,         \
                                                  in_vector<host_executor, __VA_ARGS__>,                             \
                                                  vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
