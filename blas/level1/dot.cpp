#include <residua/blas/level1/dot.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/reduce.hpp>

namespace residua::blas {

template <number T>
accumulator<number_traits<T>::terms> detail::ordered_dot(in_vector<host_executor, T> x, in_vector<host_executor, T> y,
                                                         double operations)
{
    return sum_in_order<T>(
        x.size, operations,
        [](auto& sum, const T& xi, const T& yi) __attribute__((always_inline)) { add_product(sum, xi, yi); }, x, y);
}

template <number T>
T detail::dot_of(const host_executor&, const vector_view<host_executor, const T>& x,
                 const vector_view<host_executor, const T>& y)
{
    return ordered_dot<T>(x, y, multiply_add_operations<T> * static_cast<double>(x.size)).result();
}

#define RESIDUA_INSTANTIATE(...)                                                                                    \
    template __VA_ARGS__ detail::dot_of(const host_executor&, const vector_view<host_executor, const __VA_ARGS__>&, \
                                        const vector_view<host_executor, const __VA_ARGS__>&);                      \
    template accumulator<number_traits<__VA_ARGS__>::terms> detail::ordered_dot<__VA_ARGS__>(                       \
        in_vector<host_executor, __VA_ARGS__>, in_vector<host_executor, __VA_ARGS__>, double);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
