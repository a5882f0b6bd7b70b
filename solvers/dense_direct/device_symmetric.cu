#include <residua/solvers/dense_direct/device_blocks.hpp>

#include <algorithm>

#include <residua/solvers/dense_direct/device_cells.cuh>

namespace residua::detail {
namespace {

constexpr int threads = 128;
constexpr index_t most_grid_rows = 65535;  // of blocks, in the second direction of a grid

dim3 grid_of(index_t rows, index_t cols)
{
    return {static_cast<unsigned>((rows + threads - 1) / threads),
            static_cast<unsigned>(std::min(cols, most_grid_rows))};
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

}  // namespace

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

#define RESIDUA_INSTANTIATE(...)                                                                                \
    template sizes_beside<__VA_ARGS__> find_sizes_beside(const cuda_executor&, device_block<__VA_ARGS__>);      \
    template void move_symmetric(const cuda_executor&, device_block<__VA_ARGS__>, const std::vector<index_t>&); \
    template void times_pivots(const cuda_executor&, device_block<__VA_ARGS__>, const char*,                    \
                               device_block<__VA_ARGS__>, device_block<__VA_ARGS__>);
RESIDUA_FOR_EACH_ELIMINATED(RESIDUA_INSTANTIATE)

}  // namespace residua::detail
