#include <residua/blas/level2/gemv.hpp>
#include <residua/blas/level2/gemv2.hpp>

#include <residua/blas/base/instantiate.hpp>
#include <residua/blas/base/read_once.cuh>
#include <residua/blas/base/staged_words.cuh>
#include <residua/blas/level1/row_results.cuh>

namespace residua::blas {
namespace {

constexpr int many_block = 64;  // threads, a row each
constexpr int few_block = 128;

/// Copies x_j for the columns of chunk blockIdx.y to shared memory; returns how many there are.
template <class X>
__device__ int load_factors(index_t columns, const vector_view<cuda_executor, const X>& x,
                            const vector_view<cuda_executor, X>& factor)
{
    const index_t first = index_t{blockIdx.y} * gemv_chunk;
    const int count = static_cast<int>(columns - first < gemv_chunk ? columns - first : gemv_chunk);
    for (int j = static_cast<int>(threadIdx.x); j < count; j += static_cast<int>(blockDim.x)) {
        factor.store(j, x.load(first + j));
    }
    __syncthreads();
    return count;
}

/// A thread sums one chunk of the columns of one row; neighbours have neighbouring rows. For many rows. A has numbers
/// of V, x of X, their sums are of T.
template <class V, class X, class T>
__global__ void __launch_bounds__(many_block)
    sum_chunks(matrix_view<cuda_executor, const V> a, vector_view<cuda_executor, const X> x,
               detail::accumulators<T> partial)
{
    constexpr int period = static_cast<int>(detail::renormalization_period<T>);
    constexpr int ahead = number_traits<V>::terms == 1 ? 2 * period : period;  // columns that are read together
    __shared__ double shared[number_traits<X>::terms * gemv_chunk];
    const vector_view<cuda_executor, X> factor{{shared, gemv_chunk}, gemv_chunk};
    detail::wait_and_trigger();
    const int count = load_factors<X>(a.cols, x, factor);
    const index_t row = index_t{blockIdx.x} * many_block + threadIdx.x;
    if (row >= a.rows) {
        return;
    }
    const auto chunk = a.start.from(blockIdx.y * gemv_chunk * a.ld);
    const auto entry = [&](int j) {
        const vector_view<cuda_executor, const V> column{chunk.from(j * a.ld), a.rows};
        return detail::read_once(column).load(row);
    };
    detail::accumulator_of<T> sum;
    int j = 0;
    for (; j + ahead <= count; j += ahead) {
        V entries[ahead];
        residua::detail::unroll<ahead>([&](int s) __attribute__((always_inline)) { entries[s] = entry(j + s); });
        residua::detail::unroll<ahead>([&](int s) __attribute__((always_inline)) {
            detail::add_product(sum, entries[s], factor.load(j + s));
            if ((s + 1) % period == 0) {
                detail::renormalize(sum);
            }
        });
    }
    for (; j < count; ++j) {
        detail::add_product(sum, entry(j), factor.load(j));
        if (j % period == period - 1 || j == count - 1) {
            detail::renormalize(sum);
        }
    }
    partial.store(blockIdx.y * a.rows + row, sum);
}

/// A thread sums one chunk of one row, from words that are fetched two renormalization periods ahead. This serves few
/// rows, whose threads cannot hide each other's latency, and formats for which memory, not operations, takes the time.
template <class V, class X, class T>
__global__ void __launch_bounds__(few_block)
    sum_chunks_ahead(matrix_view<cuda_executor, const V> a, vector_view<cuda_executor, const X> x,
                     detail::accumulators<T> partial)
{
    constexpr int words = number_traits<V>::terms;
    constexpr int period = static_cast<int>(detail::renormalization_period<T>);  // columns of a stage
    constexpr int stages = 2;
    using column_view = vector_view<cuda_executor, const V>;
    using ring = detail::staged_words<few_block, period * words, stages>;
    __shared__ double words_ahead[ring::shared_words];
    __shared__ double shared[number_traits<X>::terms * gemv_chunk];
    const vector_view<cuda_executor, X> factor{{shared, gemv_chunk}, gemv_chunk};
    detail::wait_and_trigger();

    const index_t first = index_t{blockIdx.y} * gemv_chunk;
    const index_t row = index_t{blockIdx.x} * few_block + threadIdx.x;
    const bool mine = row < a.rows;
    const auto chunk = a.start.from(first * a.ld);
    ring ahead(words_ahead);
    const auto fetch = [&](int j) {
#pragma unroll
        for (int s = 0; s < period; ++s) {
            if (j + s < gemv_chunk && first + j + s < a.cols) {
                ahead.fetch(s * words, column_view{chunk.from((j + s) * a.ld), a.rows}, mine ? row : 0, mine);
            }
        }
        ahead.fetched();
    };
    for (int s = 0; s < stages; ++s) {
        fetch(s * period);
    }
    const int count = load_factors<X>(a.cols, x, factor);
    detail::accumulator_of<T> sum;
    for (int j = 0; j < count; j += period) {
        ahead.wait();
        residua::detail::unroll<period>([&](int s) __attribute__((always_inline)) {
            if (j + s < count) {
                detail::add_product(sum, ahead.template number_at<column_view>(s * words), factor.load(j + s));
            }
        });
        detail::renormalize(sum);
        fetch(j + stages * period);
    }
    if (mine) {
        partial.store(blockIdx.y * a.rows + row, sum);
    }
}

/// Queues the sums of all chunks.
template <class V, class X, class T>
void sum_all_chunks(const cuda_executor& exec, const char* op, matrix_view<cuda_executor, const V> a,
                    vector_view<cuda_executor, const X> x, index_t chunks, detail::accumulators<T> partial)
{
    constexpr index_t enough = 1 << 12;  // blocks: more than a device has at a time
    constexpr bool waits_for_words = number_traits<V>::terms == 2 || number_traits<V>::terms == 3;
    if (chunks > 0 && (waits_for_words || a.rows / many_block * chunks < enough)) {
        // words in flight take room in the first cache too, which shares its memory with shared memory
        detail::prefer_shared_memory<sum_chunks_ahead<V, X, T>>(exec, op, 44);
        const dim3 grid(static_cast<unsigned>((a.rows + few_block - 1) / few_block), static_cast<unsigned>(chunks));
        detail::launch(exec, op, grid, few_block, sum_chunks_ahead<V, X, T>, a, x, partial);
    } else if (chunks > 0) {
        const dim3 grid(static_cast<unsigned>((a.rows + many_block - 1) / many_block), static_cast<unsigned>(chunks));
        detail::launch(exec, op, grid, many_block, sum_chunks<V, X, T>, a, x, partial);
    }
}

template <class V, class X, class T = X>
void multiply_rows(const cuda_executor& exec, const char* op, const detail::gemv_operands<cuda_executor, X, V>& o)
{
    if (o.a.rows == 0) {
        return;
    }
    const index_t chunks = (o.a.cols + gemv_chunk - 1) / gemv_chunk;
    constexpr index_t most_chunks = 65535;  // blocks in the second direction
    if (chunks > most_chunks) {
        throw unsupported_error(std::string(op) + ": more than " + std::to_string(most_chunks * gemv_chunk) +
                                " columns on a CUDA device");
    }
    const device_guard current(exec);
    detail::accumulator_buffer<T> partial(exec, detail::partial_sums(o.a.rows, chunks));
    sum_all_chunks<V, X, T>(exec, op, o.a, o.x, chunks, partial.view());
    detail::finish_rows<T>(exec, op, chunks, partial.view(), o.alpha, o.beta, o.y);
}

}  // namespace

template <class V, number T>
void detail::multiply(const cuda_executor& exec, trans op, const gemv_operands<cuda_executor, T, V>& o)
{
    op == trans::no ? multiply_rows<V, T>(exec, "gemv", o) : multiply_transposed(exec, o);
}

void gemv2(const cuda_executor& exec, const scalar_argument<double>& alpha, in_matrix<cuda_executor, double> a,
           in_vector<cuda_executor, double> x, const scalar_argument<double>& beta,
           vector_view<cuda_executor, double> y)
{
    const detail::gemv_operands<cuda_executor, double> o{alpha, a, x, beta, y};
    detail::require_fitting("gemv2", trans::no, o);
    multiply_rows<double, double, expansion<double, 2>>(exec, "gemv2", o);
}

#define RESIDUA_INSTANTIATE(V, T) \
    template void detail::multiply(const cuda_executor&, trans, const gemv_operands<cuda_executor, T, V>&);
RESIDUA_FOR_EACH_PAIR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
