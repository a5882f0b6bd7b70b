#include <residua/blas/exact/digit_product.hpp>

#include <algorithm>
#include <cstdint>

#include <residua/blas/base/cublas.cuh>
#include <residua/blas/base/launch.cuh>

namespace residua::blas::detail {
namespace {

constexpr int threads = 128;
constexpr int warp = 32;
constexpr int elements_at_once = 4;
constexpr int most_shared = 200000;                              // bytes
constexpr std::uint64_t halves = 0x8080808080808080;             // 128 in each byte
constexpr index_t most_terms = (index_t{1} << 17) - byte_group;  // 2^14 each, below 2^31
constexpr index_t few_vectors = 64;
constexpr index_t terms_of_few = 8192;  // these are a product of their own, so that there are many products

/// Makes the digits of x: the bytes of x + 128 (1 + 256 + ...), less 128 each.
__global__ void __launch_bounds__(threads) to_digits_kernel(integer_vectors x, int planes, std::int8_t* to)
{
    const index_t size = x.vectors * x.ld;
    const index_t first = (index_t{blockIdx.x} * threads + threadIdx.x) * elements_at_once;
    if (first >= size) {
        return;
    }
    bool carry[elements_at_once] = {};
    std::uint64_t word[elements_at_once] = {};
    for (int w = 0; 8 * w < planes; ++w) {
        std::uint64_t digits[elements_at_once];
#pragma unroll
        for (int e = 0; e < elements_at_once; ++e) {
            // beyond the words all bits are the sign
            word[e] = w < x.words ? __ldg(x.word + w * x.stride + first + e)
                                  : static_cast<std::uint64_t>(static_cast<std::int64_t>(word[e]) >> 63);
            const std::uint64_t sum = word[e] + halves;
            const std::uint64_t all = sum + (carry[e] ? 1 : 0);
            carry[e] = sum < halves || all < sum;
            digits[e] = all ^ halves;
        }
        for (int k = 0; k < 8 && 8 * w + k < planes; ++k) {
            *reinterpret_cast<char4*>(to + (8 * w + k) * size + first) = {
                static_cast<signed char>(digits[0] >> 8 * k), static_cast<signed char>(digits[1] >> 8 * k),
                static_cast<signed char>(digits[2] >> 8 * k), static_cast<signed char>(digits[3] >> 8 * k)};
        }
    }
}

/// Products of digits. The product of plane p of vector i of A with plane b of x, for part k, is
/// data[((k * planes_of_a + p) * vectors + i) * columns + b].
struct digit_products {
    const std::int32_t* data;
    index_t vectors;
    index_t parts;
    int planes_of_a;
    int planes_of_x;
    int columns;
};

/// Each warp has a sum. It adds up the products of each weight, and carries go from one weight to the next.
__global__ void __launch_bounds__(threads)
    add_digits_kernel(digit_products products, std::uint64_t* sums, index_t stride, int words)
{
    extern __shared__ std::int64_t of_weight[];
    const auto lane = static_cast<int>(threadIdx.x) % warp;
    const auto own = static_cast<int>(threadIdx.x) / warp;
    const index_t i = index_t{blockIdx.x} * (blockDim.x / warp) + own;
    std::int64_t* const mine = of_weight + own * 8 * words;
    if (i >= products.vectors) {
        return;
    }
    const index_t plane = products.vectors * products.columns;
    for (int s = lane; s < 8 * words; s += warp) {
        std::int64_t sum = 0;
        const int begin = max(0, s - products.planes_of_x + 1);
        const int end = min(products.planes_of_a, s + 1);
        for (index_t k = 0; k < products.parts; ++k) {
            const std::int32_t* const of =
                products.data + (k * products.planes_of_a * products.vectors + i) * products.columns + s;
#pragma unroll 4
            for (int p = begin; p < end; ++p) {
                sum += __ldg(of + p * plane - p);
            }
        }
        mine[s] = sum;
    }
    __syncwarp();
    if (lane == 0) {
        std::int64_t carry = 0;
        for (int w = 0; w < words; ++w) {
            std::uint64_t word = 0;
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                carry += mine[8 * w + k];
                word |= static_cast<std::uint64_t>(carry & 255) << 8 * k;
                carry >>= 8;
            }
            sums[w * stride + i] = word;
        }
    }
}

}  // namespace

digit_planes::digit_planes(const char* op, const cuda_executor& exec, const integer_vectors& x, int planes)
    : planes_(planes), vectors_(x.vectors), ld_(x.ld), data_(x.size() * planes, exec, uninitialized{})
{
    if (x.size() == 0) {
        return;
    }
    const device_guard current(exec);
    constexpr index_t of_block = threads * elements_at_once;
    to_digits_kernel<<<static_cast<unsigned>((x.size() + of_block - 1) / of_block), threads, 0, exec.stream>>>(
        x, planes, data_.data());
    require_cuda(op, cudaGetLastError());
}

digit_parts::digit_parts(index_t terms, index_t vectors)
{
    const index_t most = vectors < few_vectors ? terms_of_few : most_terms;
    count = std::max<index_t>(1, (terms + most - 1) / most);
    length = padded_to_group((terms + count - 1) / count);
}

void multiply_digits(const char* op, const cuda_executor& exec, const digit_planes& a, const digit_planes& x,
                     const digit_parts& parts, int planes_of_x, std::uint64_t* sums, index_t stride, int words)
{
    const device_guard current(exec);
    const index_t rows = a.planes() * a.vectors();
    const int columns = x.planes();
    buffer<cuda_executor, std::int32_t> product(parts.count * rows * columns, exec, uninitialized{});
    const std::int32_t one = 1;
    const std::int32_t zero = 0;
    require_cublas(op, cublas(op).gemm_strided_batched_ex(cublas_of(op, exec), CUBLAS_OP_T, CUBLAS_OP_N, columns, rows,
                                                          parts.length, &one, x.data(), CUDA_R_8I, x.ld(), parts.length,
                                                          a.data(), CUDA_R_8I, a.ld(), parts.length, &zero,
                                                          product.data(), CUDA_R_32I, columns, rows * columns,
                                                          parts.count, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    const int bytes_of_warp = 8 * words * static_cast<int>(sizeof(std::int64_t));
    const int warps = std::clamp(most_shared / bytes_of_warp, 1, threads / warp);
    const int bytes = warps * bytes_of_warp;
    allow_shared_memory(exec, op, reinterpret_cast<const void*>(add_digits_kernel), bytes);
    const digit_products products{product.data(), a.vectors(), parts.count, a.planes(), planes_of_x, columns};
    add_digits_kernel<<<static_cast<unsigned>((a.vectors() + warps - 1) / warps), static_cast<unsigned>(warps * warp),
                        static_cast<unsigned>(bytes), exec.stream>>>(products, sums, stride, words);
    require_cuda(op, cudaGetLastError());
}

}  // namespace residua::blas::detail
