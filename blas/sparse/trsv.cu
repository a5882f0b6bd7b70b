#include <residua/blas/sparse/trsv.hpp>

#include <residua/blas/base/accumulate.hpp>
#include <residua/blas/base/check.hpp>
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

template <number T, number V>
    requires std::same_as<V, double> || std::same_as<V, T>
void trsv(const cuda_executor& exec, const device_levels& levels, diag diagonal, const csr<cuda_executor, V>& a,
          in_vector<cuda_executor, T> b, vector_view<cuda_executor, T> x)
{
    require_equal("trsv", "rows and columns of A", a.rows(), a.cols());
    require_equal("trsv", "rows of A and rows in levels", a.rows(), levels.size());
    require_equal("trsv", "rows of A and size of b", a.rows(), b.size);
    require_equal("trsv", "rows of A and size of x", a.rows(), x.size);
    const solve_row<V, T> solve{levels.triangle() == uplo::lower,
                                diagonal == diag::unit,
                                a.row_begin().data(),
                                a.col().data(),
                                a.value(),
                                b,
                                x};
    const device_guard current(exec);
    for (const device_levels::launch& next : levels.launches()) {
        if (next.narrow) {
            detail::launch(exec, "trsv", 1, block, solve_levels<V, T>, levels.rows(), levels.begin(), next.first,
                           next.last, solve);
        } else {
            const solve_level<V, T> level{levels.rows() + levels.start(next.first), solve};
            detail::run_elementwise(exec, "trsv", levels.width(next.first), level);
        }
    }
}

#define RESIDUA_INSTANTIATE(...)                                                                            \
    template void trsv(const cuda_executor&, const device_levels&, diag, const csr<cuda_executor, double>&, \
                       in_vector<cuda_executor, __VA_ARGS__>, vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

#define RESIDUA_INSTANTIATE_OWN(...)                                                                             \
    template void trsv(const cuda_executor&, const device_levels&, diag, const csr<cuda_executor, __VA_ARGS__>&, \
                       in_vector<cuda_executor, __VA_ARGS__>, vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_EXPANSION(RESIDUA_INSTANTIATE_OWN)

}  // namespace residua::blas
