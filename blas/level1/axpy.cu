#include <residua/blas/level1/axpy.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/read_once.cuh>
#include <residua/blas/level1/elementwise.cuh>

namespace residua::blas {
namespace {

template <class T>
struct add_scaled_to {
    scalar_argument<T> a;
    vector_view<cuda_executor, const T> x, y;
    vector_view<cuda_executor, T> w;

    __device__ void operator()(index_t i) const { w.store(i, detail::axpy_element(a.load(), passing(i), y.load(i))); }

private:
    /// x_i. Of short numbers half of x leaves the second cache first, so that y and w stay; long ones gain nothing.
    __device__ auto passing(index_t i) const
    {
        if constexpr (number_traits<T>::terms <= 4) {
            return detail::read_once<vector_view<cuda_executor, const T>, detail::half_leaves_first>(x).load(i);
        } else {
            return x.load(i);
        }
    }
};

}  // namespace

template <number T>
void detail::add_scaled(const cuda_executor& exec, const char* op, const scalar_argument<T>& a,
                        in_vector<cuda_executor, T> x, in_vector<cuda_executor, T> y, vector_view<cuda_executor, T> w)
{
    require_equal(op, "sizes of x and y", x.size, y.size);
    run_elementwise(exec, op, w.size, add_scaled_to<T>{a, x, y, w});
}

template <number T>
void axpy(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& a, in_vector<cuda_executor, T> x,
          vector_view<cuda_executor, T> y)
{
    detail::add_scaled<T>(exec, "axpy", a, x, y, y);
}

#define RESIDUA_INSTANTIATE(...)                                                                                       \
    template void detail::add_scaled<__VA_ARGS__>(                                                                     \
        const cuda_executor&, const char*, const scalar_argument<__VA_ARGS__>&, in_vector<cuda_executor, __VA_ARGS__>, \
        in_vector<cuda_executor, __VA_ARGS__>, vector_view<cuda_executor, __VA_ARGS__>);                               \
    template void axpy<__VA_ARGS__>(const cuda_executor&, const scalar_argument<__VA_ARGS__>&,                         \
                                    in_vector<cuda_executor, __VA_ARGS__>, vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
