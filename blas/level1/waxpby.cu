#include <residua/blas/level1/waxpby.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/elementwise.cuh>

namespace residua::blas {
namespace {

template <class T>
struct waxpby_to {
    scalar_argument<T> a, b;
    vector_view<cuda_executor, const T> x, y;
    vector_view<cuda_executor, T> w;

    __device__ void operator()(index_t i) const
    {
        w.store(i, detail::waxpby_element(a.load(), x.load(i), b.load(), y.load(i)));
    }
};

}  // namespace

template <number T>
void waxpby(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& a, in_vector<cuda_executor, T> x,
            const std::type_identity_t<scalar_argument<T>>& b, in_vector<cuda_executor, T> y,
            vector_view<cuda_executor, T> w)
{
    require_equal("waxpby", "sizes of x and w", x.size, w.size);
    require_equal("waxpby", "sizes of y and w", y.size, w.size);
    detail::run_elementwise(exec, "waxpby", w.size, waxpby_to<T>{a, b, x, y, w});
}

#define RESIDUA_INSTANTIATE(...)                                                                                  \
    template void waxpby<__VA_ARGS__>(const cuda_executor&, const scalar_argument<__VA_ARGS__>&,                  \
                                      in_vector<cuda_executor, __VA_ARGS__>, const scalar_argument<__VA_ARGS__>&, \
                                      in_vector<cuda_executor, __VA_ARGS__>, vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
