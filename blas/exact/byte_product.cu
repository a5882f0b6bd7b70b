#include <residua/blas/exact/byte_product.cuh>

#include <residua/blas/base/cublas.cuh>

namespace residua::blas::detail {
namespace {

constexpr const char* op = "gemm_exact";

struct store_words {
    std::uint64_t* word;
    index_t stride;

    __device__ void operator()(index_t e, const long_integer& sum) const
    {
        for (int w = 0; w < sum.words; ++w) {
            word[w * stride + e] = sum.word[w * sum.stride];
        }
    }
};

}  // namespace

void multiply_planes(const cuda_executor& exec, const byte_planes& a, const byte_planes& b, index_t first,
                     index_t count, std::int32_t* product)
{
    const device_guard current(exec);
    const std::int32_t one = 1;
    const std::int32_t zero = 0;
    require_cublas(op, cublas(op).gemm_strided_batched_ex(cublas_of(op, exec), CUBLAS_OP_T, CUBLAS_OP_N, a.vectors(),
                                                          count, a.ld(), &one, a.data(), CUDA_R_8I, a.ld(), a.size(),
                                                          b.data() + first * b.ld(), CUDA_R_8I, b.ld(), b.size(), &zero,
                                                          product, CUDA_R_32I, a.vectors(), a.vectors() * count,
                                                          a.planes(), CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
}

void multiply_bytes(const cuda_executor& exec, const byte_planes& a, const byte_planes& b, index_t first, index_t count,
                    const byte_moduli& moduli, std::uint64_t* c, index_t stride)
{
    multiply_bytes(op, exec, a, b, first, count, moduli, store_words{c, stride});
}

}  // namespace residua::blas::detail
