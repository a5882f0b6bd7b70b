#include <residua/blas/level2/gemv_t.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/row_results.cuh>

namespace residua::blas {
namespace {

using detail::sum_block;
using detail::warp_lanes;

struct add_products {
    template <class Sum, class V, class T>
    __device__ void operator()(Sum& sum, const V& a, const T& x) const
    {
        detail::add_product(sum, a, x);
    }
};

/// A warp sums one block of one column.
template <class V, class T>
__global__ void __launch_bounds__(sum_block)
    sum_columns(matrix_view<cuda_executor, const V> a, vector_view<cuda_executor, const T> x, index_t blocks,
                detail::accumulators<T> partial)
{
    detail::wait_and_trigger();
    const index_t warp = (index_t{blockIdx.x} * sum_block + threadIdx.x) / warp_lanes;
    const index_t j = warp / blocks;
    const index_t b = warp % blocks;
    if (j < a.cols) {
        const vector_view<cuda_executor, const V> column = a.column(j);
        const index_t end = (b + 1) * reduction_block;
        const auto sum = detail::sum_of_block<T>(b * reduction_block, end < a.rows ? end : a.rows, add_products{},
                                                 detail::read_once(column), x);
        if (threadIdx.x % warp_lanes == 0) {
            partial.store(b * a.cols + j, sum);
        }
    }
}

template <class V, class T>
void multiply(const cuda_executor& exec, const scalar_argument<T>& alpha, matrix_view<cuda_executor, const V> a,
              vector_view<cuda_executor, const T> x, const scalar_argument<T>& beta, vector_view<cuda_executor, T> y)
{
    require_equal("gemv_t", "rows of A and size of x", a.rows, x.size);
    require_equal("gemv_t", "columns of A and size of y", a.cols, y.size);
    if (a.cols == 0) {
        return;
    }
    const index_t blocks = (a.rows + reduction_block - 1) / reduction_block;
    const device_guard current(exec);
    detail::accumulator_buffer<T> partial(exec, detail::partial_sums(a.cols, blocks));
    if (blocks > 0) {
        const auto grid = static_cast<unsigned>((blocks * a.cols + detail::sum_warps - 1) / detail::sum_warps);
        detail::launch(exec, "gemv_t", grid, sum_block, sum_columns<V, T>, a, x, blocks, partial.view());
    }
    detail::finish_rows<T>(exec, "gemv_t", blocks, partial.view(), alpha, beta, y);
}

}  // namespace

template <number T>
void gemv_t(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& alpha,
            matrix_view<cuda_executor, const double> a, in_vector<cuda_executor, T> x,
            const std::type_identity_t<scalar_argument<T>>& beta, vector_view<cuda_executor, T> y)
{
    multiply<double, T>(exec, alpha, a, x, beta, y);
}

template <number T>
    requires(number_traits<T>::terms > 1)
void gemv_t(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& alpha,
            in_matrix<cuda_executor, T> a, in_vector<cuda_executor, T> x,
            const std::type_identity_t<scalar_argument<T>>& beta, vector_view<cuda_executor, T> y)
{
    multiply<T, T>(exec, alpha, a, x, beta, y);
}

#define RESIDUA_INSTANTIATE(...)                                                                               \
    template void gemv_t<__VA_ARGS__>(const cuda_executor&, const scalar_argument<__VA_ARGS__>&,               \
                                      in_matrix<cuda_executor, double>, in_vector<cuda_executor, __VA_ARGS__>, \
                                      const scalar_argument<__VA_ARGS__>&, vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

#define RESIDUA_INSTANTIATE_OWN(...)                                                                                \
    template void gemv_t<__VA_ARGS__>(const cuda_executor&, const scalar_argument<__VA_ARGS__>&,                    \
                                      in_matrix<cuda_executor, __VA_ARGS__>, in_vector<cuda_executor, __VA_ARGS__>, \
                                      const scalar_argument<__VA_ARGS__>&, vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_EXPANSION(RESIDUA_INSTANTIATE_OWN)

}  // namespace residua::blas
