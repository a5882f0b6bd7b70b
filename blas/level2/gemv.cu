#include <residua/blas/level2/gemv.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/row_results.cuh>

namespace residua::blas {
namespace {

constexpr int block = 128;  // rows

/// A thread sums one chunk of the columns of one row; neighbours have neighbouring rows.
template <class V, class T>
__global__ void __launch_bounds__(block)
    sum_chunks(matrix_view<cuda_executor, const V> a, vector_view<cuda_executor, const T> x,
               detail::accumulators<T> partial)
{
    constexpr index_t period = detail::tidy_period<T>;
    const index_t row = index_t{blockIdx.x} * block + threadIdx.x;
    const index_t first = index_t{blockIdx.y} * gemv_chunk;
    if (row >= a.rows) {
        return;
    }
    const index_t last = first + gemv_chunk < a.cols ? first + gemv_chunk : a.cols;
    detail::accumulator_of<T> sum;
    for (index_t j = first; j < last; ++j) {
        const vector_view<cuda_executor, const V> column{a.data + j * a.ld, a.rows, a.plane_stride};
        detail::add_product(sum, column.load(row), x.load(j));
        if ((j - first) % period == period - 1 || j == last - 1) {
            detail::tidy(sum);
        }
    }
    partial.store(blockIdx.y * a.rows + row, sum);
}

template <class V, class T>
void multiply(const cuda_executor& exec, const scalar_argument<T>& alpha, matrix_view<cuda_executor, const V> a,
              vector_view<cuda_executor, const T> x, const scalar_argument<T>& beta, vector_view<cuda_executor, T> y)
{
    require_equal("gemv", "rows of A and size of y", a.rows, y.size);
    require_equal("gemv", "columns of A and size of x", a.cols, x.size);
    if (a.rows == 0) {
        return;
    }
    const index_t chunks = (a.cols + gemv_chunk - 1) / gemv_chunk;
    constexpr index_t most_chunks = 65535;  // blocks in the second direction
    if (chunks > most_chunks) {
        throw unsupported_error("gemv: more than " + std::to_string(most_chunks * gemv_chunk) +
                                " columns on a CUDA device");
    }
    const device_guard current(exec);
    detail::accumulator_buffer<T> partial(exec, chunks * a.rows);
    if (chunks > 0) {
        const dim3 grid(static_cast<unsigned>((a.rows + block - 1) / block), static_cast<unsigned>(chunks));
        sum_chunks<V, T><<<grid, block, 0, exec.stream>>>(a, x, partial.view());
        require_cuda("gemv", cudaGetLastError());
    }
    detail::finish_rows<T>(exec, "gemv", chunks, partial.view(), alpha, beta, y);
}

}  // namespace

template <number T>
void gemv(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& alpha,
          matrix_view<cuda_executor, const double> a, in_vector<cuda_executor, T> x,
          const std::type_identity_t<scalar_argument<T>>& beta, vector_view<cuda_executor, T> y)
{
    multiply<double, T>(exec, alpha, a, x, beta, y);
}

template <number T>
    requires(number_traits<T>::terms > 1)
void gemv(const cuda_executor& exec, const std::type_identity_t<scalar_argument<T>>& alpha,
          in_matrix<cuda_executor, T> a, in_vector<cuda_executor, T> x,
          const std::type_identity_t<scalar_argument<T>>& beta, vector_view<cuda_executor, T> y)
{
    multiply<T, T>(exec, alpha, a, x, beta, y);
}

#define RESIDUA_INSTANTIATE(...)                                                                             \
    template void gemv<__VA_ARGS__>(const cuda_executor&, const scalar_argument<__VA_ARGS__>&,               \
                                    in_matrix<cuda_executor, double>, in_vector<cuda_executor, __VA_ARGS__>, \
                                    const scalar_argument<__VA_ARGS__>&, vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_FORMAT(RESIDUA_INSTANTIATE)

#define RESIDUA_INSTANTIATE_OWN(...)                                                                              \
    template void gemv<__VA_ARGS__>(const cuda_executor&, const scalar_argument<__VA_ARGS__>&,                    \
                                    in_matrix<cuda_executor, __VA_ARGS__>, in_vector<cuda_executor, __VA_ARGS__>, \
                                    const scalar_argument<__VA_ARGS__>&, vector_view<cuda_executor, __VA_ARGS__>);
RESIDUA_FOR_EACH_EXPANSION(RESIDUA_INSTANTIATE_OWN)

}  // namespace residua::blas
