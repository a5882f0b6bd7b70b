#include <residua/solvers/sparse_direct/device_assembly.hpp>

#include <algorithm>

#include <residua/blas/base/launch.cuh>
#include <residua/solvers/dense_direct/device_cells.cuh>

namespace residua::detail {
namespace {

constexpr int assembly_threads = 128;

template <class Cells>
struct front_cells {
    Cells columns, right, rest;
    index_t cut;  ///< columns of P

    template <class E>
    static front_cells of(const front_blocks<cuda_executor, E>& front)
    {
        return {Cells::of(front.columns), Cells::of(front.right), Cells::of(front.rest), front.columns.cols};
    }

    struct place {
        const Cells& block;
        index_t i, j;
    };
    /// Where entry (row, column) of the front is.
    __device__ place at(index_t row, index_t column) const
    {
        if (column < cut) {
            return {columns, row, column};
        }
        return {row < cut ? right : rest, row < cut ? row : row - cut, column - cut};
    }
};

/// Places in the memory of a device.
struct front_places {
    buffer<cuda_executor, std::int32_t> row, column;

    front_places(const cuda_executor& exec, const std::vector<std::int32_t>& rows,
                 const std::vector<std::int32_t>& columns)
        : row(placed(exec, rows)), column(placed(exec, columns))
    {}

    static buffer<cuda_executor, std::int32_t> placed(const cuda_executor& exec, const std::vector<std::int32_t>& of)
    {
        const auto count = static_cast<index_t>(of.size());
        buffer<cuda_executor, std::int32_t> there(count, exec, uninitialized{});
        cuda_copy_in(exec, there.data(), of.data(), of.size() * sizeof(std::int32_t));
        return there;
    }
};

template <class Cells>
__global__ void __launch_bounds__(assembly_threads)
    store_kernel(const __grid_constant__ Cells x, index_t n, const std::int32_t* row, const std::int32_t* column,
                 const __grid_constant__ front_cells<Cells> to)
{
    blas::detail::wait_and_trigger();
    const index_t k = index_t{blockIdx.x} * assembly_threads + threadIdx.x;
    if (k < n) {
        const auto place = to.at(row[k], column[k]);
        RESIDUA_KEEP_LOOP
        for (int plane = 0; plane < x.planes(); ++plane) {
            place.block.at(plane, place.i, place.j) = x.at(plane, k, 0);
        }
    }
}

template <class Cells>
__global__ void __launch_bounds__(assembly_threads)
    add_kernel(const __grid_constant__ Cells c, index_t n, const std::int32_t* row, const std::int32_t* column,
               bool lower, const __grid_constant__ front_cells<Cells> to)
{
    blas::detail::wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * assembly_threads + threadIdx.x;
    if (i >= n) {
        return;
    }
    const index_t end = lower ? i + 1 : n;
    RESIDUA_KEEP_LOOP
    for (index_t j = blockIdx.y; j < end; j += gridDim.y) {
        const auto place = to.at(row[i], column[j]);
        const Cells& block = place.block;
        block.store(place.i, place.j, block.accumulated(block.load(place.i, place.j), c.load(i, j)));
    }
}

unsigned blocks_of(index_t threads)
{
    return static_cast<unsigned>((threads + assembly_threads - 1) / assembly_threads);
}

}  // namespace

template <class E>
void store_entries(const cuda_executor& exec, device_block<E> x, const std::vector<std::int32_t>& row,
                   const std::vector<std::int32_t>& column, const front_blocks<cuda_executor, E>& to)
{
    const index_t n = x.rows;
    if (n == 0) {
        return;  // an empty grid is a launch error
    }
    const device_guard current(exec);
    const front_places at(exec, row, column);
    with_words(x, [&]<class Cells>() {
        blas::detail::launch(exec, "assembly", blocks_of(n), assembly_threads, store_kernel<Cells>, Cells::of(x), n,
                             at.row.data(), at.column.data(), front_cells<Cells>::of(to));
    });
}

template <class E>
void add_rest(const cuda_executor& exec, device_block<E> c, const std::vector<std::int32_t>& row,
              const std::vector<std::int32_t>& column, bool lower, const front_blocks<cuda_executor, E>& to)
{
    if (c.rows == 0) {
        return;
    }
    constexpr index_t most_grid_rows = 65535;
    const device_guard current(exec);
    const front_places at(exec, row, column);
    const dim3 grid(blocks_of(c.rows), static_cast<unsigned>(std::min(c.cols, most_grid_rows)));
    with_cells(c, [&]<class Cells>() {
        blas::detail::launch(exec, "assembly", grid, assembly_threads, add_kernel<Cells>, Cells::of(c), c.rows,
                             at.row.data(), at.column.data(), lower, front_cells<Cells>::of(to));
    });
}

#define RESIDUA_INSTANTIATE(...)                                                                                    \
    template void store_entries(const cuda_executor&, device_block<__VA_ARGS__>, const std::vector<std::int32_t>&,  \
                                const std::vector<std::int32_t>&, const front_blocks<cuda_executor, __VA_ARGS__>&); \
    template void add_rest(const cuda_executor&, device_block<__VA_ARGS__>, const std::vector<std::int32_t>&,       \
                           const std::vector<std::int32_t>&, bool, const front_blocks<cuda_executor, __VA_ARGS__>&);
RESIDUA_FOR_EACH_ELIMINATED(RESIDUA_INSTANTIATE)

}  // namespace residua::detail
