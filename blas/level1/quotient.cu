#include <residua/blas/level1/quotient.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/elementwise.cuh>

namespace residua::blas {
namespace {

template <class T>
struct quotient_to {
    scalar_argument<T> a, b;
    vector_view<cuda_executor, T> result;  // one element, term after term

    __device__ void operator()(index_t i) const { result.store(i, quotient(a.load(), b.load(), T{0.0})); }
};

}  // namespace

template <number T>
void quotient(const cuda_executor& exec, scalar_place<T> a, scalar_place<T> b, scalar_place<T> result)
{
    const vector_view<cuda_executor, T> one{{result.words, 1}, 1};
    detail::run_elementwise(exec, "quotient", 1, quotient_to<T>{scalar_argument<T>(a), scalar_argument<T>(b), one});
}

#define RESIDUA_INSTANTIATE(...)                                                                                    \
    template void quotient<__VA_ARGS__>(const cuda_executor&, scalar_place<__VA_ARGS__>, scalar_place<__VA_ARGS__>, \
                                        scalar_place<__VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
