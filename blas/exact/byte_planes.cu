#include <residua/blas/exact/byte_planes.hpp>

#include <algorithm>
#include <cstdint>

#include <residua/blas/base/check_cuda.cuh>
#include <residua/blas/exact/bytes.cuh>

namespace residua::blas::detail {
namespace {

constexpr int half_tile = rows_at_once / 2;
constexpr int most_steps = 4;      // steps of 32 bytes, whose products add up to less than 2^22
constexpr int warps_of_block = 4;  // so a block has 128 or 256 elements, and byte_group^2 divides their number

/// x - m round(x / m) for a sum that began with the bits of the binary32 number k m, and to which x was added: its bits
/// are those of k m + x. The result includes the constant of the row. Its lowest byte is the residue's if k is a
/// multiple of 256.
///
/// The quotient is the integer next to a value within (k m + x) 2^-24 / m < 1 / m of x / m. So a residue is at most
/// (m + 1) / 2 for an odd m, m / 2 for an even one. factor is -m, offset is 1.5 2^23 - k.
__device__ int reduced(int sum, float reciprocal, float offset, int factor)
{
    const float quotient = __fmaf_rn(__int_as_float(sum), reciprocal, offset);
    return sum + factor * __float_as_int(quotient);
}

/// sum = to + a b, signed bytes of a matrix times unsigned bytes of columns. Lane 4 g + q has rows g and g + 8 of
/// columns 2 q and 2 q + 1.
__device__ void multiply_unsigned(int (&sum)[4], const int4& a, const unsigned (&b)[2], const int (&to)[4])
{
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, "
        "%12, %13};"
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b[0]), "r"(b[1]), "r"(to[0]), "r"(to[1]), "r"(to[2]), "r"(to[3]));
}

/// The 8 Products numbers of which a warp makes residues, with 4 Steps words of each at a time. Lane 4 g + q loads
/// every fourth word, from q on, of the numbers that are column g of each product. It gets the residues of 2 Products
/// numbers, those in columns 2 q and 2 q + 1.
template <int Steps, int Products>
struct number_bytes {
    unsigned half[Steps][Products][2];

    __device__ void load(const integer_vectors& x, index_t first, int first_word)
    {
        const auto g = static_cast<int>(threadIdx.x) % warp_lanes / 4;
        const auto q = static_cast<int>(threadIdx.x) % 4;
        const std::uint64_t* const mine = x.word + first + g / 2 * (2 * Products) + g % 2 * 2;
#pragma unroll
        for (int s = 0; s < Steps; ++s) {
            const int w = first_word + 4 * s + q;
            const std::uint64_t kept = w < x.words ? ~std::uint64_t{0} : 0;
            const std::uint64_t flip = w + 1 == x.words ? std::uint64_t{1} << 63 : 0;
            const std::uint64_t* const from = mine + min(w, x.words - 1) * x.stride;
#pragma unroll
            for (int t = 0; t < Products; t += 2) {
                const auto v = __ldg(reinterpret_cast<const ulonglong2*>(from + 2 * t));
                const std::uint64_t of[2] = {(v.x & kept) ^ flip, (v.y & kept) ^ flip};
#pragma unroll
                for (int k = 0; k < 2; ++k) {
                    half[s][t + k][0] = static_cast<unsigned>(of[k]);
                    half[s][t + k][1] = static_cast<unsigned>(of[k] >> 32);
                }
            }
        }
    }
};

/// Stores words side by side.
template <int Count>
__device__ void store_words(std::int8_t* to, const unsigned (&word)[Count])
{
    if constexpr (Count == 4) {
        *reinterpret_cast<uint4*>(to) = {word[0], word[1], word[2], word[3]};
    } else {
        *reinterpret_cast<uint2*>(to) = {word[0], word[1]};
    }
}

/// Stores a byte for each number of a lane: column p of product t is number 4 (t / 2) + 2 p + t % 2 of the lane.
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

/// Reduces sums to residues that begin with the same constant, so that more may be added to them.
template <int Products>
__device__ void take_residues(int (&sum)[Products][4], bool narrow, const float4& row, const int4& begin)
{
    constexpr int middle = 0x4b400000;  // the bits of float_middle
    const int factor[2] = {begin.z, narrow ? begin.w : begin.z};
    const float reciprocal[2] = {row.x, narrow ? row.y : row.x};
    const float offset[2] = {row.z, narrow ? row.w : row.z};
    // the sums of lower digits of wide moduli began with a smaller number
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

/// Makes residues of integers. Sums of 128 products of bytes, below 2^22 - 2^15, begin with the bits of a binary32
/// number near 1.5 2^23, a multiple of m: so they are binary32 numbers as well, and a residue takes three operations.
/// For wide moduli the sum of upper digits is reduced, joined with that of lower ones, reduced again, and split.
template <int Steps, int Products, bool Again>
__global__ void __launch_bounds__(warps_of_block* warp_lanes, Steps <= 2 ? 5 : 4)
    to_bytes_kernel(integer_vectors x, byte_tables tables, std::int8_t* to)
{
    const index_t size = x.vectors * x.ld;
    const auto lane = static_cast<int>(threadIdx.x) % warp_lanes;
    const index_t first = (index_t{blockIdx.x} * warps_of_block + threadIdx.x / warp_lanes) * (8 * Products);
    const int passes = Again ? (x.words + 4 * Steps - 1) / (4 * Steps) : 1;
    std::int8_t* const mine = to + first + lane % 4 * (2 * Products);
    number_bytes<Steps, Products> bytes;
    bytes.load(x, first, 0);
    const byte_fragment* power = tables.power + lane;
    const tile_rows* of_row = tables.row + lane / 4;
    const tile_start* start = tables.start + (x.words - 1) * tables.tiles * half_tile + lane / 4;
    for (int tile = 0; tile < tables.tiles;
         ++tile, power += tables.power_steps * warp_lanes, of_row += half_tile, start += half_tile) {
        const bool narrow = tile < tables.narrow_tiles;
        const auto row = __ldg(reinterpret_cast<const float4*>(of_row));
        const auto begin = __ldg(reinterpret_cast<const int4*>(start));
        const int first_sum[4] = {begin.x, begin.x, begin.y, begin.y};
        int sum[Products][4];
        if constexpr (Again) {
#pragma unroll
            for (int t = 0; t < Products; ++t) {
                sum[t][0] = sum[t][1] = begin.x;
                sum[t][2] = sum[t][3] = begin.y;
            }
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
                if (!Again || 4 * (Steps * pass + s) < x.words) {
                    const int4 a = load_fragment(power + (Steps * pass + s) * warp_lanes);
#pragma unroll
                    for (int t = 0; t < Products; ++t) {
                        const int(&begun)[4] = sum[t];
                        multiply_unsigned(sum[t], a, bytes.half[s][t], !Again && s == 0 ? first_sum : begun);
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
                std::int8_t* to_plane = mine + (tables.narrow + 3 * i) * size;
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
                for (int plane = 0; plane < 3; ++plane, to_plane += size) {
                    store_words(to_plane, word[plane]);
                }
            }
        }
    }
}

template <int Steps>
void to_bytes(const cuda_executor& exec, const integer_vectors& x, const byte_tables& tables, std::int8_t* to)
{
    if (x.words > 4 * Steps && Steps < most_steps) {
        return to_bytes<std::min(Steps + 1, most_steps)>(exec, x, tables, to);
    }
    const bool again = x.words > 4 * Steps;
    const auto blocks = static_cast<unsigned>(x.size() / (warps_of_block * 8 * (again ? 4 : 8)));  // as registers allow
    const auto kernel = again ? to_bytes_kernel<most_steps, 4, true> : to_bytes_kernel<Steps, 8, false>;
    kernel<<<blocks, warps_of_block * warp_lanes, 0, exec.stream>>>(x, tables, to);
    require_cuda("gemm_exact", cudaGetLastError());
}

}  // namespace

byte_planes::byte_planes(const cuda_executor& exec, const integer_vectors& x, const byte_moduli& moduli)
    : vectors_(x.vectors), ld_(x.ld), planes_(moduli.planes()), data_(x.size() * planes_, exec, uninitialized{})
{
    const device_guard current(exec);
    to_bytes<1>(exec, x, moduli.tables(), data_.data());
}

}  // namespace residua::blas::detail
