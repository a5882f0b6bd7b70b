#include <residua/solvers/dense_direct/device_blocks.hpp>

#include <algorithm>
#include <utility>

#include <residua/solvers/dense_direct/device_cells.cuh>

namespace residua::detail {
namespace {

constexpr int warp = 32;
constexpr int panel_threads = warp * static_cast<int>(most_panel_columns);
constexpr int threads = 128;
constexpr index_t most_grid_rows = 65535;  // of blocks, in the second direction of a grid

unsigned blocks_of(index_t rows, int threads_of_block)
{
    return static_cast<unsigned>((rows + threads_of_block - 1) / threads_of_block);
}

dim3 grid_of(index_t rows, index_t cols)
{
    return {blocks_of(rows, threads), static_cast<unsigned>(std::min(cols, most_grid_rows))};
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

/// A block finds the largest entry of a column without the diagonal.
template <class Cells>
__global__ void __launch_bounds__(threads)
    sizes_kernel(const __grid_constant__ Cells a, index_t n, index_t* rows, const __grid_constant__ Cells sizes)
{
    __shared__ index_t of_thread[threads];
    blas::detail::wait_and_trigger();
    const index_t j = blockIdx.x;
    const int t = static_cast<int>(threadIdx.x);
    const auto row_of = [&](index_t i) { return i > j ? i : j; };
    const auto column_of = [&](index_t i) { return i > j ? j : i; };
    const auto larger = [&](index_t x, index_t y) {
        if (x < 0 || y < 0) {
            return x < 0 ? y : x;
        }
        const index_t first = x < y ? x : y, second = x < y ? y : x;
        return a.is_larger(row_of(second), column_of(second), row_of(first), column_of(first)) ? second : first;
    };
    const index_t first = j == 0 ? 1 : 0;  // of which alone a NaN counts
    index_t best = -1;
    RESIDUA_KEEP_LOOP
    for (index_t i = t; i < n; i += threads) {
        if (i != j && (i == first || !a.is_nan(row_of(i), column_of(i)))) {
            best = larger(best, i);
        }
    }
    of_thread[t] = best;
    RESIDUA_KEEP_LOOP
    for (int half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            of_thread[t] = larger(of_thread[t], of_thread[t + half]);
        }
    }
    if (t == 0) {
        best = of_thread[0];
        rows[j] = best;
        RESIDUA_KEEP_LOOP
        for (int plane = 0; plane < a.planes(); ++plane) {
            sizes.at(plane, j, 1) = a.at(plane, j, j);
            if (best >= 0) {
                sizes.at(plane, j, 0) = a.at(plane, row_of(best), column_of(best));
            }
        }
    }
}

/// B <- A, with what is in place from[k] of the first rows and columns in place k; null: from[k] = k.
template <class Cells>
__global__ void __launch_bounds__(threads)
    move_symmetric_kernel(const __grid_constant__ Cells a, index_t rows, index_t cols, const index_t* from,
                          const __grid_constant__ Cells b)
{
    blas::detail::wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * threads + threadIdx.x;
    if (i >= rows) {
        return;
    }
    const index_t p = from != nullptr && i < cols ? from[i] : i;
    RESIDUA_KEEP_LOOP
    for (index_t j = blockIdx.y; j < cols && j <= i; j += gridDim.y) {
        const index_t q = from != nullptr ? from[j] : j;
        const index_t row = p > q ? p : q, column = p > q ? q : p;
        RESIDUA_KEEP_LOOP
        for (int plane = 0; plane < a.planes(); ++plane) {
            b.at(plane, i, j) = a.at(plane, row, column);
        }
    }
}

/// A thread has a number of V.
template <class Cells>
__global__ void __launch_bounds__(threads)
    times_pivots_kernel(const __grid_constant__ Cells d, const char* is_pair, const __grid_constant__ Cells l,
                        index_t rows, index_t cols, const __grid_constant__ Cells v)
{
    blas::detail::wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * threads + threadIdx.x;
    if (i >= rows) {
        return;
    }
    RESIDUA_KEEP_LOOP
    for (index_t k = blockIdx.y; k < cols; k += gridDim.y) {
        const bool is_second = k > 0 && is_pair[k - 1] != 0;
        if (!is_second && is_pair[k] == 0) {
            v.store(k, i, d.scaled(d.load(k, k), l.load(i, k)));
        } else {
            const index_t first = is_second ? k - 1 : k;
            const auto product = d.product(d.load(first, k), l.load(i, first));
            v.store(k, i, d.multiply_add(d.load(k, first + 1 == k ? k : k + 1), l.load(i, first + 1), product));
        }
    }
}

/// A thread solves with a pivot for a column of X.
template <int N>
__global__ void __launch_bounds__(threads)
    solve_pivots_kernel(const __grid_constant__ multidigit_cells<N, true> d, const char* is_pair, index_t n,
                        const __grid_constant__ multidigit_cells<N> x, index_t cols)
{
    using number = multidigit_float<std::uint32_t, N>;
    blas::detail::wait_and_trigger();
    const index_t k = index_t{blockIdx.x} * threads + threadIdx.x;
    if (k >= n || (k > 0 && is_pair[k - 1] != 0)) {
        return;
    }
    RESIDUA_KEEP_LOOP
    for (index_t j = blockIdx.y; j < cols; j += gridDim.y) {
        if (is_pair[k] == 0) {
            x.store(k, j, x.quotient(x.load(k, j), d.load(k, k)));
            continue;
        }
        const number b = d.load(k, k + 1);
        const number of_first = x.quotient(d.load(k, k), b), of_second = x.quotient(d.load(k + 1, k + 1), b);
        const number det = x.sum(x.product(of_first, of_second), negated(x.one()));
        const number first = x.quotient(x.load(k, j), b), second = x.quotient(x.load(k + 1, j), b);
        x.store(k, j, x.quotient(x.difference(x.product(of_second, first), second), det));
        x.store(k + 1, j, x.quotient(x.difference(x.product(of_first, second), first), det));
    }
}

template <class E>
void make_room(const cuda_executor& exec, const device_block<E>& a, symmetric_memory<E>& memory)
{
    const index_t places = most_panel_columns * blocks_of(a.rows, warp);
    if (!memory.numbers) {
        memory.numbers.emplace(a.format, most_panel_columns, 3, exec);
        memory.candidates.emplace(a.format, most_panel_columns + 1, most_panel_columns, exec);
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
matrix<host_executor, E> candidates_of(const cuda_executor& exec, device_block<E> a, index_t k, index_t end,
                                       symmetric_memory<E>& memory)
{
    const device_guard current(exec);
    make_room(exec, a, memory);
    const pivot_step step{.rows = a.rows, .k = k, .size = 0, .end = end};
    const unsigned count = blocks_of(a.rows - end, warp);
    index_t* const places = memory.places.data();
    with_words(a, [&]<class Cells>() {
        const Cells cells = Cells::of(a);
        if (count > 0) {
            blas::detail::launch(exec, "sytrf", count, panel_threads, search_below_kernel<Cells>, cells, step, places);
        }
        blas::detail::launch(exec, "sytrf", 1, panel_threads, gather_kernel<Cells>, cells, step, places, count,
                             Cells::of(memory.candidates->view()));
    });
    return to_host(exec, *memory.candidates);
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

template <class E>
sizes_beside<E> find_sizes_beside(const cuda_executor& exec, device_block<E> a)
{
    const device_guard current(exec);
    matrix<cuda_executor, E> sizes(a.format, a.cols, 2, exec);
    buffer<cuda_executor, index_t> rows(a.cols, exec);
    with_words(a, [&]<class Cells>() {
        blas::detail::launch(exec, "sytrf", static_cast<unsigned>(a.cols), threads, sizes_kernel<Cells>, Cells::of(a),
                             a.cols, rows.data(), Cells::of(sizes.view()));
    });
    const buffer<host_executor, index_t> found = to_host(exec, rows);
    return {{found.data(), found.data() + found.size()}, to_host(exec, sizes)};
}

template <class E>
void move_symmetric(const cuda_executor& exec, device_block<E> a, const std::vector<index_t>& from)
{
    if (a.rows == 0 || a.cols == 0) {
        return;
    }
    const device_guard current(exec);
    matrix<cuda_executor, E> copy(a.format, a.rows, a.cols, exec);
    buffer<host_executor, index_t> order(a.cols);
    std::copy(from.begin(), from.end(), order.data());
    const auto there = to_device(exec, order);
    const index_t* const as_it_is = nullptr;
    const dim3 grid = grid_of(a.rows, a.cols);
    with_words(a, [&]<class Cells>() {
        const Cells cells = Cells::of(a), held = Cells::of(copy.view());
        blas::detail::launch(exec, "sytrf", grid, threads, move_symmetric_kernel<Cells>, cells, a.rows, a.cols,
                             as_it_is, held);
        blas::detail::launch(exec, "sytrf", grid, threads, move_symmetric_kernel<Cells>, held, a.rows, a.cols,
                             there.data(), cells);
    });
}

template <class E>
void times_pivots(const cuda_executor& exec, device_block<E> pivots, const char* is_pair, device_block<E> l,
                  device_block<E> v)
{
    if (l.rows == 0 || l.cols == 0) {
        return;
    }
    const device_guard current(exec);
    with_cells(v, [&]<class Cells>() {
        blas::detail::launch(exec, "sytrf", grid_of(l.rows, l.cols), threads, times_pivots_kernel<Cells>,
                             Cells::of(pivots), is_pair, Cells::of(l), l.rows, l.cols, Cells::of(v));
    });
}

void solve_pivots(const cuda_executor& exec, matrix_view<cuda_executor, const multidigit> pivots, const char* is_pair,
                  device_block<multidigit> x)
{
    if (x.rows == 0 || x.cols == 0) {
        return;
    }
    const device_guard current(exec);
    blas::detail::with_device_size(x.format, [&]<int N>() {
        blas::detail::launch(exec, "sytrs", grid_of(x.rows, x.cols), threads, solve_pivots_kernel<N>,
                             multidigit_cells<N, true>::of(pivots), is_pair, x.rows, multidigit_cells<N>::of(x),
                             x.cols);
    });
}

#define RESIDUA_INSTANTIATE(...)                                                                                  \
    template matrix<host_executor, __VA_ARGS__> candidates_of(const cuda_executor&, device_block<__VA_ARGS__>,    \
                                                              index_t, index_t, symmetric_memory<__VA_ARGS__>&);  \
    template void swap_symmetric(const cuda_executor&, device_block<__VA_ARGS__>, index_t, index_t, index_t);     \
    template void eliminate_symmetric(const cuda_executor&, device_block<__VA_ARGS__>, index_t, index_t, index_t, \
                                      symmetric_memory<__VA_ARGS__>&);                                            \
    template sizes_beside<__VA_ARGS__> find_sizes_beside(const cuda_executor&, device_block<__VA_ARGS__>);        \
    template void move_symmetric(const cuda_executor&, device_block<__VA_ARGS__>, const std::vector<index_t>&);   \
    template void times_pivots(const cuda_executor&, device_block<__VA_ARGS__>, const char*,                      \
                               device_block<__VA_ARGS__>, device_block<__VA_ARGS__>);
RESIDUA_FOR_EACH_ELIMINATED(RESIDUA_INSTANTIATE)

}  // namespace residua::detail
