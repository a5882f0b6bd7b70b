#include <residua/blas/exact/byte_product.hpp>

#include <cstdint>

#include <residua/blas/base/cublas.cuh>
#include <residua/blas/exact/bytes.cuh>

namespace residua::blas::detail {
namespace {

constexpr const char* op = "gemm_exact";
constexpr double whole = 0x1.8p52;  // x + whole - whole is the integer next to x, |x| < 2^51
constexpr unsigned all_lanes = 0xffffffff;

constexpr int elements_at_once = 64;         // of a warp
constexpr int warps_of_block = 4;            // so a block has 256 elements, as byte_group^2 divides their number
constexpr int most_shared = 200000;          // bytes
constexpr int apart = elements_at_once + 8;  // words in shared memory, so that lanes use all banks

/// x mod m, -m / 2 <= result <= m / 2, for a whole |x| < 2^52.
///
/// The quotient is rounded from x / m to within |x| 2^-53 / m, and x / m is 1 / (2 m) away from a half unless m is even.
__device__ double reduced(double x, double m, double reciprocal)
{
    const double quotient = __dsub_rn(__fma_rn(x, reciprocal, whole), whole);
    return __fma_rn(-quotient, m, x);
}

/// A whole number below 2^31 in magnitude; conversions of binary64 are slow, additions are not.
__device__ int to_int(double x) { return __double2loint(__dadd_rn(x, whole)); }
__device__ double shifted_double(int x)  // x + 2^52 + 2^31
{
    return __hiloint2double(0x43300000, x ^ static_cast<int>(0x80000000));
}
__device__ double to_double(int x) { return __dsub_rn(shifted_double(x), 0x1p52 + 0x1p31); }

/// sum += a b, signed bytes of a matrix times those of columns. Lane 4 g + q has rows g and g + 8 of columns 2 q and
/// 2 q + 1.
__device__ void multiply_signed(int (&sum)[4], const int4& a, unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

/// The products of Count planes, of two sums each; where there are no more planes, some others.
template <int Count>
struct plane_products {
    int2 of[Count] = {};

    __device__ void load(const std::int32_t*& product, index_t size, int& left)
    {
#pragma unroll
        for (int k = 0; k < Count; ++k, product += size) {
            if (k < left) {
                of[k] = __ldcs(reinterpret_cast<const int2*>(product));
            }
        }
        left -= Count;
    }
};

/// The y_i of 64 sums, in words of four bytes, from the products of the planes: product[p * size + e], two sums a lane.
///
/// X = sum_i y_i M / m_i - k M with y_i = w_i r_i mod m_i, and |X / M| < 1/4 tells k.
__device__ void keep_residues(const std::int32_t* product, index_t size, const byte_tables& tables, unsigned* residue)
{
    double excess[2] = {};
    const auto keep = [&](unsigned x, unsigned y) {
        *reinterpret_cast<uint2*>(residue) = {x, y};
        residue += apart;
    };
    const auto residue_of = [&](double x, double modulus, double reciprocal, int e) {
        const double r = reduced(x, modulus, reciprocal);
        excess[e] = __fma_rn(-r, reciprocal, excess[e]);
        return r;
    };
    const auto narrow = [&](const int2* p, int first) {
        unsigned y[2][4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const narrow_modulus& m = tables.narrow_of_sum[first + k];
            const double2 of = __ldg(reinterpret_cast<const double2*>(&m.modulus));
            const double factor = __ldg(&m.factor);
            const double offset_of_int = factor * -(0x1p52 + 0x1p31);  // exact
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const double x = __fma_rn(shifted_double(e == 0 ? p[k].x : p[k].y), factor, offset_of_int);
                y[e][k] = static_cast<unsigned>(to_int(residue_of(x, of.x, of.y, e)));
            }
        }
        keep(packed(y[0]), packed(y[1]));
    };
    const auto wide = [&](const int2* p, int first) {
        unsigned y[2][4];
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            const wide_modulus& m = tables.wide_of_sum[first + k];
            const double2 of = __ldg(reinterpret_cast<const double2*>(&m.modulus));
            const double factor[3] = {__ldg(m.factor), __ldg(m.factor + 1), __ldg(m.factor + 2)};
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                double sum = 0.0;
#pragma unroll
                for (int j = 0; j < 3; ++j) {
                    sum = __fma_rn(to_double(e == 0 ? p[3 * k + j].x : p[3 * k + j].y), factor[j], sum);
                }
                const two_digits d(two_digits::start + to_int(residue_of(sum, of.x, of.y, e)));
                y[e][2 * k] = d.low;
                y[e][2 * k + 1] = d.high;
            }
        }
        keep(packed(y[0]), packed(y[1]));
    };
    {
        plane_products<8> p[2];
        const std::int32_t* next = product;
        int left = tables.narrow;
        p[0].load(next, size, left);
        for (int first = 0; first < tables.narrow; first += 16) {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                if (k % 2 == 0) {
                    p[1 - k / 2].load(next, size, left);
                }
                if (first + 4 * k < tables.narrow) {
                    narrow(p[k / 2].of + k % 2 * 4, first + 4 * k);
                }
            }
        }
    }
    {
        plane_products<6> p[2];
        const std::int32_t* next = product + tables.narrow * size;
        int left = tables.planes - tables.narrow;
        p[0].load(next, size, left);
        for (int first = 0; first < tables.moduli - tables.narrow; first += 4) {
#pragma unroll
            for (int k = 0; k < 2; ++k) {
                p[1 - k].load(next, size, left);
                if (first + 2 * k < tables.moduli - tables.narrow) {
                    wide(p[k].of, first + 2 * k);
                }
            }
        }
    }
    unsigned k[2][4] = {};
#pragma unroll
    for (int e = 0; e < 2; ++e) {
        const two_digits d(two_digits::start + to_int(excess[e]));
        k[e][0] = d.low;
        k[e][1] = d.high;
    }
    keep(packed(k[0]), packed(k[1]));
    for (int word = tables.residue_words; word < tables.steps * bytes_at_once / 4; ++word) {
        keep(0, 0);
    }
}

/// Words of sums, word g on lanes 4 g, ..., 4 g + 3, and what is over of each, |over| < 2^31, become words of numbers.
/// `carry` comes from the words below, and goes to those above. What is over counts on the first lanes.
template <int Count>
__device__ void propagate(int counting, std::uint64_t (&word)[Count], int (&over)[Count], int (&carry)[Count])
{
    const auto lane = static_cast<int>(threadIdx.x) % lanes;
    int next[Count];
#pragma unroll
    for (int v = 0; v < Count; ++v) {
        const int below = __shfl_up_sync(all_lanes, over[v], 4);
        next[v] = lane < 4 ? carry[v] : below;
    }
    while (true) {
        bool more = false;
        int over_now[Count];
#pragma unroll
        for (int v = 0; v < Count; ++v) {
            const std::uint64_t sum = word[v] + static_cast<std::uint64_t>(std::int64_t{next[v]});
            over_now[v] = (sum < word[v] ? 1 : 0) - (next[v] < 0 ? 1 : 0);
            word[v] = sum;
            over[v] = lane < lanes - 4 ? 0 : over[v] + over_now[v];
            more |= over_now[v] != 0;
        }
        if (!__any_sync(all_lanes, more && lane < counting)) {
            break;
        }
#pragma unroll
        for (int v = 0; v < Count; ++v) {
            const int below = __shfl_up_sync(all_lanes, over_now[v], 4);
            next[v] = lane < 4 ? 0 : below;
        }
    }
#pragma unroll
    for (int v = 0; v < Count; ++v) {
        carry[v] = __shfl_sync(all_lanes, over[v], lanes - 4 + lane % 4);
    }
}

/// 64 sums a warp: word w of sum e is to[w * stride + e].
__global__ void __launch_bounds__(warps_of_block* lanes, 4)
    combine_kernel(const std::int32_t* product, index_t size, byte_tables tables, std::uint64_t* to, index_t stride)
{
    constexpr int halves = 2;  // 32 sums at a time, eight columns of four products
    constexpr int tiles = 4;   // eight bytes of each of eight words
    extern __shared__ unsigned shared[];
    const auto lane = static_cast<int>(threadIdx.x) % lanes;
    const auto warp = static_cast<int>(threadIdx.x) / lanes;
    const index_t first = (index_t{blockIdx.x} * (blockDim.x / lanes) + warp) * elements_at_once;
    unsigned* const residue = shared + warp * tables.steps * (bytes_at_once / 4) * apart;
    keep_residues(product + first + 2 * lane, size, tables, residue + 2 * lane);
    int carry[halves][8] = {};
    for (int chunk = 0; chunk * words_at_once < tables.words; ++chunk) {
        __syncthreads();  // so that the warps of a block read the same part of the table
#pragma unroll
        for (int half = 0; half < halves; ++half) {
            int sum[tiles][4][4] = {};
            const unsigned* column = residue + lane % 4 * apart + 32 * half + lane / 4;
            const byte_fragment* part = tables.part + chunk * tables.steps * tiles * lanes + lane;
            for (int step = 0; step < tables.steps; ++step, column += 8 * apart, part += tiles * lanes) {
                unsigned b[4][2];
#pragma unroll
                for (int t = 0; t < 4; ++t) {
                    b[t][0] = column[8 * t];
                    b[t][1] = column[8 * t + 4 * apart];
                }
#pragma unroll
                for (int k = 0; k < tiles; ++k) {
                    const int4 a = load_fragment(part + k * lanes);
#pragma unroll
                    for (int t = 0; t < 4; ++t) {
                        multiply_signed(sum[k][t], a, b[t][0], b[t][1]);
                    }
                }
            }
            std::uint64_t word[8];
            int over[8];
#pragma unroll
            for (int v = 0; v < 8; ++v) {
                const auto four = [&](int k) {
                    const int* const low = sum[k][v / 2] + v % 2;
                    const int* const high = sum[k + 1][v / 2] + v % 2;
                    return std::int64_t{low[0]} + 256 * std::int64_t{low[2]} + 65536 * std::int64_t{high[0]} +
                           16777216 * std::int64_t{high[2]};
                };
                const std::int64_t low = four(0);
                const std::int64_t high = four(2) + (low >> 32);
                word[v] = static_cast<std::uint32_t>(low) | static_cast<std::uint64_t>(high) << 32;
                over[v] = static_cast<int>(high >> 32);
            }
            propagate(4 * min(words_at_once, tables.words - chunk * words_at_once) - 4, word, over, carry[half]);
            const int w = chunk * words_at_once + lane / 4;
            if (w < tables.words) {
                std::uint64_t* const mine = to + w * stride + first + 32 * half + lane % 4 * 2;
#pragma unroll
                for (int t = 0; t < 4; ++t) {
                    *reinterpret_cast<ulonglong2*>(mine + 8 * t) = {word[2 * t], word[2 * t + 1]};
                }
            }
        }
    }
}

void combine(const cuda_executor& exec, const std::int32_t* product, index_t size, const byte_tables& tables,
             std::uint64_t* to, index_t stride)
{
    const int bytes_of_warp = tables.steps * bytes_at_once * apart;
    int warps = warps_of_block;
    while (warps > 1 && warps * bytes_of_warp > most_shared) {
        warps /= 2;
    }
    const int bytes = warps * bytes_of_warp;
    require_cuda(op, cudaFuncSetAttribute(combine_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    combine_kernel<<<static_cast<unsigned>(size / (warps * elements_at_once)), static_cast<unsigned>(warps * lanes),
                     static_cast<unsigned>(bytes), exec.stream>>>(product, size, tables, to, stride);
    require_cuda(op, cudaGetLastError());
}

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
    const device_guard current(exec);
    const index_t size = a.vectors() * count;
    buffer<cuda_executor, std::int32_t> product(size * a.planes(), exec, uninitialized{});
    multiply_planes(exec, a, b, first, count, product.data());
    combine(exec, product.data(), size, moduli.tables(), c, stride);
}

}  // namespace residua::blas::detail
