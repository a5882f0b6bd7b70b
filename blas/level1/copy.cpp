#include <residua/blas/level1/copy.hpp>

#include <algorithm>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>

namespace residua::blas {

template <number T>
void copy(const host_executor&, in_vector<host_executor, T> x, vector_view<host_executor, T> y)
{
    require_equal("copy", "sizes of x and y", x.size, y.size);
    const double operations = static_cast<double>(y.size) * y.terms;
    detail::parallel_ranges(y.size, 8, operations, [&](index_t begin, index_t end) {
        for (int k = 0; k < y.terms; ++k) {
            const auto* const from = x.plane(k);
            std::copy(from + begin, from + end, y.plane(k) + begin);
        }
    });
}

#define RESIDUA_INSTANTIATE(...)                                                                 \
    template void copy<__VA_ARGS__>(const host_executor&, in_vector<host_executor, __VA_ARGS__>, \
                                    vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
RESIDUA_INSTANTIATE(float)

}  // namespace residua::blas
