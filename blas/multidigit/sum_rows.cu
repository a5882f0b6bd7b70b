#include <residua/blas/multidigit/sums.cuh>

namespace residua::blas::detail {
namespace {

/// Each thread has a row; blockIdx.y is the chunk of columns, blockIdx.z the result.
template <int N>
__global__ void __launch_bounds__(multidigit_threads)
    sum_chunks_kernel(const __grid_constant__ multidigit_rows rows, int p, device_sums sums)
{
    wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * multidigit_threads + threadIdx.x;
    if (i >= rows.rows) {
        return;
    }
    const multidigit_operand x{rows.x.start.from(blockIdx.z * rows.x_step), rows.x.stride};
    const index_t begin = index_t{blockIdx.y} * multidigit_chunk;
    const index_t end = begin + multidigit_chunk < rows.cols ? begin + multidigit_chunk : rows.cols;
    const int digits = rows.a.digits;
    const auto entry = [&](index_t j) { return rows.a.number(j * rows.ld + i); };
    const auto factor = [&](index_t j) { return x.start.number(j * x.stride); };
    device_sum<N> sum;
    factor_prefetch<N, 8, passing_read<>, residua::detail::plain_read> next;
    if (begin < end) {
        next.read(entry(begin), factor(begin), digits);
    }
    RESIDUA_KEEP_LOOP
    for (index_t j = begin; j < end; ++j) {
        const device_factors<N> now = next.factors(entry(j), factor(j), digits);
        if (j + 1 < end) {
            next.read(entry(j + 1), factor(j + 1), digits);
        }
        if (!add_usual_product(sum, now, p)) {
            sum = with_unusual_product<N>(sum, entry(j), factor(j), digits, p);
        }
    }
    sums.store<N>((index_t{blockIdx.z} * gridDim.y + blockIdx.y) * rows.rows + i, sum);
}

}  // namespace

void sum_rows(const cuda_executor& exec, const char* op, const multidigit_format& format, index_t results,
              const multidigit_rows& rows)
{
    if (rows.rows == 0) {
        return;
    }
    const device_guard current(exec);
    const index_t chunks = rows.cols > 0 ? (rows.cols + multidigit_chunk - 1) / multidigit_chunk : 1;
    constexpr index_t most_results = 64;  // whose chunks are kept together
    with_device_size(format, [&]<int N>() {
        for (index_t first = 0; first < results; first += most_results) {
            const index_t count = results - first < most_results ? results - first : most_results;
            auto sums = device_sum_buffer::of<N>(exec, rows.rows * chunks * count);
            multidigit_rows part = rows;
            part.x.start = rows.x.start.from(first * rows.x_step);
            part.y.start = rows.y.start.from(first * rows.y_step);
            const dim3 grid(blocks_for(rows.rows), static_cast<unsigned>(chunks), static_cast<unsigned>(count));
            launch(exec, op, grid, multidigit_threads, sum_chunks_kernel<N>, part, format.bits(), sums.view());
            const dim3 merging(blocks_for(rows.rows), static_cast<unsigned>(count));
            launch(exec, op, merging, multidigit_threads, merge_few_kernel<N>, rows.rows, chunks, sums.view(),
                   format.bits(), part.y, rows.y_step);
        }
    });
}

}  // namespace residua::blas::detail
