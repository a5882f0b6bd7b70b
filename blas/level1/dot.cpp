#include <residua/blas/level1/dot.hpp>

#include <residua/blas/base/check.hpp>
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
T dot(const host_executor&, in_vector<host_executor, T> x, in_vector<host_executor, T> y)
{
    require_equal("dot", "sizes of x and y", x.size, y.size);
    const double operations = detail::multiply_add_operations<T> * static_cast<double>(x.size);
    return detail::ordered_dot<T>(x, y, operations).result();
}

#define RESIDUA_INSTANTIATE(...)                                                                       \
    template __VA_ARGS__ dot<__VA_ARGS__>(const host_executor&, in_vector<host_executor, __VA_ARGS__>, \
                                          in_vector<host_executor, __VA_ARGS__>);                      \
    template accumulator<number_traits<__VA_ARGS__>::terms> detail::ordered_dot<__VA_ARGS__>(          \
        in_vector<host_executor, __VA_ARGS__>, in_vector<host_executor, __VA_ARGS__>, double);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
