#include <residua/blas/level3/gemm.hpp>

#include <residua/blas/base/accumulators.cuh>
#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/update_rows.hpp>

namespace residua::blas {
namespace {

constexpr int rows = 32;  // of C in a block: a warp reads them in a row
constexpr int cols = 4;
constexpr int levels = 13;  // of sums that wait for their neighbour: 2^12 chunks

/// A thread sums one entry of C.
template <class T>
__global__ void __launch_bounds__(rows* cols)
    multiply(scalar_argument<T> alpha, matrix_view<cuda_executor, const T> a, matrix_view<cuda_executor, const T> b,
             scalar_argument<T> beta, matrix_view<cuda_executor, T> c)
{
    constexpr index_t period = detail::tidy_period<T>;
    const index_t i = index_t{blockIdx.x} * rows + threadIdx.x;
    const index_t j = index_t{blockIdx.y} * cols + threadIdx.y;
    if (i >= c.rows || j >= c.cols) {
        return;
    }
    const vector_view<cuda_executor, const T> right{b.data + j * b.ld, b.rows, b.plane_stride};
    detail::accumulator_of<T> waiting[levels];
    int depth = 0;
    const index_t chunks = (a.cols + gemv_chunk - 1) / gemv_chunk;
    for (index_t chunk = 0; chunk < chunks; ++chunk) {
        const index_t first = chunk * gemv_chunk;
        const index_t last = first + gemv_chunk < a.cols ? first + gemv_chunk : a.cols;
        detail::accumulator_of<T> sum;
        for (index_t k = first; k < last; ++k) {
            const vector_view<cuda_executor, const T> left{a.data + k * a.ld, a.rows, a.plane_stride};
            detail::add_product(sum, left.load(i), right.load(k));
            if ((k - first) % period == period - 1 || k == last - 1) {
                detail::tidy(sum);
            }
        }
        for (index_t n = chunk; depth > 0 && (chunk + 1 == chunks || n % 2 == 1); n /= 2) {
            detail::accumulator_of<T> before = waiting[--depth];
            before.merge(sum);
            sum = before;
        }
        waiting[depth++] = sum;
    }
    const T t = depth > 0 ? waiting[0].result() : T{0.0};
    detail::update_element(alpha.load(), t, beta.load(), i,
                           vector_view<cuda_executor, T>{c.data + j * c.ld, c.rows, c.plane_stride});
}

}  // namespace

template <number T>
void gemm(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& alpha,
          in_matrix<cuda_executor, T> a, in_matrix<cuda_executor, T> b,
          const std::type_identity_t<scalar_argument<T>>& beta, matrix_view<cuda_executor, T> c)
{
    require_equal("gemm", "rows of A and C", a.rows, c.rows);
    require_equal("gemm", "columns of B and C", b.cols, c.cols);
    require_equal("gemm", "columns of A and rows of B", a.cols, b.rows);
    constexpr index_t most_terms = gemv_chunk << (levels - 1);
    constexpr index_t most_cols = index_t{65535} * cols;  // blocks in the second direction
    if (a.cols > most_terms || c.cols > most_cols) {
        throw unsupported_error("gemm: on a CUDA device A has at most " + std::to_string(most_terms) +
                                " columns and B " + std::to_string(most_cols));
    }
    if (c.rows == 0 || c.cols == 0) {
        return;
    }
    const dim3 grid(static_cast<unsigned>((c.rows + rows - 1) / rows),
                    static_cast<unsigned>((c.cols + cols - 1) / cols));
    const device_guard current(exec);
    multiply<T><<<grid, dim3(rows, cols), 0, exec.stream>>>(alpha, a, b, beta, c);
    require_cuda("gemm", cudaGetLastError());
}

#define RESIDUA_INSTANTIATE(...)                                                                                  \
    template void gemm<__VA_ARGS__>(const cuda_executor&, const scalar_argument<__VA_ARGS__>&,                    \
                                    in_matrix<cuda_executor, __VA_ARGS__>, in_matrix<cuda_executor, __VA_ARGS__>, \
                                    const scalar_argument<__VA_ARGS__>&, matrix_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
