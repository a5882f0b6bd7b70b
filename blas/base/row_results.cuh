#pragma once

#include <residua/blas/base/reduce.cuh>
#include <residua/blas/base/update_rows.hpp>

/// The end of a matrix-vector product on a device: partial sums of each result are merged, and y is updated.
namespace residua::blas::detail {

inline constexpr int result_rows = 32;    // of a block
inline constexpr int result_threads = 8;  // that share a row

/// Partial sum c of result i is accumulator c results + i. They are merged pairwise in place, neighbours first, an odd
/// last one moving up unchanged; then y_i <- alpha t + beta y_i.
template <class T>
__global__ void __launch_bounds__(result_rows* result_threads)
    finish_rows_kernel(index_t results, index_t chunks, accumulators<T> partial, scalar_argument<T> alpha,
                       scalar_argument<T> beta, vector_view<cuda_executor, T> y)
{
    const index_t i = index_t{blockIdx.x} * result_rows + threadIdx.x;
    for (index_t distance = 1; distance < chunks; distance *= 2) {
        for (index_t c = threadIdx.y * 2 * distance; i < results && c + distance < chunks;
             c += result_threads * 2 * distance) {
            accumulator_of<T> left = partial.load(c * results + i);
            left.merge(partial.load((c + distance) * results + i));
            partial.store(c * results + i, left);
        }
        __syncthreads();
    }
    if (i < results && threadIdx.y == 0) {
        const T t = chunks > 0 ? partial.load(i).result() : T{0.0};
        update_element(alpha.load(), t, beta.load(), i, y);
    }
}

template <class T>
void finish_rows(const cuda_executor& exec, const char* op, index_t chunks, accumulators<T> partial,
                 const scalar_argument<T>& alpha, const scalar_argument<T>& beta, vector_view<cuda_executor, T> y)
{
    const auto blocks = static_cast<unsigned>((y.size + result_rows - 1) / result_rows);
    finish_rows_kernel<T>
        <<<blocks, dim3(result_rows, result_threads), 0, exec.stream>>>(y.size, chunks, partial, alpha, beta, y);
    require_cuda(op, cudaGetLastError());
}

}  // namespace residua::blas::detail
