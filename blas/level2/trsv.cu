#include <residua/blas/level2/trsv.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/launch.cuh>
#include <residua/blas/level1/accumulators.cuh>
#include <residua/blas/level1/elementwise.hpp>

namespace residua::blas {
namespace {

constexpr int panel = 32;  // columns; a multiple of every renormalization_period
constexpr int block = 128;

/// The accumulators of rows that are not solved for yet: x holds their words where its terms will be.
template <class T>
__device__ detail::accumulators<T> sums_of(const vector_view<cuda_executor, T>& x)
{
    return {x.data(), x.start.plane_stride};
}

template <class V>
__device__ V entry(const matrix_view<cuda_executor, const V>& a, index_t i, index_t j)
{
    return a.column(j).load(i);
}

/// sum <- sum - a_ij x_j, the product of step `step` from the start.
template <class V, class T>
__device__ void subtract(detail::accumulator_of<T>& sum, const V& aij, const T& xj, index_t step)
{
    detail::add_product(sum, aij, T{-xj});
    if ((step + 1) % detail::renormalization_period<T> == 0) {
        detail::renormalize(sum);
    }
}

/// Columns of steps first, ..., last - 1: the column of step s is s of a lower triangle, n - 1 - s of an upper one.
struct steps {
    bool lower;
    index_t n, first, last;

    RESIDUA_HD index_t column(index_t s) const { return lower ? s : n - 1 - s; }
};

/// Solves for the rows of the panel itself, one for each thread of one block.
template <class V, class T>
__global__ void __launch_bounds__(panel)
    solve_panel(steps on, bool unit, matrix_view<cuda_executor, const V> a, vector_view<cuda_executor, T> x)
{
    detail::wait_and_trigger();
    const index_t mine = on.first + threadIdx.x;
    const index_t i = on.column(mine);
    detail::accumulator_of<T> sum;
    if (mine < on.last) {
        sum = sums_of<T>(x).load(i);
    }
    for (index_t s = on.first; s < on.last; ++s) {
        const index_t j = on.column(s);
        if (mine == s) {
            const T rhs = sum.result();
            x.store(i, unit ? rhs : T{rhs / entry<V>(a, j, j)});
        }
        __syncthreads();
        if (s < mine && mine < on.last) {
            subtract<V, T>(sum, entry<V>(a, i, j), x.load(j), s);
        }
    }
}

/// Subtracts the products of the panel from the rows behind it.
template <class V, class T>
__global__ void __launch_bounds__(block)
    update_behind(steps on, matrix_view<cuda_executor, const V> a, vector_view<cuda_executor, T> x)
{
    detail::wait_and_trigger();
    const index_t k = on.last + index_t{blockIdx.x} * block + threadIdx.x;
    if (k >= on.n) {
        return;
    }
    const index_t i = on.column(k);
    detail::accumulator_of<T> sum = sums_of<T>(x).load(i);
    for (index_t s = on.first; s < on.last; ++s) {
        const index_t j = on.column(s);
        subtract<V, T>(sum, entry<V>(a, i, j), x.load(j), s);
    }
    sums_of<T>(x).store(i, sum);
}

}  // namespace

template <class V, number T>
void detail::solve(const cuda_executor& exec, const trsv_operands<cuda_executor, T, V>& o)
{
    if (o.op == trans::yes) {
        throw unsupported_error("trsv: transposed triangles on a CUDA device are solved by trsm");
    }
    const device_guard current(exec);
    copy<T>(exec, o.b, o.x);
    const index_t n = o.x.size;
    for (index_t first = 0; first < n; first += panel) {
        const index_t last = first + panel < n ? first + panel : n;
        const steps on{o.triangle == uplo::lower, n, first, last};
        launch(exec, "trsv", 1, panel, solve_panel<V, T>, on, o.diagonal == diag::unit, o.a, o.x);
        if (last < n) {
            const auto blocks = static_cast<unsigned>((n - last + block - 1) / block);
            launch(exec, "trsv", blocks, block, update_behind<V, T>, on, o.a, o.x);
        }
    }
}

#define RESIDUA_INSTANTIATE(V, T) \
    template void detail::solve(const cuda_executor&, const trsv_operands<cuda_executor, T, V>&);
RESIDUA_FOR_EACH_PAIR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
