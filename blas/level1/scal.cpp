#include <residua/blas/level1/scal.hpp>

#include <residua/blas/base/elementwise.hpp>
#include <residua/blas/base/instantiate.hpp>

namespace residua::blas {

namespace {

template <class T>
void scale_terms(double a, vector_view<host_executor, T> y)
{
    const double operations = static_cast<double>(y.size) * y.terms;
    detail::parallel_ranges(y.size, 8, operations, [&](index_t begin, index_t end) {
        for (int k = 0; k < y.terms; ++k) {
            double* const t = y.plane(k);
            for (index_t i = begin; i < end; ++i) {
                t[i] *= a;
            }
        }
    });
}

}  // namespace

template <number T>
void scal(const host_executor&, const std::type_identity_t<T>& a, vector_view<host_executor, T> y)
{
    if (detail::is_power_of_two(a)) {
        scale_terms(term(a, 0), y);
        return;
    }
    detail::elementwise<T>(
        detail::multiply_add_operations<T>,
        [alpha = a](const T& yi) __attribute__((always_inline)) { return alpha * yi; }, y, y);
}

#define RESIDUA_INSTANTIATE(...) \
    template void scal<__VA_ARGS__>(const host_executor&, const __VA_ARGS__&, vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
