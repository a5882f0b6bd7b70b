#include <residua/solvers/dense_direct/device_blocks.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include <residua/solvers/dense_direct/device_cells.cuh>

namespace residua::detail {
namespace {

constexpr int threads = 128;
constexpr index_t most_grid_rows = 65535;  // of blocks, in the second direction of a grid

dim3 grid_of(index_t rows, index_t cols)
{
    const index_t across = cols < most_grid_rows ? cols : most_grid_rows;
    return {static_cast<unsigned>((rows + threads - 1) / threads), static_cast<unsigned>(across)};
}

constexpr index_t swaps_at_once = 224;  // what the arguments of a kernel have room for

/// Rows that swaps have moved: row from[r] goes to row to[r].
struct moved_rows {
    int count = 0;
    std::uint32_t to[2 * swaps_at_once], from[2 * swaps_at_once];
};

constexpr int words_at_once = 2048;  // in the shared memory of a block

/// Each block moves the rows of one column, some planes of words at once.
template <class Cells>
__global__ void __launch_bounds__(threads)
    move_kernel(const __grid_constant__ Cells x, const __grid_constant__ moved_rows rows)
{
    using word = typename Cells::word;
    __shared__ word held[words_at_once];
    blas::detail::wait_and_trigger();
    const int planes = x.planes(), together = words_at_once / rows.count;
    RESIDUA_KEEP_LOOP
    for (int first = 0; first < planes; first += together) {
        const int words = (planes - first < together ? planes - first : together) * rows.count;
        RESIDUA_KEEP_LOOP
        for (int w = static_cast<int>(threadIdx.x); w < words; w += threads) {
            held[w] = x.at(first + w / rows.count, rows.from[w % rows.count], blockIdx.x);
        }
        __syncthreads();
        RESIDUA_KEEP_LOOP
        for (int w = static_cast<int>(threadIdx.x); w < words; w += threads) {
            x.at(first + w / rows.count, rows.to[w % rows.count], blockIdx.x) = held[w];
        }
        __syncthreads();
    }
}

/// What swaps k = begin, ..., end - 1 of rows k and row_swap[k] move among `rows` rows.
moved_rows moved_by(index_t rows, const std::vector<index_t>& row_swap, index_t begin, index_t end, bool backwards)
{
    std::vector<index_t> source(static_cast<std::size_t>(rows));  // the row whose numbers a row has after the swaps
    std::iota(source.begin(), source.end(), index_t{0});
    for (index_t step = begin; step < end; ++step) {
        const index_t k = backwards ? begin + end - 1 - step : step;
        std::swap(source[static_cast<std::size_t>(k)],
                  source[static_cast<std::size_t>(row_swap[static_cast<std::size_t>(k)])]);
    }
    moved_rows moved;
    const auto add = [&](index_t to) {
        index_t& from = source[static_cast<std::size_t>(to)];
        if (from != to) {
            moved.to[moved.count] = static_cast<std::uint32_t>(to);
            moved.from[moved.count] = static_cast<std::uint32_t>(from);
            ++moved.count;
            from = to;  // each row is added once
        }
    };
    for (index_t k = begin; k < end; ++k) {
        add(k);
        add(row_swap[static_cast<std::size_t>(k)]);
    }
    return moved;
}

template <class Cells>
__global__ void __launch_bounds__(threads)
    transpose_kernel(const __grid_constant__ Cells a, index_t rows, index_t cols, const __grid_constant__ Cells b)
{
    blas::detail::wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * threads + threadIdx.x;
    if (i >= rows) {
        return;
    }
    RESIDUA_KEEP_LOOP
    for (index_t j = blockIdx.y; j < cols; j += gridDim.y) {
        RESIDUA_KEEP_LOOP
        for (int plane = 0; plane < a.planes(); ++plane) {
            b.at(plane, j, i) = a.at(plane, i, j);
        }
    }
}

/// *first <- the first column with an infinity or a NaN, if that is before *first.
__global__ void __launch_bounds__(threads)
    range_kernel(const double* leading, index_t rows, index_t cols, index_t ld, bool lower, index_t* first)
{
    blas::detail::wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * threads + threadIdx.x;
    if (i >= rows) {
        return;
    }
    for (index_t j = blockIdx.y; j < cols; j += gridDim.y) {
        const double x = leading[j * ld + i];
        if (x - x != 0.0 && (!lower || i >= j)) {
            atomicMin(reinterpret_cast<long long*>(first), static_cast<long long>(j));
            return;
        }
    }
}

template <class Cells>
__global__ void __launch_bounds__(threads)
    subtract_kernel(const __grid_constant__ Cells p, index_t rows, index_t cols, const __grid_constant__ Cells c)
{
    blas::detail::wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * threads + threadIdx.x;
    if (i >= rows) {
        return;
    }
    RESIDUA_KEEP_LOOP
    for (index_t j = blockIdx.y; j < cols; j += gridDim.y) {
        c.store(i, j, c.difference(c.load(i, j), p.load(i, j)));
    }
}

}  // namespace

template <class E>
void swap_rows(const cuda_executor& exec, device_block<E> x, const std::vector<index_t>& row_swap, index_t begin,
               index_t end, bool backwards)
{
    if (x.cols == 0) {
        return;  // an empty grid is a launch error
    }
    const device_guard current(exec);
    const index_t parts = (end - begin + swaps_at_once - 1) / swaps_at_once;
    for (index_t part = 0; part < parts; ++part) {
        const index_t first = begin + (backwards ? parts - 1 - part : part) * swaps_at_once;
        const moved_rows moved = moved_by(x.rows, row_swap, first, std::min(first + swaps_at_once, end), backwards);
        if (moved.count == 0) {
            continue;
        }
        with_words(x, [&]<class Cells>() {
            blas::detail::launch(exec, "laswp", static_cast<unsigned>(x.cols), threads, move_kernel<Cells>,
                                 Cells::of(x), moved);
        });
    }
}

template <class E>
index_t column_out_of_range([[maybe_unused]] const cuda_executor& exec, [[maybe_unused]] device_block<E> a,
                            [[maybe_unused]] bool lower)
{
    if constexpr (run_time_format<E>) {
        return -1;
    } else {
        if (a.rows == 0 || a.cols == 0) {
            return -1;
        }
        const device_guard current(exec);
        buffer<host_executor, index_t> first(1);
        first.data()[0] = a.cols;
        auto there = to_device(exec, first);
        blas::detail::launch(exec, "getrf", grid_of(a.rows, a.cols), threads, range_kernel, a.data(), a.rows, a.cols,
                             a.ld, lower, there.data());
        const index_t column = to_host(exec, there).data()[0];
        return column < a.cols ? column : -1;
    }
}

template <class E>
void transpose(const cuda_executor& exec, device_block<E> a, device_block<E> b)
{
    if (a.rows == 0 || a.cols == 0) {
        return;
    }
    const device_guard current(exec);
    with_words(a, [&]<class Cells>() {
        blas::detail::launch(exec, "transpose", grid_of(a.rows, a.cols), threads, transpose_kernel<Cells>, Cells::of(a),
                             a.rows, a.cols, Cells::of(b));
    });
}

template <class E>
void subtract(const cuda_executor& exec, device_block<E> p, device_block<E> c)
{
    if (c.rows == 0 || c.cols == 0) {
        return;
    }
    const device_guard current(exec);
    with_cells(c, [&]<class Cells>() {
        blas::detail::launch(exec, "axpy", grid_of(c.rows, c.cols), threads, subtract_kernel<Cells>, Cells::of(p),
                             c.rows, c.cols, Cells::of(c));
    });
}

#define RESIDUA_INSTANTIATE(...)                                                                                   \
    template void swap_rows(const cuda_executor&, device_block<__VA_ARGS__>, const std::vector<index_t>&, index_t, \
                            index_t, bool);                                                                        \
    template index_t column_out_of_range(const cuda_executor&, device_block<__VA_ARGS__>, bool);                   \
    template void transpose(const cuda_executor&, device_block<__VA_ARGS__>, device_block<__VA_ARGS__>);           \
    template void subtract(const cuda_executor&, device_block<__VA_ARGS__>, device_block<__VA_ARGS__>);
RESIDUA_FOR_EACH_ELIMINATED(RESIDUA_INSTANTIATE)

}  // namespace residua::detail
