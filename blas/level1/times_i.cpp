#include <residua/blas/level1/times_i.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>

namespace residua::blas {

template <detail::pair_map Map, number T>
void detail::map_pairs(const host_executor&, in_vector<host_executor, T> x, vector_view<host_executor, T> y)
{
    constexpr int terms = number_traits<T>::terms;
    parallel_ranges(y.size / 2, 8, static_cast<double>(y.size) * terms, [&](index_t begin, index_t end) {
        for (int k = 0; k < terms; ++k) {
            const double* const from = x.plane(k);
            double* const to = y.plane(k);
            for (index_t i = 2 * begin; i < 2 * end; i += 2) {
                if constexpr (Map == pair_map::times_i) {
                    to[i] = -from[i + 1];
                    to[i + 1] = from[i];
                } else {
                    to[i] = from[i];
                    to[i + 1] = -from[i + 1];
                }
            }
        }
    });
}

#define RESIDUA_INSTANTIATE_MAP(Map, ...)                                \
    template void detail::map_pairs<detail::pair_map::Map, __VA_ARGS__>( \
        const host_executor&, in_vector<host_executor, __VA_ARGS__>, vector_view<host_executor, __VA_ARGS__>);
#define RESIDUA_INSTANTIATE(...)                  \
    RESIDUA_INSTANTIATE_MAP(times_i, __VA_ARGS__) \
    RESIDUA_INSTANTIATE_MAP(conjugate, __VA_ARGS__)
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
