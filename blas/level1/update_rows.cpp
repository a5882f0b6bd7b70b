#include <residua/blas/level1/update_rows.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/simd.hpp>
#include <residua/blas/level1/elementwise.hpp>

namespace residua::blas::detail {

template <class T>
void update_rows(const T& alpha, vector_view<host_executor, T> t, const T& beta, vector_view<host_executor, T> y)
{
    const host_executor exec;
    if (beta == T{1.0}) {
        axpy(exec, alpha, t, y);
    } else if (beta == T{0.0}) {
        if (!(alpha == T{1.0})) {
            scal(exec, alpha, t);
        }
        copy(exec, t, y);
    } else {
        waxpby(exec, alpha, t, beta, y, y);
    }
}

void update_rows(double alpha, vector_view<host_executor, expansion<double, 2>> t, double beta,
                 vector_view<host_executor, double> y)
{
    run_simd([&]() __attribute__((always_inline)) {
        for_lanes(
            y.size, [&](index_t i) __attribute__((always_inline)) { update_element(alpha, t.load(i), beta, i, y); });
    });
}

#define RESIDUA_INSTANTIATE(...)                                                                        \
    template void update_rows<__VA_ARGS__>(const __VA_ARGS__&, vector_view<host_executor, __VA_ARGS__>, \
                                           const __VA_ARGS__&, vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas::detail
