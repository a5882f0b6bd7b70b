#include <residua/blas/level2/gemv_t.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/row_results.cuh>

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

/// A warp sums one run of blocks of one column.
template <class V, class T>
__global__ void __launch_bounds__(sum_block)
    sum_columns(matrix_view<cuda_executor, const V> a, vector_view<cuda_executor, const T> x, index_t blocks,
                index_t run, detail::accumulators<T> partial)
{
    using column_view = vector_view<cuda_executor, const V>;
    extern __shared__ double shared[];
    detail::let_next_start();
    const index_t runs = (blocks + run - 1) / run;
    const index_t warp = (index_t{blockIdx.x} * sum_block + threadIdx.x) / warp_lanes;
    const index_t j = warp / runs;
    const index_t first = warp % runs * run;
    if (j < a.cols) {
        const column_view column{a.data + j * a.ld, a.rows, a.plane_stride};
        const auto sum = detail::block_sums<T, column_view, vector_view<cuda_executor, const T>>::sum(
            shared, first, first + run < blocks ? first + run : blocks, a.rows, add_products{}, column, x);
        if (threadIdx.x % warp_lanes == 0) {
            partial.store(warp % runs * a.cols + j, sum);
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
    constexpr index_t many = 1 << 14;  // warps: more than a device has at a time
    const index_t blocks = (a.rows + reduction_block - 1) / reduction_block;
    index_t run = 1;
    while (run < 4 && 2 * run * many <= blocks * a.cols) {
        run *= 2;
    }
    const index_t runs = (blocks + run - 1) / run;
    const device_guard current(exec);
    detail::accumulator_buffer<T> partial(exec, detail::partial_sums(a.cols, runs));
    if (runs > 0) {
        using sums = detail::block_sums<T, vector_view<cuda_executor, const V>, vector_view<cuda_executor, const T>>;
        const auto grid = static_cast<unsigned>((runs * a.cols + detail::sum_warps - 1) / detail::sum_warps);
        const auto kernel = sum_columns<V, T>;
        detail::allow_shared_memory("gemv_t", kernel, sums::shared_bytes);
        kernel<<<grid, sum_block, sums::shared_bytes, exec.stream>>>(a, x, blocks, run, partial.view());
        require_cuda("gemv_t", cudaGetLastError());
    }
    detail::finish_rows<T>(exec, "gemv_t", runs, partial.view(), alpha, beta, y);
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
