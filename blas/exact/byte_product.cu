#include <residua/blas/exact/byte_product.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

#include <residua/blas/base/cublas.cuh>
#include <residua/blas/base/launch.cuh>

namespace residua::blas::detail {
namespace {

constexpr const char* op = "gemm_exact";
constexpr double whole = 0x1.8p52;  // x + whole - whole is the integer next to x, |x| < 2^51
constexpr int half_tile = rows_at_once / 2;
constexpr unsigned all_lanes = 0xffffffff;

constexpr int elements_at_once = 64;         // of a warp
constexpr int most_steps = 4;                // of 32 bytes each, whose products add up to less than 2^22
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

/// x - m round(x / m) for a sum that began with the bits of the binary32 number k m: k m + x is the number with these
/// bits. What is returned has the constant of the row added, its lowest byte is the residue's if k is a multiple of 256.
///
/// The quotient is rounded from x / m to within (k m + x) 2^-24 / m < 1 / m, so that a residue is at most (m + 1) / 2 for
/// an odd m, m / 2 for an even one; factor is -m, offset 1.5 2^23 - k.
__device__ int reduced(int sum, float reciprocal, float offset, int factor)
{
    const float quotient = __fmaf_rn(__int_as_float(sum), reciprocal, offset);
    return sum + factor * __float_as_int(quotient);
}

/// Two digits of base 127 of a whole number below 2^13 in magnitude, as words of which the lowest byte counts.
struct two_digits {
    static constexpr int multiples = (float_middle + 128 * digit_base) / (256 * digit_base);
    static constexpr int start = 0x4b000000 + multiples * 256 * digit_base - (1 << 23);  // as sums in to_bytes_kernel

    unsigned low;
    unsigned high;

    /// Of x - start
    __device__ explicit two_digits(int x)
    {
        const int h = __float_as_int(
            __fmaf_rn(__int_as_float(x), 1.0F / digit_base, static_cast<float>(float_middle - 256 * multiples)));
        high = static_cast<unsigned>(h);
        low = static_cast<unsigned>(x - digit_base * h);
    }
};

/// A whole number below 2^31 in magnitude; conversions of binary64 are slow, additions are not.
__device__ int to_int(double x) { return __double2loint(__dadd_rn(x, whole)); }
__device__ double shifted_double(int x)  // x + 2^52 + 2^31
{
    return __hiloint2double(0x43300000, x ^ static_cast<int>(0x80000000));
}
__device__ double to_double(int x) { return __dsub_rn(shifted_double(x), 0x1p52 + 0x1p31); }

/// The lowest bytes of four words.
__device__ unsigned packed(const unsigned (&x)[4])
{
    return __byte_perm(__byte_perm(x[0], x[1], 0x0040), __byte_perm(x[2], x[3], 0x0040), 0x5410);
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

/// 8 Products numbers that a warp makes residues of, 4 Steps words of each at a time. Lane 4 g + q has every fourth word,
/// from q on, of the numbers that are column g of each product; it gets the residues of 2 Products numbers, as its columns
/// 2 q and 2 q + 1 are those.
template <int Steps, int Products>
struct number_bytes {
    unsigned half[Steps][Products][2];

    __device__ void load(const whole_vectors& x, index_t first, int first_word)
    {
        const auto g = static_cast<int>(threadIdx.x) % lanes / 4;
        const auto q = static_cast<int>(threadIdx.x) % 4;
        const std::uint64_t* const mine = x.word + first + g / 2 * (2 * Products) + g % 2 * 2;
#pragma unroll
        for (int s = 0; s < Steps; ++s) {
            const int w = first_word + 4 * s + q;
            const unsigned flip = w + 1 == x.words ? 0x80000000 : 0;
#pragma unroll
            for (int t = 0; t < Products; t += 2) {
                ulonglong2 v{};
                if (w < x.words) {
                    v = __ldg(reinterpret_cast<const ulonglong2*>(mine + w * x.stride + 2 * t));
                }
                half[s][t][0] = static_cast<unsigned>(v.x);
                half[s][t][1] = static_cast<unsigned>(v.x >> 32) ^ flip;
                half[s][t + 1][0] = static_cast<unsigned>(v.y);
                half[s][t + 1][1] = static_cast<unsigned>(v.y >> 32) ^ flip;
            }
        }
    }
};

/// Words to where they lie side by side.
template <int Count>
__device__ void store_words(std::int8_t* to, const unsigned (&word)[Count])
{
    if constexpr (Count == 4) {
        *reinterpret_cast<uint4*>(to) = {word[0], word[1], word[2], word[3]};
    } else {
        *reinterpret_cast<uint2*>(to) = {word[0], word[1]};
    }
}

/// What a lane has of a row: column p of product t is number 4 (t / 2) + 2 p + t % 2 of its own.
template <int Products, class F>
__device__ void store_bytes(std::int8_t* to, const F& byte)
{
    unsigned word[Products / 2];
#pragma unroll
    for (int j = 0; j < Products / 2; ++j) {
        const unsigned four[4] = {static_cast<unsigned>(byte(2 * j, 0)), static_cast<unsigned>(byte(2 * j + 1, 0)),
                                  static_cast<unsigned>(byte(2 * j, 1)), static_cast<unsigned>(byte(2 * j + 1, 1))};
        word[j] = packed(four);
    }
    store_words(to, word);
}

/// Sums become residues with the same beginning, to which more may be added.
template <int Products>
__device__ void take_residues(int (&sum)[Products][4], bool narrow, const float4& row, const int4& begin)
{
    constexpr int middle = 0x4b400000;  // the bits of float_middle
    const int factor[2] = {begin.z, narrow ? begin.w : begin.z};
    const float reciprocal[2] = {row.x, narrow ? row.y : row.x};
    const float offset[2] = {row.z, narrow ? row.w : row.z};
    // the lower digits of wide moduli began with something less
    const int less = narrow ? 0
                            : digit_base * (0x4b000000 - (1 << 23) -
                                            begin.z * (float_middle - static_cast<int>(row.z)) + begin.z * middle);
#pragma unroll
    for (int t = 0; t < Products; ++t) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int full = sum[t][k] + (k < 2 ? less : 0);
            const int q = __float_as_int(__fmaf_rn(__int_as_float(full), reciprocal[k / 2], offset[k / 2])) - middle;
            sum[t][k] += factor[k / 2] * q;
        }
    }
}

/// Sums of 128 products of bytes, which are below 2^22 - 2^15, begin with the bits of a binary32 number about 1.5 2^23, a
/// multiple of m: so they are numbers of binary32 as well, and their residues take three operations. Wide moduli: the
/// sum of the upper digits is reduced, joined with that of the lower ones, reduced again, and split into digits.
template <int Steps, int Products, bool Again>
__global__ void __launch_bounds__(warps_of_block* lanes, 4)
    to_bytes_kernel(whole_vectors x, byte_tables tables, std::int8_t* to)
{
    const index_t size = x.vectors * x.ld;
    const auto lane = static_cast<int>(threadIdx.x) % lanes;
    const index_t first = (index_t{blockIdx.x} * warps_of_block + threadIdx.x / lanes) * (8 * Products);
    const int passes = Again ? (x.words + 4 * Steps - 1) / (4 * Steps) : 1;
    std::int8_t* const mine = to + first + lane % 4 * (2 * Products);
    number_bytes<Steps, Products> bytes;
    bytes.load(x, first, 0);
    for (int tile = 0; tile < tables.tiles; ++tile) {
        const bool narrow = tile < tables.narrow_tiles;
        const int of_row = tile * half_tile + lane / 4;
        const auto row = __ldg(reinterpret_cast<const float4*>(tables.row + of_row));
        const auto begin =
            __ldg(reinterpret_cast<const int4*>(tables.start + (x.words - 1) * tables.tiles * half_tile + of_row));
        int sum[Products][4];
#pragma unroll
        for (int t = 0; t < Products; ++t) {
            sum[t][0] = sum[t][1] = begin.x;
            sum[t][2] = sum[t][3] = begin.y;
        }
        for (int pass = 0; pass < passes; ++pass) {
            if constexpr (Again) {
                bytes.load(x, first, 4 * Steps * pass);
                if (pass > 0) {
                    take_residues(sum, narrow, row, begin);
                }
            }
#pragma unroll
            for (int s = 0; s < Steps; ++s) {
                if (4 * (Steps * pass + s) < x.words) {
                    const int4 a =
                        load_fragment(tables.power + ((Steps * pass + s) * tables.tiles + tile) * lanes + lane);
#pragma unroll
                    for (int t = 0; t < Products; ++t) {
                        multiply_unsigned(sum[t], a, bytes.half[s][t][0], bytes.half[s][t][1]);
                    }
                }
            }
        }
        if (narrow) {
            const int i = tile * rows_at_once + lane / 4;
            if (i < tables.narrow) {
                store_bytes<Products>(mine + i * size,
                                      [&](int t, int p) { return reduced(sum[t][p], row.x, row.z, begin.z); });
            }
            if (i + half_tile < tables.narrow) {
                store_bytes<Products>(mine + (i + half_tile) * size,
                                      [&](int t, int p) { return reduced(sum[t][2 + p], row.y, row.w, begin.w); });
            }
        } else {
            const int i = (tile - tables.narrow_tiles) * half_tile + lane / 4;
            if (tables.narrow + i < tables.moduli) {
                unsigned word[3][Products / 2];
#pragma unroll
                for (int j = 0; j < Products / 2; ++j) {
                    unsigned digit[3][4];
#pragma unroll
                    for (int k = 0; k < 4; ++k) {
                        const int* const of = sum[2 * j + k % 2] + k / 2;
                        const int upper = reduced(of[2], row.x, row.z, begin.z);
                        const int r = reduced(upper * digit_base + of[0], row.x, row.z, begin.z) + begin.w;
                        const two_digits d(r);
                        digit[0][k] = d.low;
                        digit[1][k] = d.high;
                        digit[2][k] = d.low + d.high;
                    }
#pragma unroll
                    for (int plane = 0; plane < 3; ++plane) {
                        word[plane][j] = packed(digit[plane]);
                    }
                }
#pragma unroll
                for (int plane = 0; plane < 3; ++plane) {
                    store_words(mine + (tables.narrow + 3 * i + plane) * size, word[plane]);
                }
            }
        }
    }
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

template <int Steps>
void to_bytes(const cuda_executor& exec, const whole_vectors& x, const byte_tables& tables, std::int8_t* to)
{
    if (x.words > 4 * Steps && Steps < most_steps) {
        return to_bytes<std::min(2 * Steps, most_steps)>(exec, x, tables, to);
    }
    constexpr int products = Steps < most_steps ? 8 : 4;  // as registers allow
    const auto blocks = static_cast<unsigned>(x.size() / (warps_of_block * 8 * products));
    const auto kernel =
        x.words > 4 * Steps ? to_bytes_kernel<most_steps, 4, true> : to_bytes_kernel<Steps, products, false>;
    kernel<<<blocks, warps_of_block * lanes, 0, exec.stream>>>(x, tables, to);
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
