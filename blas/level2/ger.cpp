#include <residua/blas/level2/ger.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/parallel.hpp>
#include <residua/blas/level1/elementwise.hpp>

namespace residua::blas {

template <number T>
void ger(const host_executor& exec, const std::type_identity_t<T>& alpha, in_vector<host_executor, T> x,
         in_vector<host_executor, T> y, matrix_view<host_executor, T> a)
{
    require_equal("ger", "rows of A and size of x", a.rows, x.size);
    require_equal("ger", "columns of A and size of y", a.cols, y.size);
    const T scale = alpha;  // may be an element of A
    const double operations =
        detail::multiply_add_operations<T> * static_cast<double>(a.rows) * static_cast<double>(a.cols);
    detail::parallel_ranges(a.cols, 1, operations, [&](index_t begin, index_t end) {
        for (index_t j = begin; j < end; ++j) {
            axpy(exec, scale * y.load(j), x, a.column(j));
        }
    });
}

#define RESIDUA_INSTANTIATE(...)                                                                                    \
    template void ger<__VA_ARGS__>(const host_executor&, const __VA_ARGS__&, in_vector<host_executor, __VA_ARGS__>, \
                                   in_vector<host_executor, __VA_ARGS__>, matrix_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
