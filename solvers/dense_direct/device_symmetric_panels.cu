#include <residua/solvers/dense_direct/device_blocks.hpp>

#include <cstdint>

#include <residua/blas/base/mapped_memory.cuh>
#include <residua/solvers/dense_direct/device_cells.cuh>

namespace residua::detail {
namespace {

constexpr int warp = 32;
constexpr int panel_threads = warp * static_cast<int>(most_panel_columns);
constexpr int threads = 128;
constexpr index_t tile = 32;  // numbers of a column that candidates have room for

unsigned blocks_of(index_t rows, int threads_of_block)
{
    return static_cast<unsigned>((rows + threads_of_block - 1) / threads_of_block);
}

/// Where a pivot is: in place k, of `size` columns, among the panel's columns up to `end`.
struct pivot_step {
    index_t rows = 0;
    index_t k = 0, size = 0, end = 0;
};

/// Leaves the row of the largest entry of 32 rows below `end` for each column k, ..., end - 1, a column each warp.
template <class Cells>
__global__ void __launch_bounds__(panel_threads)
    search_below_kernel(const __grid_constant__ Cells a, const __grid_constant__ pivot_step step, index_t* places)
{
    blas::detail::wait_and_trigger();
    const index_t column = threadIdx.x / warp, j = step.k + column;
    const index_t i = step.end + index_t{blockIdx.x} * warp + threadIdx.x % warp;
    if (j < step.end) {
        const index_t best = row_of_largest(a, j, i < step.rows && a.is_candidate(i, j, step.end) ? i : index_t{-1});
        if (threadIdx.x % warp == 0) {
            places[column * gridDim.x + blockIdx.x] = best;
        }
    }
}

/// One block copies the candidates of a pivot: a warp has a column, and chooses the largest of `count` rows below.
template <class Cells>
__global__ void __launch_bounds__(panel_threads)
    gather_kernel(const __grid_constant__ Cells a, const __grid_constant__ pivot_step step, const index_t* places,
                  index_t count, const __grid_constant__ Cells candidates)
{
    blas::detail::wait_and_trigger();
    const index_t column = threadIdx.x / warp, lane = threadIdx.x % warp, j = step.k + column;
    if (j >= step.end) {
        return;
    }
    index_t best = -1;
    RESIDUA_KEEP_LOOP
    for (index_t c = lane; c < count; c += warp) {
        best = row_of_larger(a, j, best, places[column * count + c]);
    }
    best = __shfl_sync(0xffffffff, row_of_largest(a, j, best), 0);
    const index_t below = step.end - step.k;
    const index_t from = lane == below ? best : step.k + lane;
    if (lane >= column && (lane < below || (lane == below && best >= 0))) {
        RESIDUA_KEEP_LOOP
        for (int plane = 0; plane < a.planes(); ++plane) {
            candidates.at(plane, lane, column) = a.at(plane, from, j);
        }
    }
}

/// A thread has a row or a column beside p and q.
template <class Cells>
__global__ void __launch_bounds__(threads)
    swap_kernel(const __grid_constant__ Cells a, index_t rows, index_t begin, index_t p, index_t q)
{
    blas::detail::wait_and_trigger();
    const index_t i = begin + index_t{blockIdx.x} * threads + threadIdx.x;
    if (i >= rows || i == q) {
        return;
    }
    RESIDUA_KEEP_LOOP
    for (int plane = 0; plane < a.planes(); ++plane) {
        typename Cells::word& x = i < p ? a.at(plane, p, i) : a.at(plane, i, p);
        typename Cells::word& y = i < q ? a.at(plane, q, i == p ? q : i) : a.at(plane, i, q);
        const typename Cells::word held = x;
        x = y;
        y = held;
    }
}

/// One block leaves the numbers of inverse(D), and of every column behind the pivot its multipliers; then D takes its
/// place.
template <class Cells>
__global__ void __launch_bounds__(panel_threads)
    prepare_kernel(const __grid_constant__ Cells a, const __grid_constant__ Cells numbers,
                   const __grid_constant__ pivot_step step, char* is_pair)
{
    using number = typename Cells::number;
    blas::detail::wait_and_trigger();
    const index_t k = step.k, j = k + threadIdx.x / warp;
    const bool first_lane = threadIdx.x % warp == 0, takes_part = first_lane && j < step.end;
    if (step.size == 1) {
        if (takes_part) {
            const number inverse = a.reciprocal(a.load(k, k));
            if (j == k) {
                numbers.store(0, 0, inverse);
                is_pair[k] = 0;
            } else {
                numbers.store(j - k, 1, Cells::minus(a.product(a.load(j, k), inverse)));
            }
        }
        return;
    }
    number beside;
    if (takes_part) {
        beside = a.load(k + 1, k);
        const number of_first = a.quotient(a.load(k, k), beside), of_second = a.quotient(a.load(k + 1, k + 1), beside);
        const number det = a.sum(a.product(of_first, of_second), Cells::minus(Cells::one()));
        const number t = a.quotient(a.quotient(Cells::one(), det), beside);
        const number e_11 = a.product(of_second, t), e_22 = a.product(of_first, t), e_12 = Cells::minus(t);
        if (j == k) {
            numbers.store(0, 0, e_11);
            numbers.store(1, 0, e_12);
            numbers.store(2, 0, e_22);
        } else if (j > k + 1) {
            const number x = a.load(j, k), y = a.load(j, k + 1);
            numbers.store(j - k, 1, Cells::minus(a.sum(a.product(e_11, x), a.product(e_12, y))));
            numbers.store(j - k, 2, Cells::minus(a.sum(a.product(e_12, x), a.product(e_22, y))));
        }
    }
    __syncthreads();  // every warp has read D
    if (threadIdx.x == 0) {
        a.store(k, k + 1, beside);
        a.store(k + 1, k, Cells::zero());
        is_pair[k] = 1;
        is_pair[k + 1] = 0;
    }
}

/// Makes the columns of the pivot those of L, and updates the columns behind it, 32 rows a block and a column each warp.
template <class Cells>
__global__ void __launch_bounds__(panel_threads)
    eliminate_kernel(const __grid_constant__ Cells a, const __grid_constant__ Cells numbers,
                     const __grid_constant__ pivot_step step)
{
    blas::detail::wait_and_trigger();
    const index_t k = step.k, behind = k + step.size;
    const index_t i = behind + index_t{blockIdx.x} * warp + threadIdx.x % warp;
    const index_t j = k + threadIdx.x / warp;
    const bool takes_part = i < step.rows && j < step.end && (j < behind || i >= j);
    typename Cells::number result;
    if (takes_part) {
        const auto x = a.load(i, k);
        if (j < behind && step.size == 1) {
            result = a.scaled(numbers.load(0, 0), x);
        } else if (j < behind) {
            const auto y = a.load(i, k + 1);
            result = a.multiply_add(numbers.load(j - k + 1, 0), y, a.product(numbers.load(j - k, 0), x));
        } else {
            result = a.multiply_add(numbers.load(j - k, 1), x, a.load(i, j));
            if (step.size == 2) {
                result = a.multiply_add(numbers.load(j - k, 2), a.load(i, k + 1), result);
            }
        }
    }
    __syncthreads();  // every warp has read the columns of the pivot
    if (takes_part) {
        a.store(i, j, result);
    }
}

/// A panel's candidates in memory that a device writes to and the host reads. Columns are a tile apart.
template <class Exec, class E>
matrix_view<Exec, E> candidates_in(std::uint64_t* memory, const device_block<E>& a, index_t rows, index_t cols)
{
    if constexpr (run_time_format<E>) {
        auto* const words = reinterpret_cast<std::uint32_t*>(memory);
        return {multidigit_tiles<false>{words, 0, a.start.digits}, rows, cols, tile, a};
    } else {
        return {{reinterpret_cast<double*>(memory), tile * most_panel_columns}, rows, cols, tile, a};
    }
}

/// Memory for the candidates of the longest numbers.
std::uint64_t* told_by_candidates()
{
    constexpr index_t digits = multidigit_most_bits / 32;
    static thread_local blas::detail::mapped_memory<std::uint64_t> box;
    return box.get(static_cast<std::size_t>((digits + 1) * tile * most_panel_columns / 2));
}

template <class E>
void make_room(const cuda_executor& exec, const device_block<E>& a, symmetric_memory<E>& memory)
{
    const index_t places = most_panel_columns * blocks_of(a.rows, warp);
    if (!memory.numbers) {
        memory.numbers.emplace(a.format, most_panel_columns, 3, exec);
    }
    if (memory.places.size() < places) {
        memory.places = buffer<cuda_executor, index_t>(places, exec);
    }
    if (memory.is_pair.size() < a.cols) {
        memory.is_pair = buffer<cuda_executor, char>(a.cols, exec);
    }
}

}  // namespace

template <class E>
matrix_view<host_executor, E> candidates_of(const cuda_executor& exec, device_block<E> a, index_t k, index_t end,
                                            symmetric_memory<E>& memory)
{
    const device_guard current(exec);
    make_room(exec, a, memory);
    const pivot_step step{.rows = a.rows, .k = k, .size = 0, .end = end};
    const unsigned count = blocks_of(a.rows - end, warp);
    index_t* const places = memory.places.data();
    std::uint64_t* const told = told_by_candidates();
    const index_t cols = end - k, rows = count > 0 ? cols + 1 : cols;
    with_words(a, [&]<class Cells>() {
        const Cells cells = Cells::of(a);
        if (count > 0) {
            blas::detail::launch(exec, "sytrf", count, panel_threads, search_below_kernel<Cells>, cells, step, places);
        }
        blas::detail::launch(exec, "sytrf", 1, panel_threads, gather_kernel<Cells>, cells, step, places, count,
                             Cells::of(candidates_in<cuda_executor>(told, a, rows, cols)));
    });
    synchronize(exec);
    return candidates_in<host_executor>(told, a, rows, cols);
}

template <class E>
void swap_symmetric(const cuda_executor& exec, device_block<E> a, index_t begin, index_t p, index_t q)
{
    const device_guard current(exec);
    with_words(a, [&]<class Cells>() {
        blas::detail::launch(exec, "sytrf", blocks_of(a.rows - begin, threads), threads, swap_kernel<Cells>,
                             Cells::of(a), a.rows, begin, p, q);
    });
}

template <class E>
void eliminate_symmetric(const cuda_executor& exec, device_block<E> a, index_t k, index_t size, index_t end,
                         symmetric_memory<E>& memory)
{
    const device_guard current(exec);
    make_room(exec, a, memory);
    const pivot_step step{.rows = a.rows, .k = k, .size = size, .end = end};
    with_cells(a, [&]<class Cells>() {
        const Cells cells = Cells::of(a), numbers = Cells::of(memory.numbers->view());
        blas::detail::launch(exec, "sytrf", 1, panel_threads, prepare_kernel<Cells>, cells, numbers, step,
                             memory.is_pair.data());
        if (const unsigned count = blocks_of(a.rows - k - size, warp); count > 0) {
            blas::detail::launch(exec, "sytrf", count, panel_threads, eliminate_kernel<Cells>, cells, numbers, step);
        }
    });
}

#define RESIDUA_INSTANTIATE(...)                                                                                      \
    template matrix_view<host_executor, __VA_ARGS__> candidates_of(const cuda_executor&, device_block<__VA_ARGS__>,   \
                                                                   index_t, index_t, symmetric_memory<__VA_ARGS__>&); \
    template void swap_symmetric(const cuda_executor&, device_block<__VA_ARGS__>, index_t, index_t, index_t);         \
    template void eliminate_symmetric(const cuda_executor&, device_block<__VA_ARGS__>, index_t, index_t, index_t,     \
                                      symmetric_memory<__VA_ARGS__>&);
RESIDUA_FOR_EACH_ELIMINATED(RESIDUA_INSTANTIATE)

}  // namespace residua::detail
