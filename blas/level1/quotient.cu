#include <residua/blas/level1/quotient.hpp>

#include <residua/blas/base/elementwise.cuh>
#include <residua/blas/base/instantiate.hpp>

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
    detail::run_elementwise(exec, "quotient", 1, quotient_to<T>{a, b, {result.words, 1, 1}});
}

#define RESIDUA_INSTANTIATE(...)                                                                                    \
    template void quotient<__VA_ARGS__>(const cuda_executor&, scalar_place<__VA_ARGS__>, scalar_place<__VA_ARGS__>, \
                                        scalar_place<__VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
