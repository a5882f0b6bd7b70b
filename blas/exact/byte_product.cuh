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
    static constexpr int halves_apart = lanes + 8;  // in shared memory, so that lanes use all banks
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

/// The products of one plane after another, of two sums; where there are no more, some others.
struct plane_reader {
    const std::int32_t* next;
    index_t size;
    int planes;

    /// Those of planes first, ..., first + Count - 1, which come next.
    template <int Count>
    __device__ void read(int first, int2 (&product)[Count])
    {
#pragma unroll
        for (int k = 0; k < Count; ++k, next += size) {
            if (first + k < planes) {
                product[k] = __ldcs(reinterpret_cast<const int2*>(next));
            }
        }
    }
};

/// The columns of sums, in words of four bytes, from the products of the planes: product[p * size + e], two sums a lane.
///
/// X = sum_i r_i w_i M / m_i - k M, for wide moduli with y_i = w_i r_i mod m_i in place of r_i w_i, and |X / M| < 1/4 tells k.
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
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const int x = e == 0 ? p[k].x : p[k].y;
                const auto quotient = static_cast<int>((std::int64_t{x} * m.reciprocal + m.half) >> 32) >> m.shift;
                const int r = x + m.factor * quotient;
                share[e] += m.share * r;
                y[e][k] = static_cast<unsigned>(r);
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
        plane_reader planes{product, size, tables.narrow};
        int2 p[3][4] = {};
        planes.read(0, p[0]);
        planes.read(4, p[1]);
#pragma unroll
        for (int first = 0; first < most_narrow_moduli; first += 4) {  // so that moduli are operands of instructions
            if (first >= tables.narrow) {
                break;
            }
            planes.read(first + 8, p[(first / 4 + 2) % 3]);
            narrow(p[first / 4 % 3], first);
        }
    }
    {
        plane_reader planes{product + tables.narrow * size, size, tables.planes - tables.narrow};
        int2 p[2][6] = {};
        planes.read(0, p[0]);
        for (int first = 0; first < tables.moduli - tables.narrow; first += 4) {
#pragma unroll
            for (int k = 0; k < 2; ++k) {
                planes.read(3 * first + 6 * (k + 1), p[1 - k]);
                if (first + 2 * k < tables.moduli - tables.narrow) {
                    wide(p[k], first + 2 * k);
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
/// From product[p * size + e] of each plane p, 32 sums a warp once or twice; Tiles as tables.sum_tiles.
template <int Tiles, class Store>
__global__ void __launch_bounds__(sums_block::warps* lanes, Tiles == 2 ? 6 : 4)
    sums_kernel(const std::int32_t* product, index_t size, const __grid_constant__ byte_tables tables, int times,
                Store store)
{
    constexpr int products = 4;       // of eight columns, a sum each
    constexpr int words = 2 * Tiles;  // of a chunk; a lane has eight bytes or, of four words, four
    constexpr int halves = Tiles / 2;
    constexpr int halves_apart = sums_block::halves_apart;
    const int apart = sums_block::apart(times);
    extern __shared__ longlong2 shared[];
    const auto lane = static_cast<int>(threadIdx.x) % lanes;
    const auto warp = static_cast<int>(threadIdx.x) / lanes;
    const index_t first = (index_t{blockIdx.x} * (blockDim.x / lanes) + warp) * (times * sums_block::elements);
    // [half * words + word], of all columns
    auto* const half_words =
        reinterpret_cast<std::int64_t*>(shared + warp * (sums_block::words_of_warp(tables, times) / 2));
    auto* const sums = reinterpret_cast<std::uint64_t*>(half_words + 2 * sums_block::words * halves_apart);
    auto* const residue = reinterpret_cast<unsigned*>(sums + tables.words * lanes);
    if (2 * lane < times * sums_block::elements) {
        keep_residues(product + first + 2 * lane, size, tables, residue + 2 * lane, apart);
    }
    for (int time = 0; time < times; ++time) {
        std::int64_t carry = 0;
        for (int chunk = 0; chunk * words < tables.words; ++chunk) {
            __syncthreads();  // so that the warps of a block read the same part of the table
            int sum[Tiles][products][4] = {};
            const unsigned* column = residue + lane % 4 * apart + sums_block::elements * time + lane / 4;
            const byte_fragment* part = tables.part + chunk * tables.steps * Tiles * lanes + lane;
            for (int step = 0; step < tables.steps; ++step, column += 8 * apart, part += Tiles * lanes) {
                unsigned b[products][2];
#pragma unroll
                for (int t = 0; t < products; ++t) {
                    b[t][0] = column[8 * t];
                    b[t][1] = column[8 * t + 4 * apart];
                }
#pragma unroll
                for (int k = 0; k < Tiles; ++k) {
                    const int4 a = load_fragment(part + k * lanes);
#pragma unroll
                    for (int t = 0; t < products; ++t) {
                        multiply_signed(sum[k][t], a, b[t][0], b[t][1]);
                    }
                }
            }
            std::int64_t half[halves][2 * products];  // what is below 2^32 and above, less than 2^51 both
#pragma unroll
            for (int h = 0; h < halves; ++h) {
#pragma unroll
                for (int v = 0; v < 2 * products; ++v) {
                    const int* const low = sum[2 * h][v / 2] + v % 2;
                    const int* const high = sum[2 * h + 1][v / 2] + v % 2;
                    half[h][v] = std::int64_t{low[0]} + 256 * std::int64_t{low[2]} + 65536 * std::int64_t{high[0]} +
                                 16777216 * std::int64_t{high[2]};
                }
            }
            for (int w = chunk * words; w < min(tables.words, (chunk + 1) * words);) {
                const int side = lane / 4 / sums_block::words;  // a lane's words, or its half of four
                if (halves == 1 || side == w / sums_block::words % 2) {
                    std::int64_t* const to =
                        half_words + lane % 4 * 2 +
                        (lane / 4 % sums_block::words + (halves == 1 ? side : 0) * sums_block::words) * halves_apart;
#pragma unroll
                    for (int h = 0; h < halves; ++h) {
#pragma unroll
                        for (int t = 0; t < products; ++t) {
                            *reinterpret_cast<longlong2*>(to + h * sums_block::words * halves_apart + 8 * t) = {
                                half[h][2 * t], half[h][2 * t + 1]};
                        }
                    }
                }
                __syncwarp();
                for (int k = 0; k < sums_block::words && w < tables.words; ++k, ++w) {
                    const std::int64_t* const of = half_words + k * halves_apart + lane;
                    const std::int64_t low = carry + of[0];
                    const std::int64_t high = (low >> 32) + of[sums_block::words * halves_apart];
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
    const auto kernel = tables.sum_tiles == 2 ? sums_kernel<2, Store> : sums_kernel<4, Store>;
    require_cuda(op, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    kernel<<<static_cast<unsigned>(size / (warps * times * sums_block::elements)), static_cast<unsigned>(warps * lanes),
             static_cast<unsigned>(bytes), exec.stream>>>(product.data(), size, tables, times, store);
    require_cuda(op, cudaGetLastError());
}

}  // namespace residua::blas::detail
