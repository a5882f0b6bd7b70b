#include <residua/blas/level2/gemv_t.hpp>

#include <algorithm>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/reduce.hpp>
#include <residua/blas/level1/dot.hpp>
#include <residua/blas/level1/update_rows.hpp>

namespace residua::blas {

template <number T>
accumulator<number_traits<T>::terms> detail::ordered_column_sum(vector_view<host_executor, const double> a,
                                                                in_vector<host_executor, T> x, double operations)
{
    if constexpr (number_traits<T>::terms == 1) {
        return ordered_dot<T>(a, x, operations);
    } else {
        return sum_in_order<T>(
            a.size, operations,
            [](auto& sum, double aij, const T& xi) __attribute__((always_inline)) { add_product(sum, aij, xi); }, a, x);
    }
}

template <number T>
    requires(number_traits<T>::terms > 1)
accumulator<number_traits<T>::terms> detail::ordered_column_sum(in_vector<host_executor, T> a,
                                                                in_vector<host_executor, T> x, double operations)
{
    return ordered_dot<T>(a, x, operations);
}

namespace {

template <class V, class T>
void multiply(const T& alpha, matrix_view<host_executor, const V> a, vector_view<host_executor, const T> x,
              const T& beta, vector_view<host_executor, T> y)
{
    require_equal("gemv_t", "rows of A and size of x", a.rows, x.size);
    require_equal("gemv_t", "columns of A and size of y", a.cols, y.size);

    constexpr index_t tile = 32;
    const T scale = alpha;  // either may be an element of y
    const T keep = beta;
    const double each = detail::multiply_add_operations<T> * static_cast<double>(a.rows);
    const auto columns = [&](index_t begin, index_t end, double operations) {
        double product[number_traits<T>::terms * tile];
        for (index_t col = begin; col < end; col += tile) {
            const index_t cols = std::min(tile, end - col);
            const vector_view<host_executor, T> t{{product, tile}, cols};
            for (index_t c = 0; c < cols; ++c) {
                t.store(c, detail::ordered_column_sum<T>(a.column(col + c), x, operations).result());
            }
            detail::update_rows<T>(scale, t, keep, y.part(col, col + cols));
        }
    };
    if (a.cols < 4 * detail::threads_for(each)) {
        columns(0, a.cols, each);  // few long columns: threads share each of them
    } else {
        detail::parallel_ranges(a.cols, 1, each * static_cast<double>(a.cols),
                                [&](index_t begin, index_t end) { columns(begin, end, 0.0); });
    }
}

}  // namespace

template <number T>
void gemv_t(const host_executor&, const std::type_identity_t<T>& alpha, matrix_view<host_executor, const double> a,
            in_vector<host_executor, T> x, const std::type_identity_t<T>& beta, vector_view<host_executor, T> y)
{
    multiply<double, T>(alpha, a, x, beta, y);
}

template <number T>
    requires(number_traits<T>::terms > 1)
void gemv_t(const host_executor&, const std::type_identity_t<T>& alpha, in_matrix<host_executor, T> a,
            in_vector<host_executor, T> x, const std::type_identity_t<T>& beta, vector_view<host_executor, T> y)
{
    multiply<T, T>(alpha, a, x, beta, y);
}

#define RESIDUA_INSTANTIATE(...)                                                                                  \
    template accumulator<number_traits<__VA_ARGS__>::terms> detail::ordered_column_sum<__VA_ARGS__>(              \
        vector_view<host_executor, const double>, in_vector<host_executor, __VA_ARGS__>, double);                 \
    template void gemv_t<__VA_ARGS__>(const host_executor&, const __VA_ARGS__&, in_matrix<host_executor, double>, \
                                      in_vector<host_executor, __VA_ARGS__>, const __VA_ARGS__&,                  \
                                      vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

#define RESIDUA_INSTANTIATE_OWN(...)                                                                                   \
    template accumulator<number_traits<__VA_ARGS__>::terms> detail::ordered_column_sum<__VA_ARGS__>(                   \
        in_vector<host_executor, __VA_ARGS__>, in_vector<host_executor, __VA_ARGS__>, double);                         \
    template void gemv_t<__VA_ARGS__>(const host_executor&, const __VA_ARGS__&, in_matrix<host_executor, __VA_ARGS__>, \
                                      in_vector<host_executor, __VA_ARGS__>, const __VA_ARGS__&,                       \
                                      vector_view<host_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_EXPANSION(RESIDUA_INSTANTIATE_OWN)

}  // namespace residua::blas
