#include <residua/blas/sparse/trsv.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/elementwise.cuh>
#include <residua/blas/sparse/row_products.hpp>

namespace residua::blas {
namespace {

constexpr int block = static_cast<int>(device_levels::narrow_width);

/// Solves for row order[k] of a level.
template <class V, class T>
struct solve_level {
    const index_t* order;
    detail::expansion_solve_row<cuda_executor, V, T> solve;

    __device__ void operator()(index_t k) const { solve(order[k]); }
};

/// Solves for levels first, ..., last - 1 one after the other, by one block.
template <class V, class T>
__global__ void __launch_bounds__(block)
    solve_levels(const index_t* order, const index_t* level_begin, index_t first, index_t last,
                 const __grid_constant__ detail::expansion_solve_row<cuda_executor, V, T> solve)
{
    detail::wait_and_trigger();
    for (index_t l = first; l < last; ++l) {
        for (index_t k = level_begin[l] + threadIdx.x; k < level_begin[l + 1]; k += block) {
            solve(order[k]);
        }
        __syncthreads();
    }
}

}  // namespace

template <class V, number T>
void detail::solve(const cuda_executor& exec, const sparse_trsv_operands<cuda_executor, T, V>& o)
{
    const device_levels& levels = o.levels;
    const expansion_solve_row<cuda_executor, V, T> row{
        levels.triangle() == uplo::lower, o.diagonal == diag::unit, rows_of<0>(o.a), o.a.value(), o.b, o.x};
    const device_guard current(exec);
    for (const device_levels::launch& next : levels.launches()) {
        if (next.narrow) {
            launch(exec, "trsv", 1, block, solve_levels<V, T>, levels.rows(), levels.begin(), next.first, next.last,
                   row);
        } else {
            const solve_level<V, T> level{levels.rows() + levels.start(next.first), row};
            run_elementwise(exec, "trsv", levels.width(next.first), level);
        }
    }
}

#define RESIDUA_INSTANTIATE(V, T) \
    template void detail::solve(const cuda_executor&, const sparse_trsv_operands<cuda_executor, T, V>&);
RESIDUA_FOR_EACH_PAIR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
