#include <residua/solvers/dense_direct/device_blocks.hpp>

#include <algorithm>

#include <residua/blas/base/mapped_memory.cuh>
#include <residua/solvers/dense_direct/device_cells.cuh>

namespace residua::detail {
namespace {

constexpr int warp = 32;
constexpr int panel_threads = warp * static_cast<int>(most_panel_columns);

/// Where a panel is, and where its results go.
struct panel_step {
    index_t rows = 0;
    index_t begin = 0, k = 0, end = 0;  ///< the panel's columns, and the one with the next pivot
    index_t candidates = 0;             ///< rows that may have pivots
    bool lower = false;                 ///< whether columns are updated from the diagonal on
    bool searches = false;              ///< the next column for its largest entry
    index_t* places = nullptr;
    index_t* others = nullptr;  ///< places among the rows that have no pivots, if there are such
    int* stopped = nullptr;
    index_t* found = nullptr;  ///< on the host: how many pivots there are, then the row of each
};

/// The row of the largest entry of column j among those rows i of the lanes of a warp that are in first, ..., last - 1;
/// in lane 0. -1: no row.
template <class Cells>
__device__ index_t row_of_largest(const Cells& a, index_t i, index_t first, index_t last, index_t j)
{
    return row_of_largest(a, j, i >= first && i < last && a.is_candidate(i, j, first) ? i : -1);
}

/// A warp searches column j among its lanes' rows i, which are of block blockIdx.x.
template <class Cells>
__device__ void search_column(const Cells& a, const panel_step& step, index_t i, index_t j)
{
    const index_t best = row_of_largest(a, i, j, step.candidates, j);
    const index_t other = step.others != nullptr ? row_of_largest(a, i, step.candidates, step.rows, j) : -1;
    if (threadIdx.x % warp == 0) {
        step.places[blockIdx.x] = best;
        if (step.others != nullptr) {
            step.others[blockIdx.x] = other;
        }
    }
}

/// Searches column k from row k on, 32 rows a block.
template <class Cells>
__global__ void __launch_bounds__(warp)
    search_kernel(const __grid_constant__ Cells a, const __grid_constant__ panel_step step)
{
    blas::detail::wait_and_trigger();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *step.stopped = 0;
        *step.found = 0;
    }
    search_column(a, step, step.k + index_t{blockIdx.x} * warp + threadIdx.x, step.k);
}

/// The row of the largest entry of column k among `count` rows, found by all threads of a block; -1: no row.
template <class Cells>
__device__ index_t row_of_largest(const Cells& a, index_t k, const index_t* rows, index_t count)
{
    __shared__ index_t of_thread[panel_threads];
    const int t = static_cast<int>(threadIdx.x);
    index_t best = -1;
    for (index_t c = t; c < count; c += panel_threads) {
        best = row_of_larger(a, k, best, rows[c]);
    }
    __syncthreads();  // every thread has read an earlier result
    of_thread[t] = best;
    for (int half = panel_threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            of_thread[t] = row_of_larger(a, k, of_thread[t], of_thread[t + half]);
        }
    }
    __syncthreads();
    return of_thread[0];
}

/// One block chooses the pivot of column k from `count` rows, swaps the rows of the panel, and leaves the reciprocal of
/// the pivot and the multipliers of the columns behind it.
template <class Cells>
__global__ void __launch_bounds__(panel_threads)
    choose_kernel(const __grid_constant__ Cells a, const __grid_constant__ Cells numbers,
                  const __grid_constant__ Cells threshold, const __grid_constant__ panel_step step, index_t count)
{
    blas::detail::wait_and_trigger();
    if (*step.stopped != 0) {
        return;
    }
    const int t = static_cast<int>(threadIdx.x);
    const index_t k = step.k, p = row_of_largest(a, k, step.places, count);
    bool usable = a.is_pivot(p, k);
    if (usable && step.others != nullptr) {
        const index_t other = row_of_largest(a, k, step.others, count);
        usable = !a.is_below(a.load(p, k), threshold.load(0, 0), a.load(other, k));
    }
    if (!usable) {
        if (t == 0) {
            *step.stopped = 1;
        }
        return;
    }
    constexpr int divides = 1;  // a thread that swaps nothing
    typename Cells::number of_column;
    if (t == divides) {
        of_column = a.load(p, k);
    }
    __syncthreads();  // every thread has read what is swapped
    if (t == divides) {
        numbers.store(0, 0, a.reciprocal(of_column));
        const index_t found = k - step.begin;
        step.found[1 + found] = p;
        step.found[0] = found + 1;
    }
    const index_t j = step.begin + t / warp;
    if (t % warp == 0 && j < step.end) {
        const auto pivot = a.load(p, j);
        if (p != k) {
            a.store(p, j, a.load(k, j));
            a.store(k, j, pivot);
        }
        if (j > k) {
            numbers.store(j - k, 0, a.minus_one_times(pivot));
        }
    }
}

/// One block takes the root of the pivot of column k, and leaves its reciprocal and the multipliers of the columns
/// behind it.
template <class Cells>
__global__ void __launch_bounds__(panel_threads)
    root_kernel(const __grid_constant__ Cells a, const __grid_constant__ Cells numbers,
                const __grid_constant__ panel_step step)
{
    blas::detail::wait_and_trigger();
    const index_t k = step.k;
    if (*step.stopped != 0) {
        return;
    }
    const auto pivot = a.load(k, k);
    const bool usable = Cells::is_positive(pivot);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (usable) {
            const auto root = a.root(pivot);
            a.store(k, k, root);
            numbers.store(0, 0, a.reciprocal(root));
        } else {
            *step.stopped = 1;
            *step.found = 1;
        }
    }
    if (!usable) {
        return;
    }
    __syncthreads();
    const index_t j = k + 1 + static_cast<index_t>(threadIdx.x / warp);
    if (threadIdx.x % warp == 0 && j < step.end) {
        numbers.store(j - k, 0, Cells::minus(a.scaled(numbers.load(0, 0), a.load(j, k))));
    }
}

/// Scales column k below the pivot and updates the columns behind it, 32 rows a block and a column each warp. Then
/// column k + 1 may be searched.
template <class Cells>
__global__ void __launch_bounds__(panel_threads)
    eliminate_kernel(const __grid_constant__ Cells a, const __grid_constant__ Cells numbers,
                     const __grid_constant__ panel_step step)
{
    blas::detail::wait_and_trigger();
    if (*step.stopped != 0) {
        return;
    }
    const index_t k = step.k;
    const index_t i = k + 1 + index_t{blockIdx.x} * warp + threadIdx.x % warp;
    const index_t j = k + threadIdx.x / warp;
    const bool takes_part = i < step.rows && j < step.end;
    typename Cells::number factor;
    if (takes_part) {
        factor = a.scaled(numbers.load(0, 0), a.load(i, k));
    }
    __syncthreads();  // every warp has read column k
    if (takes_part) {
        if (j == k) {
            a.store(i, k, factor);
        } else if (!step.lower || i >= j) {
            a.store(i, j, a.multiply_add(numbers.load(j - k, 0), factor, a.load(i, j)));
        }
    }
    if (step.searches && threadIdx.x / warp == 1) {
        __syncwarp();
        search_column(a, step, i, k + 1);
    }
}

index_t warps_of(index_t rows) { return (rows + warp - 1) / warp; }

template <class E>
void make_room(const cuda_executor& exec, const device_block<E>& a, panel_memory<E>& memory)
{
    if (memory.places.size() >= 2 * warps_of(a.rows) && memory.numbers) {
        return;
    }
    memory.numbers.emplace(a.format, most_panel_columns, 1, exec);
    memory.places = buffer<cuda_executor, index_t>(2 * warps_of(a.rows), exec);
    memory.stopped = buffer<cuda_executor, int>(1, exec);
}

/// What a panel tells the host: how many pivots there are, then the row of each.
index_t* told_by_panel()
{
    static thread_local blas::detail::mapped_memory<index_t> box;
    return box.get(1 + most_panel_columns);
}

/// Whether Cholesky failed, by the panels of this thread.
index_t* told_by_definite_panel()
{
    static thread_local blas::detail::mapped_memory<index_t> box;
    return box.get(1);
}

}  // namespace

template <class E>
std::vector<index_t> eliminate_columns(const cuda_executor& exec, device_block<E> a, index_t candidates, index_t begin,
                                       index_t k, index_t last, index_t end, panel_memory<E>& memory)
{
    const device_guard current(exec);
    make_room(exec, a, memory);
    index_t* const found = told_by_panel();
    panel_step step{.rows = a.rows,
                    .begin = begin,
                    .k = k,
                    .end = end,
                    .candidates = candidates,
                    .places = memory.places.data(),
                    .others = candidates < a.rows ? memory.places.data() + warps_of(a.rows) : nullptr,
                    .stopped = memory.stopped.data(),
                    .found = found};
    const auto of_threshold = memory.threshold->view();
    const index_t known = k - begin;
    with_cells(a, [&]<class Cells>() {
        using blas::detail::launch;
        const Cells cells = Cells::of(a), numbers = Cells::of(memory.numbers->view()),
                    threshold = Cells::of(of_threshold);
        index_t count = warps_of(a.rows - k);
        launch(exec, "getrf", static_cast<unsigned>(count), warp, search_kernel<Cells>, cells, step);
        for (; step.k < last; ++step.k) {
            launch(exec, "getrf", 1, panel_threads, choose_kernel<Cells>, cells, numbers, threshold, step, count);
            count = warps_of(a.rows - step.k - 1);
            step.searches = step.k + 1 < last;
            if (count > 0) {
                launch(exec, "getrf", static_cast<unsigned>(count), panel_threads, eliminate_kernel<Cells>, cells,
                       numbers, step);
            }
        }
    });
    synchronize(exec);
    return {found + 1 + known, found + 1 + std::max(known, found[0])};
}

template <class E>
void eliminate_definite_columns(const cuda_executor& exec, device_block<E> a, index_t begin, index_t end,
                                panel_memory<E>& memory)
{
    const device_guard current(exec);
    make_room(exec, a, memory);
    panel_step step{.rows = a.rows,
                    .begin = begin,
                    .end = end,
                    .lower = true,
                    .stopped = memory.stopped.data(),
                    .found = told_by_definite_panel()};
    with_cells(a, [&]<class Cells>() {
        using blas::detail::launch;
        const Cells cells = Cells::of(a), numbers = Cells::of(memory.numbers->view());
        for (step.k = begin; step.k < end; ++step.k) {
            launch(exec, "potrf", 1, panel_threads, root_kernel<Cells>, cells, numbers, step);
            if (const index_t count = warps_of(a.rows - step.k - 1); count > 0) {
                launch(exec, "potrf", static_cast<unsigned>(count), panel_threads, eliminate_kernel<Cells>, cells,
                       numbers, step);
            }
        }
    });
}

bool definite_columns_failed() { return *static_cast<const volatile index_t*>(told_by_definite_panel()) != 0; }

void start_definite_columns() { *told_by_definite_panel() = 0; }

#define RESIDUA_INSTANTIATE(...)                                                                                       \
    template std::vector<index_t> eliminate_columns(const cuda_executor&, device_block<__VA_ARGS__>, index_t, index_t, \
                                                    index_t, index_t, index_t, panel_memory<__VA_ARGS__>&);            \
    template void eliminate_definite_columns(const cuda_executor&, device_block<__VA_ARGS__>, index_t, index_t,        \
                                             panel_memory<__VA_ARGS__>&);
RESIDUA_FOR_EACH_ELIMINATED(RESIDUA_INSTANTIATE)

}  // namespace residua::detail
