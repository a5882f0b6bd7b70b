#include <residua/blas/level2/gemv.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/row_results.cuh>

namespace residua::blas::detail {
namespace {

struct add_products {
    template <class Sum, class V, class T>
    __device__ void operator()(Sum& sum, const V& a, const T& x) const
    {
        add_product(sum, a, x);
    }
};

/// A warp sums one block of one column.
template <class V, class T>
__global__ void __launch_bounds__(sum_block)
    sum_columns(matrix_view<cuda_executor, const V> a, vector_view<cuda_executor, const T> x, index_t blocks,
                accumulators<T> partial)
{
    wait_and_trigger();
    const index_t warp = (index_t{blockIdx.x} * sum_block + threadIdx.x) / warp_lanes;
    const index_t j = warp / blocks;
    const index_t b = warp % blocks;
    if (j < a.cols) {
        const vector_view<cuda_executor, const V> column = a.column(j);
        const index_t end = (b + 1) * reduction_block;
        const auto sum =
            sum_of_block<T>(b * reduction_block, end < a.rows ? end : a.rows, add_products{}, read_once(column), x);
        if (threadIdx.x % warp_lanes == 0) {
            partial.store(b * a.cols + j, sum);
        }
    }
}

}  // namespace

template <class V, number T>
void multiply_transposed(const cuda_executor& exec, const gemv_operands<cuda_executor, T, V>& o)
{
    if (o.a.cols == 0) {
        return;
    }
    const index_t blocks = (o.a.rows + reduction_block - 1) / reduction_block;
    const device_guard current(exec);
    accumulator_buffer<T> partial(exec, partial_sums(o.a.cols, blocks));
    if (blocks > 0) {
        const auto grid = static_cast<unsigned>((blocks * o.a.cols + sum_warps - 1) / sum_warps);
        launch(exec, "gemv", grid, sum_block, sum_columns<V, T>, o.a, o.x, blocks, partial.view());
    }
    finish_rows<T>(exec, "gemv", blocks, partial.view(), o.alpha, o.beta, o.y);
}

#define RESIDUA_INSTANTIATE(V, T) \
    template void multiply_transposed(const cuda_executor&, const gemv_operands<cuda_executor, T, V>&);
RESIDUA_FOR_EACH_PAIR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas::detail
