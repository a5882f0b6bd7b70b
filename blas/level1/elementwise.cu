#include <residua/blas/level1/elementwise.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/read_once.cuh>
#include <residua/blas/level1/elementwise.cuh>

namespace residua::blas::detail {
namespace {

template <class T>
struct copy_to {
    vector_view<cuda_executor, const T> x;
    vector_view<cuda_executor, T> y;

    __device__ void operator()(index_t i) const { y.store(i, x.load(i)); }
};

template <class T>
struct fill_with {
    scalar_argument<T> a;
    vector_view<cuda_executor, T> y;

    __device__ void operator()(index_t i) const { y.store(i, a.load()); }
};

template <class T>
struct scale_by {
    scalar_argument<T> a;
    vector_view<cuda_executor, T> y;

    __device__ void operator()(index_t i) const { y.store(i, scal_element(a.load(), y.load(i))); }
};

template <class T>
struct add_scaled_to {
    scalar_argument<T> a;
    vector_view<cuda_executor, const T> x, y;
    vector_view<cuda_executor, T> w;

    __device__ void operator()(index_t i) const { w.store(i, axpy_element(a.load(), passing(i), y.load(i))); }

private:
    /// x_i. Of short numbers half of x leaves the second cache first, so that y and w stay; long ones gain nothing.
    __device__ auto passing(index_t i) const
    {
        if constexpr (number_traits<T>::terms <= 4) {
            return read_once<vector_view<cuda_executor, const T>, half_leaves_first>(x).load(i);
        } else {
            return x.load(i);
        }
    }
};

template <class T>
struct waxpby_to {
    scalar_argument<T> a, b;
    vector_view<cuda_executor, const T> x, y;
    vector_view<cuda_executor, T> w;

    __device__ void operator()(index_t i) const
    {
        w.store(i, waxpby_element(a.load(), x.load(i), b.load(), y.load(i)));
    }
};

}  // namespace

template <class T>
void elementwise_operations<T>::copy(const cuda& exec, in_vector<cuda, T> x, vector_view<cuda, T> y)
{
    run_elementwise(exec, "copy", y.size, copy_to<T>{x, y});
}

template <class T>
void elementwise_operations<T>::fill(const cuda& exec, const scalar_argument<T>& a, vector_view<cuda, T> y)
{
    run_elementwise(exec, "fill", y.size, fill_with<T>{a, y});
}

template <class T>
void elementwise_operations<T>::scal(const cuda& exec, const scalar_argument<T>& a, vector_view<cuda, T> y)
{
    run_elementwise(exec, "scal", y.size, scale_by<T>{a, y});
}

template <class T>
void elementwise_operations<T>::axpy(const cuda& exec, const scalar_argument<T>& a, in_vector<cuda, T> x,
                                     vector_view<cuda, T> y)
{
    run_elementwise(exec, "axpy", y.size, add_scaled_to<T>{a, x, y, y});
}

template <class T>
void elementwise_operations<T>::xpay(const cuda& exec, in_vector<cuda, T> x, const scalar_argument<T>& a,
                                     vector_view<cuda, T> y)
{
    run_elementwise(exec, "xpay", y.size, add_scaled_to<T>{a, y, x, y});
}

template <class T>
void elementwise_operations<T>::waxpby(const cuda& exec, const scalar_argument<T>& a, in_vector<cuda, T> x,
                                       const scalar_argument<T>& b, in_vector<cuda, T> y, vector_view<cuda, T> w)
{
    run_elementwise(exec, "waxpby", w.size, waxpby_to<T>{a, b, x, y, w});
}

#define RESIDUA_INSTANTIATE(...)                                                                                       \
    template void elementwise_operations<__VA_ARGS__>::copy(                                                           \
        const cuda_executor&, in_vector<cuda_executor, __VA_ARGS__>, vector_view<cuda_executor, __VA_ARGS__>);         \
    template void elementwise_operations<__VA_ARGS__>::fill(const cuda_executor&, const scalar_argument<__VA_ARGS__>&, \
                                                            vector_view<cuda_executor, __VA_ARGS__>);                  \
    template void elementwise_operations<__VA_ARGS__>::scal(const cuda_executor&, const scalar_argument<__VA_ARGS__>&, \
                                                            vector_view<cuda_executor, __VA_ARGS__>);                  \
    template void elementwise_operations<__VA_ARGS__>::axpy(const cuda_executor&, const scalar_argument<__VA_ARGS__>&, \
                                                            in_vector<cuda_executor, __VA_ARGS__>,                     \
                                                            vector_view<cuda_executor, __VA_ARGS__>);                  \
    template void elementwise_operations<__VA_ARGS__>::xpay(                                                           \
        const cuda_executor&, in_vector<cuda_executor, __VA_ARGS__>, const scalar_argument<__VA_ARGS__>&,              \
        vector_view<cuda_executor, __VA_ARGS__>);                                                                      \
    template void elementwise_operations<__VA_ARGS__>::waxpby(                                                         \
        const cuda_executor&, const scalar_argument<__VA_ARGS__>&, in_vector<cuda_executor, __VA_ARGS__>,              \
        const scalar_argument<__VA_ARGS__>&, in_vector<cuda_executor, __VA_ARGS__>,                                    \
        vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas::detail
