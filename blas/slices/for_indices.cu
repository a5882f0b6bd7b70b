#include <residua/blas/slices/for_indices.hpp>

#include <algorithm>
#include <climits>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/cublas.cuh>
#include <residua/blas/base/launch.cuh>

namespace residua::blas::detail {
namespace {

constexpr int threads = 256;

template <class F>
__global__ void __launch_bounds__(threads) calls_kernel(index_t calls, const __grid_constant__ F f)
{
    wait_and_trigger();
    const index_t k = index_t{blockIdx.x} * threads + threadIdx.x;
    if (k < calls) {
        f(k);
    }
}

/// The vectors that a block looks at, and the number of their elements.
constexpr int vectors_of_block = 32;
constexpr index_t elements_of_block = 512;

constexpr unsigned most_blocks = 1024;  // for more elements, blocks look at several parts

struct found_exponents {
    int* exponent;
    int* last;
    int* special;
};

__global__ void start_kernel(index_t count, found_exponents to)
{
    wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * threads + threadIdx.x;
    if (i < count) {
        to.exponent[i] = INT_MIN;
        to.last[i] = INT_MAX;
        to.special[i] = 0;
    }
}

/// Finds exponents. The lanes of a warp go along a vector if its elements lie side by side, else across vectors.
__global__ void __launch_bounds__(threads) look_kernel(sliced_vectors x, index_t n, found_exponents to)
{
    wait_and_trigger();
    constexpr int warps = threads / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const bool along = x.along == 1;
    for (int v = along ? warp : 0; v < (along ? vectors_of_block : 1); v += warps) {
        const index_t i = index_t{blockIdx.x} * vectors_of_block + (along ? v : lane);
        if (i >= x.count) {
            continue;
        }
        seen_numbers seen;
        for (index_t first = blockIdx.y * elements_of_block; first < n; first += gridDim.y * elements_of_block) {
            const index_t end = n - first < elements_of_block ? n : first + elements_of_block;
            for (index_t l = first + (along ? lane : warp); l < end; l += along ? 32 : warps) {
                seen.look(x.get(l, i));
            }
        }
        if (along) {  // all lanes of the warp have this vector
            seen.exponent = __reduce_max_sync(~0u, seen.exponent);
            seen.last = __reduce_min_sync(~0u, seen.last);
            seen.special = __any_sync(~0u, seen.special);
            if (lane > 0) {
                continue;
            }
        }
        if (seen.any()) {
            atomicMax(to.exponent + i, seen.exponent);
            atomicMin(to.last + i, seen.last);
        }
        if (seen.special) {
            atomicOr(to.special + i, 1);
        }
    }
}

__global__ void widest_kernel(index_t count, found_exponents of, int* widest)
{
    wait_and_trigger();
    const index_t i = index_t{blockIdx.x} * threads + threadIdx.x;
    if (i < count) {
        if (of.exponent[i] == INT_MIN) {
            of.exponent[i] = 0;
        } else {
            atomicMax(widest, of.exponent[i] - of.last[i]);
        }
    }
}

__global__ void __launch_bounds__(threads) greatest_kernel(index_t count, const int* x, int* to)
{
    wait_and_trigger();
    int greatest = 0;
    for (index_t i = index_t{blockIdx.x} * threads + threadIdx.x; i < count; i += index_t{gridDim.x} * threads) {
        greatest = x[i] > greatest ? x[i] : greatest;
    }
    greatest = __reduce_max_sync(~0u, greatest);
    if (threadIdx.x % 32 == 0) {
        atomicMax(to, greatest);
    }
}

unsigned blocks_for(index_t n, index_t of_block) { return static_cast<unsigned>((n + of_block - 1) / of_block); }

}  // namespace

template <class F>
void for_indices(const cuda_executor& exec, const char* op, index_t calls, const F& f)
{
    if (calls == 0) {
        return;  // an empty grid is a launch error
    }
    const device_guard current(exec);
    launch(exec, op, blocks_for(calls, threads), threads, calls_kernel<F>, calls, f);
}

#define RESIDUA_INSTANTIATE(...) \
    template void for_indices(const cuda_executor&, const char*, index_t, const __VA_ARGS__&);
RESIDUA_FOR_EACH_SLICE_FUNCTION(RESIDUA_INSTANTIATE, float)
RESIDUA_FOR_EACH_SLICE_FUNCTION(RESIDUA_INSTANTIATE, double)
RESIDUA_INSTANTIATE(make_slice<std::int8_t, digit_part>)
RESIDUA_INSTANTIATE(add_integers<std::int32_t>)
RESIDUA_INSTANTIATE(store_product<integer_sum>)
RESIDUA_FOR_EACH_ROW_FUNCTION(RESIDUA_INSTANTIATE, compressed_rows)
RESIDUA_FOR_EACH_ROW_FUNCTION(RESIDUA_INSTANTIATE, sliced_rows)

int find_exponents(const cuda_executor& exec, const sliced_vectors& x, index_t n, const slice_exponents& to)
{
    if (x.count == 0) {
        return 0;
    }
    constexpr const char* op = "exponents";
    const device_guard current(exec);
    buffer<cuda_executor, int> last(x.count, exec);
    buffer<cuda_executor, int> widest(1, exec);
    const found_exponents found{to.exponent, last.data(), to.special};
    launch(exec, op, blocks_for(x.count, threads), threads, start_kernel, x.count, found);
    if (n > 0) {
        const dim3 grid(blocks_for(x.count, vectors_of_block), std::min(blocks_for(n, elements_of_block), most_blocks));
        launch(exec, op, grid, threads, look_kernel, x, n, found);
    }
    launch(exec, op, blocks_for(x.count, threads), threads, widest_kernel, x.count, found, widest.data());
    return fetch(exec, widest.data());
}

template <class T>
void multiply_slices(const cuda_executor& exec, const sliced_product& shape, index_t length, const T* a, const T* b,
                     index_t ld, typename slice_sum<T>::type* c, bool adds)
{
    using sum_type = typename slice_sum<T>::type;
    constexpr const char* op = "gemm_ozaki";
    const device_guard current(exec);
    const sum_type alpha = 1;
    const sum_type beta = adds ? 1 : 0;
    cublasHandle_t handle = cublas_of(op, exec);
    const cublas_functions& call = cublas(op);
    if constexpr (std::is_same_v<T, float>) {
        require_cublas(op, call.sgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, shape.ld, shape.cols, length, &alpha, a, ld, b,
                                      ld, &beta, c, shape.ld));
    } else if constexpr (std::is_same_v<T, double>) {
        require_cublas(op, call.dgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, shape.ld, shape.cols, length, &alpha, a, ld, b,
                                      ld, &beta, c, shape.ld));
    } else {  // tensor cores need sizes that are multiples of 16; slices are padded with zeros
        require_cublas(op, call.gemm_ex(handle, CUBLAS_OP_T, CUBLAS_OP_N, shape.ld, padded_slice(shape.cols),
                                        padded_slice(length), &alpha, a, CUDA_R_8I, ld, b, CUDA_R_8I, ld, &beta, c,
                                        CUDA_R_32I, shape.ld, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    }
}

template void multiply_slices(const cuda_executor&, const sliced_product&, index_t, const float*, const float*, index_t,
                              float*, bool);
template void multiply_slices(const cuda_executor&, const sliced_product&, index_t, const double*, const double*,
                              index_t, double*, bool);
template void multiply_slices(const cuda_executor&, const sliced_product&, index_t, const std::int8_t*,
                              const std::int8_t*, index_t, std::int32_t*, bool);

int max_of(const cuda_executor& exec, const int* x, index_t count)
{
    constexpr const char* op = "greatest";
    if (count == 0) {
        return 0;
    }
    const device_guard current(exec);
    buffer<cuda_executor, int> found(1, exec);
    launch(exec, op, std::min(blocks_for(count, threads), most_blocks), threads, greatest_kernel, count, x,
           found.data());
    return fetch(exec, found.data());
}

int fetch(const cuda_executor& exec, const int* x)
{
    int value = 0;
    residua::detail::cuda_copy_out(exec, &value, x, sizeof value);
    return value;
}

}  // namespace residua::blas::detail
