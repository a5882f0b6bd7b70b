#include <residua/blas/level1/elementwise.hpp>

#include <algorithm>

#include <residua/blas/base/elementwise.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>

namespace residua::blas::detail {
namespace {

/// f(k, begin, end) for ranges of elements in plane k.
template <class T, class F>
void for_planes(index_t size, const F& f)
{
    constexpr int terms = number_traits<T>::terms;
    parallel_ranges(size, 8, static_cast<double>(size) * terms, [&](index_t begin, index_t end) {
        for (int k = 0; k < terms; ++k) {
            f(k, begin, end);
        }
    });
}

/// w <- y + a x
template <class T>
void add_scaled(const T& a, in_vector<host_executor, T> x, in_vector<host_executor, T> y,
                vector_view<host_executor, T> w)
{
    elementwise<T>(
        multiply_add_operations<T>,
        [alpha = a](const T& xi, const T& yi) __attribute__((always_inline)) { return axpy_element(alpha, xi, yi); }, w,
        x, y);
}

}  // namespace

template <class T>
void elementwise_operations<T>::copy(const host&, in_vector<host, T> x, vector_view<host, T> y)
{
    for_planes<T>(y.size, [&](int k, index_t begin, index_t end) {
        std::copy(x.plane(k) + begin, x.plane(k) + end, y.plane(k) + begin);
    });
}

template <class T>
void elementwise_operations<T>::fill(const host&, const T& a, vector_view<host, T> y)
{
    const T value = a;  // a may be an element of y
    for_planes<T>(y.size, [&](int k, index_t begin, index_t end) {
        std::fill(y.plane(k) + begin, y.plane(k) + end, term(value, k));
    });
}

template <class T>
void elementwise_operations<T>::scal(const host&, const T& a, vector_view<host, T> y)
{
    if (is_power_of_two(a)) {
        const double factor = term(a, 0);
        for_planes<T>(y.size, [&](int k, index_t begin, index_t end) {
            double* const t = y.plane(k);
            for (index_t i = begin; i < end; ++i) {
                t[i] *= factor;
            }
        });
        return;
    }
    elementwise<T>(
        multiply_add_operations<T>, [alpha = a](const T& yi) __attribute__((always_inline)) { return alpha * yi; }, y,
        y);
}

template <class T>
void elementwise_operations<T>::axpy(const host&, const T& a, in_vector<host, T> x, vector_view<host, T> y)
{
    add_scaled<T>(a, x, y, y);
}

template <class T>
void elementwise_operations<T>::xpay(const host&, in_vector<host, T> x, const T& a, vector_view<host, T> y)
{
    add_scaled<T>(a, y, x, y);
}

template <class T>
void elementwise_operations<T>::waxpby(const host&, const T& a, in_vector<host, T> x, const T& b, in_vector<host, T> y,
                                       vector_view<host, T> w)
{
    elementwise<T>(
        2.0 * multiply_add_operations<T>,
        [ alpha = a, beta = b ](const T& xi, const T& yi)
            __attribute__((always_inline)) { return waxpby_element(alpha, xi, beta, yi); },
        w, x, y);
}

#define RESIDUA_COPY(...)                                    \
    template void elementwise_operations<__VA_ARGS__>::copy( \
        const host_executor&, in_vector<host_executor, __VA_ARGS__>, vector_view<host_executor, __VA_ARGS__>);
#define RESIDUA_INSTANTIATE(...)                                                                                       \
    RESIDUA_COPY(__VA_ARGS__)                                                                                          \
    template void elementwise_operations<__VA_ARGS__>::fill(const host_executor&, const __VA_ARGS__&,                  \
                                                            vector_view<host_executor, __VA_ARGS__>);                  \
    template void elementwise_operations<__VA_ARGS__>::scal(const host_executor&, const __VA_ARGS__&,                  \
                                                            vector_view<host_executor, __VA_ARGS__>);                  \
    template void elementwise_operations<__VA_ARGS__>::axpy(const host_executor&, const __VA_ARGS__&,                  \
                                                            in_vector<host_executor, __VA_ARGS__>,                     \
                                                            vector_view<host_executor, __VA_ARGS__>);                  \
    template void elementwise_operations<__VA_ARGS__>::xpay(const host_executor&,                                      \
                                                            in_vector<host_executor, __VA_ARGS__>, const __VA_ARGS__&, \
                                                            vector_view<host_executor, __VA_ARGS__>);                  \
    template void elementwise_operations<__VA_ARGS__>::waxpby(                                                         \
        const host_executor&, const __VA_ARGS__&, in_vector<host_executor, __VA_ARGS__>, const __VA_ARGS__&,           \
        in_vector<host_executor, __VA_ARGS__>, vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
RESIDUA_COPY(float)

}  // namespace residua::blas::detail
