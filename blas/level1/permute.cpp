#include <residua/blas/level1/permute.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>

namespace residua::blas {

template <number T>
void permute(const host_executor&, const scaled_permutation<host_executor>& p, in_vector<host_executor, T> x,
             vector_view<host_executor, T> y)
{
    require_equal("permute", "sizes of the permutation and y", p.source.size(), y.size);
    require_equal("permute", "factors and size of y", p.factor.size(), y.size);
    for (index_t i = 0; i < y.size; ++i) {
        y.store(i, detail::times_power<T>(p.factor.data()[i], x.load(p.source.data()[i])));
    }
}

#define RESIDUA_INSTANTIATE(...)                                                                       \
    template void permute<__VA_ARGS__>(const host_executor&, const scaled_permutation<host_executor>&, \
                                       in_vector<host_executor, __VA_ARGS__>,                          \
                                       vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
