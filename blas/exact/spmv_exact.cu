#include <residua/blas/exact/spmv_exact.hpp>

#include <algorithm>
#include <optional>
#include <type_traits>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/exact/sparse_product.hpp>
#include <residua/blas/multidigit/launch.cuh>

namespace residua::blas {
namespace {

using namespace detail;

constexpr int threads = 128;
using counter = unsigned long long;

/// The most digits of numbers whose rows are tried in windows. More take too many registers, and too long to compile.
template <class Of>
inline constexpr int most_window_digits = std::is_same_v<Of, exact_digits> ? 16 : 32;

/// The blocks that a multiprocessor is to hold at once, as measured: a sum of short factors takes few registers, a
/// product of two long numbers twice as many as one number.
template <int N, class Of>
inline constexpr int blocks_of_windows = std::is_same_v<Of, exact_digits> ? blocks_at_once<2 * N + 1>
                                         : N <= 8                         ? 10
                                         : N <= 14                        ? 8
                                         : N <= 27                        ? 6
                                                                          : 4;

/// Element i <- the sum of row i, of any spread, whose words lie at `memory`.
template <class Of>
__device__ __noinline__ void store_any(const sparse_exact_product<Of, exact_digits>& product,
                                       const exact_digits_result& y, index_t i, std::uint64_t* memory, int words)
{
    row_sum<Of, exact_digits> sum(product, vector_extent::none, y.p, {memory, 1, words});
    sum.store(i, y, i);
}

/// Element i <- the sum of row i, whose factors are not all short: by an exact_window if that holds it, else in memory.
template <int N, class Of>
__device__ __noinline__ void store_unusual(const row_in_window<Of>& window, index_t i)
{
    if (!window.template store<device_digit, N>(i)) {
        constexpr int product_digits = N + (N > 2 && !row_in_window<Of>::binary64 ? N : 2);
        constexpr int words = row_sum<Of, exact_digits>::words_for(32 * product_digits, 32 * N);
        std::uint64_t memory[words];
        store_any(window.product, window.y, i, memory, words);
    }
}

/// Sums rows, in windows first. Each thread has a row.
template <int N, class Of>
__global__ void __launch_bounds__(multidigit_threads, blocks_of_windows<N, Of>)
    window_kernel(index_t rows, const __grid_constant__ row_in_window<Of> window)
{
    wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * multidigit_threads + threadIdx.x;
    if (i >= rows) {
        return;
    }
    if constexpr (row_in_window<Of>::binary64) {
        if (window.template store_short<device_digit, N>(i)) {
            return;
        }
    }
    store_unusual<N>(window, i);
}

/// The maximum of finite_top() over all elements, less vector_extent::none; 0 if no element is finite and nonzero.
template <class X>
__global__ void __launch_bounds__(threads) top_kernel(index_t n, const __grid_constant__ X x, counter* top)
{
    wait_and_trigger();
    std::int64_t best = vector_extent::none;
    for (index_t j = index_t{blockIdx.x} * threads + threadIdx.x; j < n; j += index_t{gridDim.x} * threads) {
        const std::int64_t here = finite_top(x, j);
        best = here > best ? here : best;
    }
    atomicMax(top, static_cast<counter>(best - vector_extent::none));
}

/// Sums rows of any spread. `memory` has the words of each thread's sum, word k of all threads side by side.
template <class Of, class X, class Result>
__global__ void __launch_bounds__(threads)
    rows_kernel(index_t rows, const __grid_constant__ sparse_exact_product<Of, X> product, const counter* top, int p,
                std::uint64_t* memory, int words, Result y, index_t y_stride)
{
    wait_and_trigger();
    const index_t all = index_t{gridDim.x} * threads;
    const index_t me = index_t{blockIdx.x} * threads + threadIdx.x;
    const std::int64_t top_of_x = vector_extent::none + (top == nullptr ? 0 : static_cast<std::int64_t>(*top));
    row_sum<Of, X> sum(product, top_of_x, p, {memory + me, all, words});
    for (index_t i = me; i < rows; i += all) {
        sum.store(i, y, i * y_stride);
    }
}

/// The blocks for rows that are summed in memory: as many as a device holds, or as have room in 64 MiB.
unsigned blocks_for_sums(index_t rows, int words)
{
    constexpr index_t most_threads = 132 * 512;
    const index_t fitting = (index_t{1} << 26) / (8 * words);
    return blocks_for(std::min(rows, std::min(most_threads, fitting)));
}

template <class Of, class X, class T>
void sum_rows(const cuda_executor& exec, const sparse_exact_product<Of, X>& product,
              const exact_vector_operands<cuda_executor, T>& of)
{
    const int p = exact_precision(of.y);
    const int words = row_sum<Of, X>::words(product, p);
    const unsigned blocks = blocks_for_sums(of.y.size, words);
    buffer<cuda_executor, std::uint64_t> memory(index_t{blocks} * threads * words, exec, uninitialized{});
    std::optional<buffer<cuda_executor, counter>> top;
    if (product.bits > 0 && of.x.size > 0) {
        top.emplace(1, exec);
        launch(exec, of.op, std::min(blocks_for(of.x.size), 1056U), threads, top_kernel<X>, of.x.size, product.x,
               top->data());
    }
    const auto y = exact_result(exec, of.y);
    launch(exec, of.op, blocks, threads, rows_kernel<Of, X, std::remove_const_t<decltype(y)>>, of.y.size, product,
           top ? top->data() : nullptr, p, memory.data(), words, y, stride_of(of.y));
}

/// Sums rows in windows. Returns false, and does nothing, if numbers are too long for that.
template <class Of>
bool sum_in_windows(const cuda_executor& exec, const sparse_exact_product<Of, exact_digits>& product,
                    const exact_vector_operands<cuda_executor, multidigit>& of)
{
    const row_in_window<Of> window{product, exact_result(exec, of.y)};
    bool fits = false;
    with_device_size(of.y.format, [&]<int N>() {
        if constexpr (N <= most_window_digits<Of>) {
            launch(exec, of.op, blocks_for(of.y.size), multidigit_threads, window_kernel<N, Of>, of.y.size, window);
            fits = true;
        }
    });
    return fits;
}

}  // namespace

template <class T, class A>
void detail::multiply_exactly(const cuda_executor& exec, const A& a, const exact_vector_operands<cuda_executor, T>& of)
{
    const auto owner = exact_product_of(exec, a, of);
    const auto product = reading(owner);
    if (of.y.size == 0) {
        return;
    }
    const device_guard current(exec);
    if constexpr (std::same_as<T, multidigit>) {
        if (fits_window(a, of) && sum_in_windows(exec, product, of)) {
            return;
        }
    }
    blas::sum_rows(exec, product, of);
}

#define RESIDUA_INSTANTIATE(V, T)                                                                     \
    template void detail::multiply_exactly(const cuda_executor&, const csr<cuda_executor, V>&,        \
                                           const exact_vector_operands<cuda_executor, T>&);           \
    template void detail::multiply_exactly(const cuda_executor&, const sliced_ell<cuda_executor, V>&, \
                                           const exact_vector_operands<cuda_executor, T>&);
RESIDUA_FOR_EACH_EXACT_PAIR(RESIDUA_INSTANTIATE)

}  // namespace residua::blas
