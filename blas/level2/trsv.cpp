#include <residua/blas/level2/trsv.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/axpy.hpp>
#include <residua/blas/level1/dot.hpp>

namespace residua::blas {
namespace {

/// Elements begin, ..., end - 1.
template <class T>
vector_view<host_executor, T> part_of(vector_view<host_executor, T> x, index_t begin, index_t end)
{
    return {x.data + begin, end - begin, x.plane_stride};
}

}  // namespace

template <number T>
void trsv(const host_executor& exec, triangle part, operation op, diagonal kind,
          in_matrix<host_executor, T> a, vector_view<host_executor, T> x)
{
    require_equal("trsv", "rows and columns of A", a.rows, a.cols);
    require_equal("trsv", "size of A and x", a.rows, x.size);

    const index_t n = x.size;
    const bool forward = (part == triangle::lower) == (op == operation::none);
    for (index_t step = 0; step < n; ++step) {
        const index_t j = forward ? step : n - 1 - step;
        const vector_view<host_executor, const T> column = a.column(j);
        // the entries of column j beside the diagonal
        const index_t begin = part == triangle::lower ? j + 1 : 0;
        const index_t end = part == triangle::lower ? n : j;

        T value = x.load(j);
        if (op == operation::transpose) {
            value = value - dot<T>(exec, part_of(column, begin, end), part_of(x, begin, end));
        }
        if (kind == diagonal::stored) {
            value = value / column.load(j);
        }
        x.store(j, value);
        if (op == operation::none) {
            axpy<T>(exec, -value, part_of(column, begin, end), part_of(x, begin, end));
        }
    }
}

#define RESIDUA_INSTANTIATE(...)                                                                \
    template void trsv<__VA_ARGS__>(const host_executor&, triangle, operation, diagonal,        \
                                    in_matrix<host_executor, __VA_ARGS__>,                      \
                                    vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)
#undef RESIDUA_INSTANTIATE

}  // namespace residua::blas
