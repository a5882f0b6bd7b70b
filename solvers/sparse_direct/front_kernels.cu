#include <residua/solvers/sparse_direct/front_kernels.hpp>

#include <residua/blas/level1/elementwise.cuh>
#include <residua/solvers/sparse_direct/front_strips.cuh>

namespace residua::detail {
namespace {

template <front_pass Pass, class Strip>
__device__ void run_strip(Strip& front, int strip)
{
    if constexpr (Pass == front_pass::up_by_l) {
        front.up_by_l(strip);
    } else if constexpr (Pass == front_pass::up_by_u) {
        front.up_by_u(strip);
    } else if constexpr (Pass == front_pass::down_by_u) {
        front.down_by_u(strip);
    } else {
        front.down_by_l(strip);
    }
}

/// One block of threads for each task, which is a front.
template <front_pass Pass, int Rows>
__global__ void __launch_bounds__(Rows) run_whole(index_t first, const __grid_constant__ fronts_at_work work)
{
    using strip = front_strip<Rows, 1>;
    __shared__ typename strip::memory shared;
    blas::detail::wait_and_trigger();
    const placed_front at = work.front[work.task[first + blockIdx.x].front];
    strip front(work, at, shared, false);
    const bool up = Pass == front_pass::up_by_l || Pass == front_pass::up_by_u;
    const int strips = up ? front.strips() : front.steps();
    for (int k = 0; k < strips; ++k) {
        run_strip<Pass>(front, k);
    }
}

/// One block of threads for each task, which is a strip. The strips that a strip waits for come before it, and blocks
/// take tasks in their order as they begin: so those strips are at work or done.
template <front_pass Pass, int Rows, int Groups>
__global__ void __launch_bounds__(Rows* Groups)
    run_strips(index_t first, index_t ticket, const __grid_constant__ fronts_at_work work)
{
    using strip = front_strip<Rows, Groups>;
    __shared__ typename strip::memory shared;
    __shared__ unsigned mine;
    blas::detail::wait_and_trigger();
    if (threadIdx.x == 0) {
        mine = atomicAdd(work.counter + ticket, 1u);
    }
    __syncthreads();
    const front_task task = work.task[first + mine];
    const placed_front at = work.front[task.front];
    strip front(work, at, shared, true);
    run_strip<Pass>(front, task.strip);
}

template <front_pass Pass>
void run_pass(const cuda_executor& exec, const front_launch& next, const fronts_at_work& work)
{
    constexpr int small = static_cast<int>(most_small_pivots), step = static_cast<int>(columns_of_step), groups = 4;
    const auto blocks = static_cast<unsigned>(next.count);
    switch (next.size) {
        case front_size::small:
            return blas::detail::launch(exec, "fronts", blocks, small, run_whole<Pass, small>, next.first, work);
        case front_size::medium:
            return blas::detail::launch(exec, "fronts", blocks, step, run_whole<Pass, step>, next.first, work);
        case front_size::large:
            return blas::detail::launch(exec, "fronts", blocks, step * groups, run_strips<Pass, step, groups>,
                                        next.first, next.ticket, work);
    }
}

/// Solves with the pivot of D that begins at place k, as multifrontal does.
struct solve_pivot {
    pivots_of_ldl d;
    double* x;

    __device__ void operator()(index_t k) const
    {
        if (d.place_in_pair[k] == 0) {
            x[k] = x[k] / d.diagonal[k];
        } else if (d.place_in_pair[k] == 1) {
            const double b = d.beside[k], upper = d.diagonal[k] / b, lower = d.diagonal[k + 1] / b;
            const double det = mul_rn(upper, lower) - 1.0;
            const double first = x[k] / b, second = x[k + 1] / b;
            x[k] = (mul_rn(lower, first) - second) / det;
            x[k + 1] = (mul_rn(upper, second) - first) / det;
        }
    }
};

}  // namespace

void run_fronts(const cuda_executor& exec, front_pass pass, const front_launch& next, const fronts_at_work& work)
{
    const device_guard current(exec);
    switch (pass) {
        case front_pass::up_by_l:
            return run_pass<front_pass::up_by_l>(exec, next, work);
        case front_pass::up_by_u:
            return run_pass<front_pass::up_by_u>(exec, next, work);
        case front_pass::down_by_u:
            return run_pass<front_pass::down_by_u>(exec, next, work);
        case front_pass::down_by_l:
            return run_pass<front_pass::down_by_l>(exec, next, work);
    }
}

void solve_pivots(const cuda_executor& exec, const pivots_of_ldl& d, index_t n, double* x)
{
    blas::detail::run_elementwise(exec, "pivots", n, solve_pivot{d, x});
}

void clear_counters(const cuda_executor& exec, unsigned* counter, index_t count)
{
    if (count > 0) {
        const device_guard current(exec);
        require_cuda("counters of fronts",
                     cudaMemsetAsync(counter, 0, static_cast<std::size_t>(count) * sizeof(unsigned), exec.stream));
    }
}

}  // namespace residua::detail
