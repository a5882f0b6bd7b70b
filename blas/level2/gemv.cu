#include <residua/blas/level2/gemv.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/row_results.cuh>

namespace residua::blas {
namespace {

constexpr int block = 64;  // rows

/// Entries of V that a thread reads before it uses the first: a divisor of gemv_chunk, whole tidy_periods.
template <class V, class T, int Own = number_traits<V>::terms>
constexpr int entries_ahead = number_traits<T>::terms <= 4 ? (Own <= 2 ? 16 : 8) : (Own == 1 ? 8 : (Own <= 8 ? 2 : 1));

/// A thread sums one chunk of the columns of one row; neighbours have neighbouring rows.
template <class V, class T>
__global__ void __launch_bounds__(block)
    sum_chunks(matrix_view<cuda_executor, const V> a, vector_view<cuda_executor, const T> x,
               detail::accumulators<T> partial)
{
    constexpr int terms = number_traits<T>::terms;
    constexpr int ahead = entries_ahead<V, T>;
    constexpr index_t period = detail::tidy_period<T>;
    static_assert(gemv_chunk % ahead == 0 && ahead % period == 0);
    __shared__ double shared[terms * gemv_chunk];
    const vector_view<cuda_executor, T> factor{shared, gemv_chunk, gemv_chunk};
    const index_t first = index_t{blockIdx.y} * gemv_chunk;
    const index_t count = a.cols - first < gemv_chunk ? a.cols - first : gemv_chunk;
    for (index_t j = threadIdx.x; j < count; j += block) {
        factor.store(j, x.load(first + j));
    }
    __syncthreads();
    const index_t row = index_t{blockIdx.x} * block + threadIdx.x;
    if (row >= a.rows) {
        return;
    }
    const auto entry = [&](index_t j) {
        return vector_view<cuda_executor, const V>{a.data + (first + j) * a.ld, a.rows, a.plane_stride}.load(row);
    };
    detail::accumulator_of<T> sum;
    index_t j = 0;
    for (; j + ahead <= count; j += ahead) {
        V entries[ahead];
        residua::detail::unroll<ahead>([&](int s) __attribute__((always_inline)) { entries[s] = entry(j + s); });
        residua::detail::unroll<ahead>([&](int s) __attribute__((always_inline)) {
            detail::add_product(sum, entries[s], factor.load(j + s));
            if ((s + 1) % period == 0) {
                detail::tidy(sum);
            }
        });
    }
    for (; j < count; ++j) {
        detail::add_product(sum, entry(j), factor.load(j));
        if (j % period == period - 1 || j == count - 1) {
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
    detail::accumulator_buffer<T> partial(exec, detail::partial_sums(a.rows, chunks));
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
