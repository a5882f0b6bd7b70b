#include <residua/blas/exact/byte_product.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

#include <residua/blas/base/cublas.cuh>
#include <residua/blas/base/launch.cuh>

namespace residua::blas::detail {
namespace {

constexpr const char* op = "gemm_exact";
constexpr double whole = 0x1.8p52;        // x + whole - whole is the integer next to x, |x| < 2^51
constexpr float whole_float = 0x1.8p23F;  // the same for |x| < 2^22
constexpr int half_tile = rows_at_once / 2;
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

/// The same for |x| < 2^23.
__device__ float reduced(float x, float m, float reciprocal)
{
    const float quotient = __fsub_rn(__fmaf_rn(x, reciprocal, whole_float), whole_float);
    return __fmaf_rn(-quotient, m, x);
}

/// A number whose lowest byte is that of a whole |x| < 2^22.
__device__ unsigned byte_of(float x) { return __float_as_uint(__fadd_rn(x, whole_float)); }

/// A whole number below 2^31 in magnitude; conversions of binary64 are slow, additions are not.
__device__ int to_int(double x) { return __double2loint(__dadd_rn(x, whole)); }
__device__ double to_double(int x)
{
    return __dsub_rn(__hiloint2double(0x43300000, x ^ static_cast<int>(0x80000000)), 0x1p52 + 0x1p31);
}

/// The lowest bytes of four words.
__device__ unsigned packed(unsigned a, unsigned b, unsigned c, unsigned d)
{
    return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410);
}

__device__ int4 load_fragment(const byte_fragment* from) { return __ldg(reinterpret_cast<const int4*>(from)); }

/// sum += a b, signed bytes of a matrix times unsigned ones of columns. Lane 4 g + q has rows g and g + 8 of columns
/// 2 q and 2 q + 1.
__device__ void multiply_unsigned(int (&sum)[4], const int4& a, unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

/// The same of signed bytes.
__device__ void multiply_signed(int (&sum)[4], const int4& a, unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

/// 64 numbers that a warp makes residues of, 4 Steps words of each at a time. Lane 4 g + q has every fourth word, from q
/// on, of the numbers that are column g of eight products; it gets the residues of numbers 16 q, ..., 16 q + 15, as its
/// columns 2 q and 2 q + 1 are those.
template <int Steps>
struct number_bytes {
    unsigned half[Steps][8][2];

    __device__ void load(const whole_vectors& x, index_t first, int first_word)
    {
        const auto g = static_cast<int>(threadIdx.x) % lanes / 4;
        const auto q = static_cast<int>(threadIdx.x) % 4;
#pragma unroll
        for (int s = 0; s < Steps; ++s) {
            const int w = first_word + 4 * s + q;
            const unsigned flip = w + 1 == x.words ? 0x80000000 : 0;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                ulonglong2 v{};
                if (w < x.words) {
                    v = __ldg(reinterpret_cast<const ulonglong2*>(x.word + w * x.stride + first + g / 2 * 16 + 4 * j +
                                                                  g % 2 * 2));
                }
                half[s][2 * j][0] = static_cast<unsigned>(v.x);
                half[s][2 * j][1] = static_cast<unsigned>(v.x >> 32) ^ flip;
                half[s][2 * j + 1][0] = static_cast<unsigned>(v.y);
                half[s][2 * j + 1][1] = static_cast<unsigned>(v.y >> 32) ^ flip;
            }
        }
    }
};

/// What a lane has of a row: column p of product t is number 4 (t / 2) + 2 p + t % 2 of its sixteen.
template <class F>
__device__ void store_bytes(std::int8_t* to, const F& byte)
{
    const auto word = [&](int j) {
        return packed(byte(2 * j, 0), byte(2 * j + 1, 0), byte(2 * j, 1), byte(2 * j + 1, 1));
    };
    *reinterpret_cast<uint4*>(to) = {word(0), word(1), word(2), word(3)};
}

/// More than 4 Steps words only if Steps is 8: sums of 256 products of bytes are below 2^23.
template <int Steps>
__global__ void __launch_bounds__(warps_of_block* lanes)
    to_bytes_kernel(whole_vectors x, byte_tables tables, std::int8_t* to)
{
    constexpr bool again = Steps == 8;
    const index_t size = x.vectors * x.ld;
    const auto lane = static_cast<int>(threadIdx.x) % lanes;
    const index_t first = (index_t{blockIdx.x} * warps_of_block + threadIdx.x / lanes) * elements_at_once;
    const int passes = again ? (x.words + 4 * Steps - 1) / (4 * Steps) : 1;
    number_bytes<Steps> bytes;
    bytes.load(x, first, 0);
    for (int tile = 0; tile < tables.tiles; ++tile) {
        const int of_row = tile * half_tile + lane / 4;
        const auto sign =
            __ldg(reinterpret_cast<const int2*>(tables.sign + (x.words - 1) * tables.tiles * half_tile + of_row));
        const auto row = __ldg(reinterpret_cast<const float4*>(tables.row + of_row));
        int sum[8][4];
#pragma unroll
        for (int t = 0; t < 8; ++t) {
            sum[t][0] = sum[t][1] = sign.x;
            sum[t][2] = sum[t][3] = sign.y;
        }
        for (int pass = 0; pass < passes; ++pass) {
            if (again && passes > 1) {
                bytes.load(x, first, 4 * Steps * pass);
            }
            if (pass > 0) {
#pragma unroll
                for (int t = 0; t < 8; ++t) {
#pragma unroll
                    for (int k = 0; k < 4; ++k) {
                        sum[t][k] = __float2int_rn(k < 2 ? reduced(__int2float_rn(sum[t][k]), row.x, row.z)
                                                         : reduced(__int2float_rn(sum[t][k]), row.y, row.w));
                    }
                }
            }
#pragma unroll
            for (int s = 0; s < Steps; ++s) {
                if (4 * (Steps * pass + s) < x.words) {
                    const int4 a =
                        load_fragment(tables.power + ((Steps * pass + s) * tables.tiles + tile) * lanes + lane);
#pragma unroll
                    for (int t = 0; t < 8; ++t) {
                        multiply_unsigned(sum[t], a, bytes.half[s][t][0], bytes.half[s][t][1]);
                    }
                }
            }
        }
        std::int8_t* const mine = to + first + lane % 4 * 16;
        if (tile < tables.narrow_tiles) {
            const int i = tile * rows_at_once + lane / 4;
            if (i < tables.narrow) {
                store_bytes(mine + i * size,
                            [&](int t, int p) { return byte_of(reduced(__int2float_rn(sum[t][p]), row.x, row.z)); });
            }
            if (i + half_tile < tables.narrow) {
                store_bytes(mine + (i + half_tile) * size, [&](int t, int p) {
                    return byte_of(reduced(__int2float_rn(sum[t][2 + p]), row.y, row.w));
                });
            }
        } else {
            const int i = (tile - tables.narrow_tiles) * half_tile + lane / 4;
            if (tables.narrow + i < tables.moduli) {
                constexpr auto base = static_cast<float>(digit_base);
                float low[8][2];
                float high[8][2];
#pragma unroll
                for (int t = 0; t < 8; ++t) {
#pragma unroll
                    for (int p = 0; p < 2; ++p) {
                        const float upper = reduced(__int2float_rn(sum[t][2 + p]), row.x, row.z);
                        const float r = reduced(__fmaf_rn(upper, base, __int2float_rn(sum[t][p])), row.x, row.z);
                        high[t][p] = __fmaf_rn(r, 1 / base, whole_float);
                        low[t][p] = __fmaf_rn(whole_float - high[t][p], base, r);
                    }
                }
                std::int8_t* const plane = mine + (tables.narrow + 3 * i) * size;
                store_bytes(plane, [&](int t, int p) { return byte_of(low[t][p]); });
                store_bytes(plane + size, [&](int t, int p) { return __float_as_uint(high[t][p]); });
                store_bytes(plane + 2 * size,
                            [&](int t, int p) { return __float_as_uint(__fadd_rn(low[t][p], high[t][p])); });
            }
        }
    }
}

/// The y_i of 64 sums, in words of four bytes, from the products of the planes: product[p * size + e], two sums a lane.
///
/// X = sum_i y_i M / m_i - k M with y_i = w_i r_i mod m_i, and |X / M| < 1/4 tells k.
__device__ void keep_residues(const std::int32_t* product, index_t size, const byte_tables& tables, unsigned* residue)
{
    constexpr int narrow_at_once = 8;
    constexpr int wide_at_once = 4;
    double excess[2] = {};
    int word = 0;
    const auto keep = [&](unsigned x, unsigned y) { *reinterpret_cast<uint2*>(residue + word++ * apart) = {x, y}; };
    const auto load = [&](int plane) {
        return plane < tables.planes ? __ldcs(reinterpret_cast<const int2*>(product + plane * size)) : int2{};
    };
    for (int first = 0; first < tables.narrow; first += narrow_at_once) {
        int2 p[narrow_at_once];
        unsigned y[2][narrow_at_once] = {};
#pragma unroll
        for (int k = 0; k < narrow_at_once; ++k) {
            p[k] = load(first + k);
        }
#pragma unroll
        for (int k = 0; k < narrow_at_once; ++k) {
            if (first + k < tables.narrow) {
                const sum_modulus& of = tables.of_sum[first + k];
                const double m = __ldg(&of.modulus);
                const double reciprocal = __ldg(&of.reciprocal);
                const double factor = __ldg(of.factor);
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    double r = reduced(to_double(e == 0 ? p[k].x : p[k].y) * factor, m, reciprocal);
                    r = r == 128.0 ? -128.0 : r;  // modulo 256
                    excess[e] = __fma_rn(-r, reciprocal, excess[e]);
                    y[e][k] = static_cast<unsigned>(to_int(r));
                }
            }
        }
#pragma unroll
        for (int k = 0; k < narrow_at_once; k += 4) {
            if (first + k < tables.narrow) {
                keep(packed(y[0][k], y[0][k + 1], y[0][k + 2], y[0][k + 3]),
                     packed(y[1][k], y[1][k + 1], y[1][k + 2], y[1][k + 3]));
            }
        }
    }
    struct digits {
        unsigned low;
        unsigned high;

        __device__ explicit digits(double x)
        {
            constexpr double base = digit_base;
            const double rounded = __fma_rn(x, 1 / base, whole);
            high = static_cast<unsigned>(__double2loint(rounded));
            low = static_cast<unsigned>(to_int(__fma_rn(whole - rounded, base, x)));
        }
        digits() = default;
    };
    for (int first = tables.narrow; first < tables.moduli; first += wide_at_once) {
        int2 p[wide_at_once][3];
        digits y[2][wide_at_once];
#pragma unroll
        for (int k = 0; k < wide_at_once; ++k) {
#pragma unroll
            for (int j = 0; j < 3; ++j) {
                p[k][j] = load(tables.narrow + 3 * (first + k - tables.narrow) + j);
            }
        }
#pragma unroll
        for (int k = 0; k < wide_at_once; ++k) {
            if (first + k < tables.moduli) {
                const sum_modulus& of = tables.of_sum[first + k];
                const double m = __ldg(&of.modulus);
                const double reciprocal = __ldg(&of.reciprocal);
                const double factor[3] = {__ldg(of.factor), __ldg(of.factor + 1), __ldg(of.factor + 2)};
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    double sum = 0.0;
#pragma unroll
                    for (int j = 0; j < 3; ++j) {
                        sum = __fma_rn(to_double(e == 0 ? p[k][j].x : p[k][j].y), factor[j], sum);
                    }
                    const double r = reduced(sum, m, reciprocal);
                    excess[e] = __fma_rn(-r, reciprocal, excess[e]);
                    y[e][k] = digits(r);
                }
            } else {
                y[0][k] = y[1][k] = digits(0.0);
            }
        }
#pragma unroll
        for (int k = 0; k < wide_at_once; k += 2) {
            if (first + k < tables.moduli) {
                keep(packed(y[0][k].low, y[0][k].high, y[0][k + 1].low, y[0][k + 1].high),
                     packed(y[1][k].low, y[1][k].high, y[1][k + 1].low, y[1][k + 1].high));
            }
        }
    }
    const digits k[2] = {digits(__dsub_rn(__dadd_rn(excess[0], whole), whole)),
                         digits(__dsub_rn(__dadd_rn(excess[1], whole), whole))};
    keep(packed(k[0].low, k[0].high, 0, 0), packed(k[1].low, k[1].high, 0, 0));
    while (word < tables.steps * bytes_at_once / 4) {
        keep(0, 0);
    }
}

/// Words of sums, word g on lanes 4 g, ..., 4 g + 3, and what is over of each, |over| < 2^31, become words of numbers.
/// `carry` comes from the words below, and goes to those above.
template <int Count>
__device__ void propagate(std::uint64_t (&word)[Count], int (&over)[Count], int (&carry)[Count])
{
    const auto lane = static_cast<int>(threadIdx.x) % lanes;
    int next[Count];
#pragma unroll
    for (int v = 0; v < Count; ++v) {
        const int below = __shfl_up_sync(all_lanes, over[v], 4);
        next[v] = lane < 4 ? carry[v] : below;
    }
    bool more = true;
    while (__any_sync(all_lanes, more)) {
        more = false;
#pragma unroll
        for (int v = 0; v < Count; ++v) {
            const std::uint64_t sum = word[v] + static_cast<std::uint64_t>(std::int64_t{next[v]});
            const int over_now = next[v] < 0 ? (sum > word[v] ? -1 : 0) : (sum < word[v] ? 1 : 0);
            word[v] = sum;
            over[v] = lane < lanes - 4 ? over_now : over[v] + over_now;
            more |= lane < lanes - 4 && over_now != 0;
            const int below = __shfl_up_sync(all_lanes, over_now, 4);
            next[v] = lane < 4 ? 0 : below;
        }
    }
#pragma unroll
    for (int v = 0; v < Count; ++v) {
        carry[v] = __shfl_sync(all_lanes, over[v], lanes - 4 + lane % 4);
    }
}

/// 64 sums a warp: word w of sum e is to[w * stride + e].
__global__ void __launch_bounds__(warps_of_block* lanes)
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
            propagate(word, over, carry[half]);
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

template <int Steps>
void to_bytes(const cuda_executor& exec, const whole_vectors& x, const byte_tables& tables, std::int8_t* to)
{
    if (x.words > 4 * Steps && Steps < 8) {
        return to_bytes<std::min(2 * Steps, 8)>(exec, x, tables, to);
    }
    const auto blocks = static_cast<unsigned>(x.size() / (warps_of_block * elements_at_once));
    to_bytes_kernel<Steps><<<blocks, warps_of_block * lanes, 0, exec.stream>>>(x, tables, to);
    require_cuda(op, cudaGetLastError());
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
    if (bytes > most_shared) {
        throw unsupported_error("gemm_exact: sums of " + std::to_string(64 * tables.words) +
                                " bits are too long for a CUDA device; give bits, how many to keep of each number");
    }
    require_cuda(op, cudaFuncSetAttribute(combine_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    combine_kernel<<<static_cast<unsigned>(size / (warps * elements_at_once)), static_cast<unsigned>(warps * lanes),
                     static_cast<unsigned>(bytes), exec.stream>>>(product, size, tables, to, stride);
    require_cuda(op, cudaGetLastError());
}

}  // namespace

byte_planes::byte_planes(const cuda_executor& exec, const whole_vectors& x, const byte_moduli& moduli)
    : vectors_(x.vectors), ld_(x.ld), planes_(moduli.planes()), data_(x.size() * planes_, exec, uninitialized{})
{
    const device_guard current(exec);
    to_bytes<1>(exec, x, moduli.tables(), data_.data());
}

void multiply_planes(const cuda_executor& exec, const byte_planes& a, const byte_planes& b, index_t first,
                     index_t count, std::int32_t* product)
{
    const device_guard current(exec);
    const std::int32_t one = 1;
    const std::int32_t zero = 0;
    require_cublas(
        op, cublasGemmStridedBatchedEx_64(cublas_of(op, exec), CUBLAS_OP_T, CUBLAS_OP_N, a.vectors(), count, a.ld(),
                                          &one, a.data(), CUDA_R_8I, a.ld(), a.size(), b.data() + first * b.ld(),
                                          CUDA_R_8I, b.ld(), b.size(), &zero, product, CUDA_R_32I, a.vectors(),
                                          a.vectors() * count, a.planes(), CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
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
