#include <residua/blas/sparse/trsv.hpp>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/level1/elementwise.cuh>

namespace residua::blas {
namespace {

constexpr int block = static_cast<int>(device_levels::narrow_width);

/// Solves for one row, whose predecessors are known.
template <class V, class T>
struct solve_row {
    bool lower, unit;
    const index_t* begin;
    const column_t* col;
    vector_view<cuda_executor, const V> value;
    vector_view<cuda_executor, const T> b;
    vector_view<cuda_executor, T> x;

    __device__ void operator()(index_t i) const
    {
        detail::accumulator_of<T> sum{b.load(i)};
        V pivot{0.0};
        index_t products = 0;
        for (index_t p = begin[i]; p < begin[i + 1]; ++p) {
            const index_t j = col[p];
            if (j == i) {
                pivot = value.load(p);
            } else if ((j < i) == lower) {
                detail::add_product(sum, V{-value.load(p)}, x.load(j));
                if (++products % detail::renormalization_period<T> == 0) {
                    detail::renormalize(sum);
                }
            }
        }
        const T rhs = sum.result();
        x.store(i, unit ? rhs : T{rhs / pivot});
    }
};

/// Solves for row order[k] of a level.
template <class V, class T>
struct solve_level {
    const index_t* order;
    solve_row<V, T> solve;

    __device__ void operator()(index_t k) const { solve(order[k]); }
};

/// Solves for levels first, ..., last - 1 one after the other, by one block.
template <class V, class T>
__global__ void __launch_bounds__(block) solve_levels(const index_t* order, const index_t* level_begin, index_t first,
                                                      index_t last, const __grid_constant__ solve_row<V, T> solve)
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
    const solve_row<V, T> row{levels.triangle() == uplo::lower,
                              o.diagonal == diag::unit,
                              o.a.row_begin().data(),
                              o.a.col().data(),
                              o.a.value(),
                              o.b,
                              o.x};
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
