#include <residua/blas/sparse/trsv.hpp>

#include <residua/blas/multidigit/launch.cuh>
#include <residua/blas/multidigit/update.hpp>

namespace residua::blas::detail {

template <class F>
void for_indices(const cuda_executor& exec, const char* op, const multidigit_format& format, index_t n, const F& f,
                 double)
{
    run_on_device(exec, op, format, n, f);
}

template void for_indices(const cuda_executor&, const char*, const multidigit_format&, index_t,
                          const multidigit_spmv<true>&, double);
template void for_indices(const cuda_executor&, const char*, const multidigit_format&, index_t,
                          const multidigit_spmv<false>&, double);

namespace {

constexpr int solve_threads = static_cast<int>(device_levels::narrow_width);

/// Solves levels first, ..., last - 1 one after the other, each block its part; several levels are solved by one block.
template <int N>
__global__ void __launch_bounds__(solve_threads)
    solve_levels(const index_t* order, const index_t* level_begin, index_t first, index_t last,
                 const __grid_constant__ multidigit_solve_row solve)
{
    wait_and_trigger();
    for (index_t l = first; l < last; ++l) {
        const index_t step = index_t{gridDim.x} * solve_threads;
        for (index_t k = level_begin[l] + index_t{blockIdx.x} * solve_threads + threadIdx.x; k < level_begin[l + 1];
             k += step) {
            solve.template operator()<device_digit, N>(order[k]);
        }
        __syncthreads();
    }
}

}  // namespace
void solve(const cuda_executor& exec, const sparse_trsv_operands<cuda_executor, multidigit, double>& o)
{
    const device_levels& levels = o.levels;
    const multidigit_solve_row row = solve_row(levels.triangle(), o);
    const device_guard current(exec);
    with_device_size(o.x.format, [&]<int N>() {
        for (const device_levels::launch& next : levels.launches()) {
            const index_t width = next.narrow ? 1 : levels.width(next.first);
            const auto blocks = static_cast<unsigned>((width + solve_threads - 1) / solve_threads);
            launch(exec, "trsv", blocks, solve_threads, solve_levels<N>, levels.rows(), levels.begin(), next.first,
                   next.last, row);
        }
    });
}

}  // namespace residua::blas::detail
