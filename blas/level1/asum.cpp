#include <residua/blas/level1/asum.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/reduce.hpp>

namespace residua::blas {

template <number T>
T detail::asum_of(const host_executor&, const vector_view<host_executor, const T>& x)
{
    const double operations = detail::multiply_add_operations<T> * static_cast<double>(x.size);
    return detail::sum_in_order<T>(
               x.size, operations,
               [](auto& sum, const T& xi) __attribute__((always_inline)) { detail::add(sum, abs(xi)); }, x)
        .result();
}

#define RESIDUA_INSTANTIATE(...) \
    template __VA_ARGS__ detail::asum_of(const host_executor&, const vector_view<host_executor, const __VA_ARGS__>&);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
