#pragma once

#include <residua/blas/level1/elementwise.cuh>
#include <residua/blas/level1/reduce.cuh>
#include <residua/blas/level1/update_rows.hpp>

/// The end of a matrix-vector product on a device: partial sums of each result are merged, and y is updated.
namespace residua::blas::detail {

inline constexpr int result_rows = 32;     // rows of a block
inline constexpr int result_threads = 16;  // threads that share a row

/// Partial sum c of result i is accumulator c results + i of `from`. Each result_threads runs of them are merged
/// pairwise, neighbours first, an odd last one moving up unchanged, into partial sum blockIdx.y of `to`; if there is
/// no other, y_i <- alpha t + beta y_i, rounded to R.
template <class T, class R>
__global__ void __launch_bounds__(result_rows* result_threads)
    finish_rows_kernel(index_t results, index_t chunks, index_t run, accumulators<T> from, accumulators<T> to,
                       scalar_argument<R> alpha, scalar_argument<R> beta, vector_view<cuda_executor, R> y)
{
    if constexpr (accumulator_of<T>::words <= 4) {
        wait_and_trigger();
    } else {
        wait_for_previous();  // a block fills a multiprocessor: blocks that came early would crowd the others
    }
    constexpr int most = result_threads / 2;  // accumulators that are handed on
    __shared__ double shared[accumulator_of<T>::words * most * result_rows];
    const accumulators<T> handed{shared, most * result_rows};
    const int row = static_cast<int>(threadIdx.x) % result_rows;
    const int mine = static_cast<int>(threadIdx.x) / result_rows;
    const index_t i = index_t{blockIdx.x} * result_rows + row;
    const index_t before = index_t{blockIdx.y} * result_threads;  // runs
    const index_t left = (chunks + run - 1) / run - before;
    const int runs = static_cast<int>(left < result_threads ? left : result_threads);
    const index_t first = (before + mine) * run;
    const index_t end = first + run < chunks ? first + run : chunks;
    accumulator_of<T> sum;
    if (i < results) {
        sum = merge_run<T>(first, end, [&](index_t c) { return from.load(c * results + i); });
    }
    for (int step = 1; step < runs; step *= 2) {
        if (mine % (2 * step) == step) {
            handed.store(mine / (2 * step) * result_rows + row, sum);
        }
        __syncthreads();
        if (mine % (2 * step) == 0 && mine + step < runs) {
            sum.merge(handed.load(mine / (2 * step) * result_rows + row));
        }
        __syncthreads();
    }
    if (i < results && mine == 0) {
        if (gridDim.y == 1) {
            update_element(alpha.load(), sum.result(), beta.load(), i, y);
        } else {
            to.store(blockIdx.y * results + i, sum);
        }
    }
}

/// The number of accumulators that finish_rows needs: the partial sums and once more a part of them.
inline index_t partial_sums(index_t results, index_t chunks)
{
    return (chunks + chunks / (result_threads * longest_run) + 1) * results;
}

/// y <- alpha t + beta y, where t_i is the sum of the partial sums of result i.
template <class T, class R>
void finish_rows(const cuda_executor& exec, const char* op, index_t chunks, accumulators<T> partial,
                 const scalar_argument<R>& alpha, const scalar_argument<R>& beta, vector_view<cuda_executor, R> y)
{
    const auto blocks = static_cast<unsigned>((y.size + result_rows - 1) / result_rows);
    accumulators<T> from = partial;
    accumulators<T> to{partial.data + chunks * y.size, partial.stride};
    for (index_t merged = 0; merged != 1; chunks = merged) {
        const index_t run = run_length(chunks, result_threads);
        merged = chunks > 0 ? (chunks + run * result_threads - 1) / (run * result_threads) : 1;
        const dim3 grid(blocks, static_cast<unsigned>(merged));
        launch(exec, op, grid, result_rows * result_threads, finish_rows_kernel<T, R>, y.size, chunks, run, from, to,
               alpha, beta, y);
        std::swap(from, to);
    }
}

}  // namespace residua::blas::detail
