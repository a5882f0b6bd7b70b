#include <residua/blas/multidigit/for_indices.hpp>

#include <residua/blas/base/mapped_memory.cuh>
#include <residua/blas/level1/elementwise.cuh>
#include <residua/blas/multidigit/launch.cuh>
#include <residua/blas/multidigit/matrix_elements.hpp>

namespace residua::blas::detail {

template <class F>
void for_indices(const cuda_executor& exec, const char* op, const multidigit_format& format, index_t n, const F& f,
                 double)
{
    run_on_device(exec, op, format, n, f);
}

template void for_indices(const cuda_executor&, const char*, const multidigit_format&, index_t, const multidigit_axpy&,
                          double);
template void for_indices(const cuda_executor&, const char*, const multidigit_format&, index_t,
                          const multidigit_scaling&, double);
template void for_indices(const cuda_executor&, const char*, const multidigit_format&, index_t,
                          const multidigit_combine&, double);
template void for_indices(const cuda_executor&, const char*, const multidigit_format&, index_t,
                          const multidigit_solve_column&, double);
template void for_indices(const cuda_executor&, const char*, const multidigit_format&, index_t,
                          const multidigit_from_terms&, double);

namespace {

struct fill_from {
    multidigit_scalar a;
    multidigit_result y;

    __device__ void operator()(index_t i) const
    {
        std::uint32_t* const to = y.start.number(i * y.stride);
        to[y.start.digits * residua::detail::words_apart] =
            static_cast<std::uint32_t>(a.exponent) ^ residua::detail::highest_bit;
        for (int k = 0; k < y.start.digits; ++k) {
            const std::uint64_t pair = a.d[multidigit_scalar::digits - 1 - k / 2];
            const auto word = static_cast<std::uint32_t>(k % 2 == 0 ? pair >> 32 : pair);
            to[(y.start.digits - 1 - k) * residua::detail::words_apart] =
                k == 0 ? (word & ~residua::detail::highest_bit) | (a.negative ? residua::detail::highest_bit : 0)
                       : word;
        }
    }
};

constexpr int search_threads = 256;

/// Finds the largest of the numbers that the threads of a block look at: of numbers 0, ..., n - 1, or of `places`.
__global__ void __launch_bounds__(search_threads)
    largest_kernel(index_t n, const index_t* places, multidigit_operand x, index_t* to)
{
    wait_and_trigger();
    const auto place = [&](index_t i) { return places == nullptr ? i : places[i]; };
    const index_t first = index_t{blockIdx.x} * search_threads + threadIdx.x;
    index_t best = place(first < n ? first : n - 1);
    const auto compare_with_best = [&](index_t i) {
        const bool larger = is_larger(x, i, best);
        best = larger || (i < best && !is_larger(x, best, i)) ? i : best;
    };
    for (index_t i = first; i < n; i += index_t{gridDim.x} * search_threads) {
        compare_with_best(place(i));
    }
    __shared__ index_t of_thread[search_threads];
    of_thread[threadIdx.x] = best;
    for (int half = search_threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (static_cast<int>(threadIdx.x) < half) {
            compare_with_best(of_thread[threadIdx.x + half]);
            of_thread[threadIdx.x] = best;
        }
    }
    if (threadIdx.x == 0) {
        to[blockIdx.x] = best;
    }
}

}  // namespace

void copy_words(const cuda_executor& exec, const multidigit_operand& x, index_t n, const multidigit_result& y)
{
    run_elementwise(exec, "copy", n, multidigit_copy{x, y});
}

template <class F>
void words_for_indices(const cuda_executor& exec, const char* op, const multidigit_format&, index_t n, const F& f)
{
    run_elementwise(exec, op, n, f);
}

template void words_for_indices(const cuda_executor&, const char*, const multidigit_format&, index_t,
                                const multidigit_resize&);
template void words_for_indices(const cuda_executor&, const char*, const multidigit_format&, index_t,
                                const multidigit_to_terms&);

void fill_words(const cuda_executor& exec, const multidigit_scalar& a, index_t n, const multidigit_result& y)
{
    run_elementwise(exec, "fill", n, fill_from{a, y});
}

index_t place_of_largest(const cuda_executor& exec, const multidigit_operand& x, index_t n)
{
    constexpr index_t most_blocks = 512;
    const index_t wanted = (n + search_threads - 1) / search_threads;
    const index_t blocks = wanted < most_blocks ? wanted : most_blocks;
    const device_guard current(exec);
    buffer<cuda_executor, index_t> of_block(blocks, exec);
    static thread_local mapped_memory<index_t> box;
    index_t* const result = box.get(1);
    launch(exec, "norm_inf", static_cast<unsigned>(blocks), search_threads, largest_kernel, n,
           static_cast<const index_t*>(nullptr), x, of_block.data());
    launch(exec, "norm_inf", 1, search_threads, largest_kernel, blocks, static_cast<const index_t*>(of_block.data()), x,
           result);
    synchronize(exec);
    return *result;
}

multidigit_result mailbox(const cuda_executor& exec, const multidigit_format& format)
{
    constexpr std::size_t most = multidigit_most_bits / 32 + 1;
    static thread_local mapped_memory<std::uint32_t> box;
    const device_guard current(exec);
    return {{box.get(most * residua::detail::words_apart), 0, format.digits()}, 1};
}

multidigit_number fetch(const cuda_executor& exec, const multidigit_format& format, const multidigit_result& from)
{
    synchronize(exec);
    return {format, residua::detail::load<std::uint64_t, multidigit_scalar::digits>(from.start, 0)};
}

}  // namespace residua::blas::detail
