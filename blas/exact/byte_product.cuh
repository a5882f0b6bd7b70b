#pragma once

#include <cstdint>

#include <residua/arith/slices/slices.hpp>
#include <residua/blas/base/check_cuda.cuh>
#include <residua/blas/exact/byte_product.hpp>
#include <residua/blas/exact/bytes.cuh>

/// Sums of products from their residues, on a device.
namespace residua::blas::detail {

/// Of a warp that makes 32 sums once or twice.
struct sums_block {
    static constexpr int elements = lanes;          // at once
    static constexpr int warps = 4;                 // so a block has 256 elements, as byte_group^2 divides their number
    static constexpr int most_shared = 220000;      // bytes
    static constexpr int words = 4;                 // of sums that change lanes at once
    static constexpr int halves_apart = lanes + 1;  // in shared memory, so that lanes use all banks
    static constexpr double whole = 0x1.8p52;       // x + whole - whole is the integer next to x, |x| < 2^51

    __host__ __device__ static int apart(int times) { return times * elements + 8; }

    /// Words of 64 bits in shared memory: halves of words, sums, residues.
    __host__ __device__ static int words_of_warp(const byte_tables& tables, int times)
    {
        return 2 * words * halves_apart + tables.words * elements + tables.steps * (bytes_at_once / 8) * apart(times);
    }
};

/// x mod m, -m / 2 <= result <= m / 2, for a whole |x| < 2^52.
///
/// The quotient is rounded from x / m to within |x| 2^-53 / m, and x / m is 1 / (2 m) away from a half unless m is even.
__device__ inline double reduced(double x, double m, double reciprocal)
{
    const double quotient = __dsub_rn(__fma_rn(x, reciprocal, sums_block::whole), sums_block::whole);
    return __fma_rn(-quotient, m, x);
}

/// A whole number below 2^31 in magnitude; conversions of binary64 are slow, additions are not.
__device__ inline int to_int(double x) { return __double2loint(__dadd_rn(x, sums_block::whole)); }
__device__ inline double shifted_double(int x)  // x + 2^52 + 2^31
{
    return __hiloint2double(0x43300000, x ^ static_cast<int>(0x80000000));
}
__device__ inline double to_double(int x) { return __dsub_rn(shifted_double(x), 0x1p52 + 0x1p31); }

/// sum += a b, signed bytes of a matrix times those of columns. Lane 4 g + q has rows g and g + 8 of columns 2 q and
/// 2 q + 1.
__device__ inline void multiply_signed(int (&sum)[4], const int4& a, unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

__device__ inline double shifted_by_whole(int x)  // x + 1.5 2^52
{
    return __hiloint2double(0x43380000 + (x >> 31), x);
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

/// The y_i of sums, in words of four bytes, from the products of the planes: product[p * size + e], two sums a lane.
///
/// X = sum_i y_i M / m_i - k M with y_i = w_i r_i mod m_i, and |X / M| < 1/4 tells k.
__device__ inline void keep_residues(const std::int32_t* product, index_t size, const byte_tables& tables,
                                     unsigned* residue, int apart)
{
    double excess[2] = {};
    int share[2] = {};
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
            const double2 quotient = __ldg(reinterpret_cast<const double2*>(&m.quotient));
            const int4 of = __ldg(reinterpret_cast<const int4*>(&m.factor));
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const int x = e == 0 ? p[k].x : p[k].y;
                const int q = __double2loint(__fma_rn(shifted_by_whole(x), quotient.x, quotient.y));
                y[e][k] = static_cast<unsigned>(x) * static_cast<unsigned>(of.x) -
                          static_cast<unsigned>(q) * static_cast<unsigned>(of.y);
                share[e] += static_cast<int>(y[e][k]) * of.z;
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
        const two_digits d(two_digits::start +
                           to_int(__fma_rn(to_double(share[e]), -1.0 / (1 << share_bits), excess[e])));
        k[e][0] = d.low;
        k[e][1] = d.high;
    }
    keep(packed(k[0]), packed(k[1]));
    for (int word = tables.residue_words; word < tables.steps * bytes_at_once / 4; ++word) {
        keep(0, 0);
    }
}

/// What is made of sums: store(e, sum) takes number e of a product, which it may overwrite.
///
/// From product[p * size + e] of each plane p, 32 sums a warp once or twice.
template <class Store>
__global__ void __launch_bounds__(sums_block::warps* lanes, 4)
    sums_kernel(const std::int32_t* product, index_t size, byte_tables tables, int times, Store store)
{
    constexpr int products = 4;  // of eight columns, a sum each
    constexpr int tiles = 4;     // eight bytes of each of eight words
    const int apart = sums_block::apart(times);
    extern __shared__ longlong2 shared[];
    const auto lane = static_cast<int>(threadIdx.x) % lanes;
    const auto warp = static_cast<int>(threadIdx.x) / lanes;
    const index_t first = (index_t{blockIdx.x} * (blockDim.x / lanes) + warp) * (times * sums_block::elements);
    auto* const halves_of_words = shared + warp * (sums_block::words_of_warp(tables, times) / 2);
    auto* const sums = reinterpret_cast<std::uint64_t*>(halves_of_words + sums_block::words * sums_block::halves_apart);
    auto* const residue = reinterpret_cast<unsigned*>(sums + tables.words * lanes);
    if (2 * lane < times * sums_block::elements) {
        keep_residues(product + first + 2 * lane, size, tables, residue + 2 * lane, apart);
    }
    for (int time = 0; time < times; ++time) {
        std::int64_t carry = 0;
        for (int chunk = 0; chunk * words_at_once < tables.words; ++chunk) {
            __syncthreads();  // so that the warps of a block read the same part of the table
            int sum[tiles][products][4] = {};
            const unsigned* column = residue + lane % 4 * apart + sums_block::elements * time + lane / 4;
            const byte_fragment* part = tables.part + chunk * tables.steps * tiles * lanes + lane;
            for (int step = 0; step < tables.steps; ++step, column += 8 * apart, part += tiles * lanes) {
                unsigned b[products][2];
#pragma unroll
                for (int t = 0; t < products; ++t) {
                    b[t][0] = column[8 * t];
                    b[t][1] = column[8 * t + 4 * apart];
                }
#pragma unroll
                for (int k = 0; k < tiles; ++k) {
                    const int4 a = load_fragment(part + k * lanes);
#pragma unroll
                    for (int t = 0; t < products; ++t) {
                        multiply_signed(sum[k][t], a, b[t][0], b[t][1]);
                    }
                }
            }
            longlong2 word[8];  // of the chunk word lane / 4: what is below 2^32 and above, less than 2^51 both
#pragma unroll
            for (int v = 0; v < 8; ++v) {
                const auto four = [&](int k) {
                    const int* const low = sum[k][v / 2] + v % 2;
                    const int* const high = sum[k + 1][v / 2] + v % 2;
                    return std::int64_t{low[0]} + 256 * std::int64_t{low[2]} + 65536 * std::int64_t{high[0]} +
                           16777216 * std::int64_t{high[2]};
                };
                word[v] = {four(0), four(2)};
            }
            for (int w = chunk * words_at_once; w < min(tables.words, (chunk + 1) * words_at_once);) {
                if (lane / 4 / sums_block::words == w / sums_block::words % 2) {
                    longlong2* const to =
                        halves_of_words + lane / 4 % sums_block::words * sums_block::halves_apart + lane % 4 * 2;
#pragma unroll
                    for (int v = 0; v < 8; ++v) {
                        to[v / 2 * 8 + v % 2] = word[v];
                    }
                }
                __syncwarp();
                for (int k = 0; k < sums_block::words && w < tables.words; ++k, ++w) {
                    const longlong2 x = halves_of_words[k * sums_block::halves_apart + lane];
                    const std::int64_t low = carry + x.x;
                    const std::int64_t high = (low >> 32) + x.y;
                    carry = high >> 32;
                    sums[w * lanes + lane] = static_cast<std::uint32_t>(low) | static_cast<std::uint64_t>(high) << 32;
                }
                __syncwarp();
            }
        }
        store(first + sums_block::elements * time + lane, long_integer{sums + lane, lanes, tables.words});
    }
}

/// C <- A B for vectors first, ..., first + count - 1 of B, as multiply_bytes: store(e, sum), a function of a device, takes
/// number e = i + (j - first) a.vectors() of the result.
template <class Store>
void multiply_bytes(const char* op, const cuda_executor& exec, const byte_planes& a, const byte_planes& b,
                    index_t first, index_t count, const byte_moduli& moduli, const Store& store)
{
    const device_guard current(exec);
    const byte_tables& tables = moduli.tables();
    const index_t size = a.vectors() * count;
    buffer<cuda_executor, std::int32_t> product(size * a.planes(), exec, uninitialized{});
    multiply_planes(exec, a, b, first, count, product.data());
    const auto bytes_of_warp = [&](int times) {
        return sums_block::words_of_warp(tables, times) * static_cast<int>(sizeof(std::uint64_t));
    };
    const int times = bytes_of_warp(2) <= sums_block::most_shared ? 2 : 1;
    int warps = sums_block::warps;
    while (warps > 1 && warps * bytes_of_warp(times) > sums_block::most_shared) {
        warps /= 2;
    }
    const int bytes = warps * bytes_of_warp(times);
    require_cuda(op, cudaFuncSetAttribute(sums_kernel<Store>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    sums_kernel<Store>
        <<<static_cast<unsigned>(size / (warps * times * sums_block::elements)), static_cast<unsigned>(warps * lanes),
           static_cast<unsigned>(bytes), exec.stream>>>(product.data(), size, tables, times, store);
    require_cuda(op, cudaGetLastError());
}

}  // namespace residua::blas::detail
