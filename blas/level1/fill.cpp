#include <residua/blas/level1/fill.hpp>

#include <algorithm>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>

namespace residua::blas {

template <number T>
void fill(const host_executor&, const std::type_identity_t<T>& a, vector_view<host_executor, T> y)
{
    const T value = a;  // a may be an element of y
    const double operations = static_cast<double>(y.size) * y.terms;
    detail::parallel_ranges(y.size, 8, operations, [&](index_t begin, index_t end) {
        for (int k = 0; k < y.terms; ++k) {
            double* const to = y.plane(k);
            std::fill(to + begin, to + end, term(value, k));
        }
    });
}

#define RESIDUA_INSTANTIATE(...) \
    template void fill<__VA_ARGS__>(const host_executor&, const __VA_ARGS__&, vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
