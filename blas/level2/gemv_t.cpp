#include <residua/blas/level2/gemv.hpp>

#include <algorithm>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/reduce.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/update_rows.hpp>

namespace residua::blas::detail {

template <class V, number T>
accumulator<number_traits<T>::terms> ordered_column_sum(const vector_view<host_executor, const V>& a,
                                                        const vector_view<host_executor, const T>& x, double operations)
{
    if constexpr (std::is_same_v<V, T>) {
        return ordered_dot<T>(a, x, operations);
    } else {
        return sum_in_order<T>(
            a.size, operations,
            [](auto& sum, double aij, const T& xi) __attribute__((always_inline)) { add_product(sum, aij, xi); }, a, x);
    }
}

template <class V, number T>
void multiply_transposed(const host_executor&, const gemv_operands<host_executor, T, V>& o)
{
    constexpr index_t tile = 32;
    const double each = multiply_add_operations<T> * static_cast<double>(o.a.rows);
    const auto columns = [&](index_t begin, index_t end, double operations) {
        double product[number_traits<T>::terms * tile];
        for (index_t col = begin; col < end; col += tile) {
            const index_t cols = std::min(tile, end - col);
            const vector_view<host_executor, T> t{{product, tile}, cols};
            for (index_t c = 0; c < cols; ++c) {
                t.store(c, ordered_column_sum<V, T>(o.a.column(col + c), o.x, operations).result());
            }
            update_rows<T>(o.alpha, t, o.beta, o.y.part(col, col + cols));
        }
    };
    if (o.a.cols < 4 * threads_for(each)) {
        columns(0, o.a.cols, each);  // few long columns: threads share each of them
    } else {
        parallel_ranges(o.a.cols, 1, each * static_cast<double>(o.a.cols),
                        [&](index_t begin, index_t end) { columns(begin, end, 0.0); });
    }
}

#define RESIDUA_INSTANTIATE(V, T)                                                                        \
    template accumulator<number_traits<T>::terms> ordered_column_sum(                                    \
        const vector_view<host_executor, const V>&, const vector_view<host_executor, const T>&, double); \
    template void multiply_transposed(const host_executor&, const gemv_operands<host_executor, T, V>&);
RESIDUA_FOR_EACH_PAIR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas::detail
