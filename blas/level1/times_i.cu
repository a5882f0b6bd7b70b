#include <residua/blas/level1/times_i.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/elementwise.cuh>

namespace residua::blas {
namespace {

template <detail::pair_map Map, class T>
struct mapped_pairs {
    vector_view<cuda_executor, const T> x;
    vector_view<cuda_executor, T> y;

    __device__ void operator()(index_t i) const
    {
        if constexpr (Map == detail::pair_map::times_i) {
            y.store(i, i % 2 == 0 ? -x.load(i + 1) : x.load(i - 1));
        } else {
            y.store(i, i % 2 == 0 ? x.load(i) : -x.load(i));
        }
    }
};

}  // namespace

template <detail::pair_map Map, number T>
void detail::map_pairs(const cuda_executor& exec, in_vector<cuda_executor, T> x, vector_view<cuda_executor, T> y)
{
    run_elementwise(exec, Map == pair_map::times_i ? "times_i" : "conjugate", y.size, mapped_pairs<Map, T>{x, y});
}

#define RESIDUA_INSTANTIATE_MAP(Map, ...)                                \
    template void detail::map_pairs<detail::pair_map::Map, __VA_ARGS__>( \
        const cuda_executor&, in_vector<cuda_executor, __VA_ARGS__>, vector_view<cuda_executor, __VA_ARGS__>);
#define RESIDUA_INSTANTIATE(...)                  \
    RESIDUA_INSTANTIATE_MAP(times_i, __VA_ARGS__) \
    RESIDUA_INSTANTIATE_MAP(conjugate, __VA_ARGS__)
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
