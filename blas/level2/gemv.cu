#include <residua/blas/level2/gemv.hpp>

#include <residua/blas/base/check.hpp>
#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/row_results.cuh>

namespace residua::blas {
namespace {

/// Threads of a block, a row each, and the stages of columns that they have under way. Many blocks hide each other's
/// waiting; in step, without a second stage, they read the memory in the better order.
struct many_rows {
    static constexpr int block = 64;
    static constexpr int stages = 1;
};
struct few_rows {
    static constexpr int block = 128;
    static constexpr int stages = 2;
};

/// A thread sums `run` chunks of the columns of one row; neighbours have neighbouring rows.
template <class Shape, class V, class T>
__global__ void __launch_bounds__(Shape::block)
    sum_chunks(matrix_view<cuda_executor, const V> a, vector_view<cuda_executor, const T> x, index_t run,
               detail::accumulators<T> partial)
{
    constexpr int words = number_traits<V>::terms;
    constexpr int period = static_cast<int>(detail::tidy_period<T>);  // columns of a stage
    using column_view = vector_view<cuda_executor, const V>;
    using ring = detail::read_ahead<Shape::block, period * words, Shape::stages>;
    extern __shared__ double shared[];
    detail::let_next_start();

    const index_t first = index_t{blockIdx.y} * run * gemv_chunk;
    const index_t left = a.cols - first;
    const int count = static_cast<int>(left < run * gemv_chunk ? left : run * gemv_chunk);
    const index_t row = index_t{blockIdx.x} * Shape::block + threadIdx.x;
    const bool mine = row < a.rows;
    ring ahead(shared);
    const auto fetch = [&](int j) {
#pragma unroll
        for (int s = 0; s < period; ++s) {
            if (j + s < count) {
                const column_view column{a.data + (first + j + s) * a.ld, a.rows, a.plane_stride};
                ahead.fetch(s * words, column, mine ? row : 0, mine);
            }
        }
        ahead.fetched();
    };
    for (int s = 0; s < Shape::stages; ++s) {
        fetch(s * period);
    }
    const vector_view<cuda_executor, T> factor{shared + ring::shared_words, run * gemv_chunk, run * gemv_chunk};
    for (int j = static_cast<int>(threadIdx.x); j < count; j += Shape::block) {
        factor.store(j, x.load(first + j));
    }
    __syncthreads();

    const auto sum_chunk = [&](index_t c) {
        const int begin = static_cast<int>(c * gemv_chunk);
        const int end = begin + gemv_chunk < count ? begin + static_cast<int>(gemv_chunk) : count;
        detail::accumulator_of<T> sum;
        for (int j = begin; j < end; j += period) {
            ahead.wait();
            if (j + period <= end) {
                residua::detail::unroll<period>([&](int s) __attribute__((always_inline)) {
                    detail::add_product(sum, ahead.template take<column_view>(s * words), factor.load(j + s));
                });
            } else {
                for (int s = 0; s < end - j; ++s) {
                    detail::add_product(sum, ahead.template take<column_view>(s * words), factor.load(j + s));
                }
            }
            detail::tidy(sum);
            fetch(j + Shape::stages * period);
        }
        return sum;
    };
    const auto sum = detail::merge_run<T>(0, (count + gemv_chunk - 1) / gemv_chunk, sum_chunk);
    if (mine) {
        partial.store(blockIdx.y * a.rows + row, sum);
    }
}

/// Queues sum_chunks for `chunks` runs.
template <class Shape, class V, class T>
void sum_rows(const cuda_executor& exec, matrix_view<cuda_executor, const V> a, vector_view<cuda_executor, const T> x,
              index_t run, index_t runs, detail::accumulators<T> partial)
{
    constexpr int stage = static_cast<int>(detail::tidy_period<T>) * number_traits<V>::terms * Shape::block;
    const auto words = static_cast<std::size_t>(stage * Shape::stages + number_traits<T>::terms * run * gemv_chunk);
    const dim3 grid(static_cast<unsigned>((a.rows + Shape::block - 1) / Shape::block), static_cast<unsigned>(runs));
    sum_chunks<Shape, V, T><<<grid, Shape::block, words * sizeof(double), exec.stream>>>(a, x, run, partial);
    require_cuda("gemv", cudaGetLastError());
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
    // memory is what the short formats wait for
    constexpr index_t many = 1 << 12;  // blocks: more than a device has at a time
    const bool full = number_traits<T>::terms <= 4 && (a.rows / many_rows::block) * chunks >= many;
    index_t run = 1;
    while (full && run < 4 && 2 * run * many <= (a.rows / many_rows::block) * chunks) {
        run *= 2;
    }
    const index_t runs = (chunks + run - 1) / run;
    const device_guard current(exec);
    detail::accumulator_buffer<T> partial(exec, detail::partial_sums(a.rows, runs));
    if (full) {
        if constexpr (number_traits<T>::terms <= 4) {
            sum_rows<many_rows, V, T>(exec, a, x, run, runs, partial.view());
        }
    } else if (chunks > 0) {
        sum_rows<few_rows, V, T>(exec, a, x, run, runs, partial.view());
    }
    detail::finish_rows<T>(exec, "gemv", runs, partial.view(), alpha, beta, y);
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
