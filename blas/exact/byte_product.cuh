#pragma once

#include <cstdint>

#include <residua/arith/slices/slices.hpp>
#include <residua/blas/base/launch.cuh>
#include <residua/blas/exact/byte_product.hpp>
#include <residua/blas/exact/bytes.cuh>

/// Sums of products from their residues, on a device.
namespace residua::blas::detail {

/// The work of a block: its warps share out the moduli of some sums, then their words.
struct sums_block {
    static constexpr int most_shared = 220000;  // bytes
    static constexpr int ahead = 3;             // words of residues whose products a warp has asked for

    /// Words from one row of shared memory to the next, so that lanes use all banks.
    __host__ __device__ static constexpr int apart(int elements) { return elements + 8; }

    /// The bytes of shared memory for sums, for residues, and for the carry out of each words_at_once words of sums.
    __host__ __device__ static int bytes(const byte_tables& tables, int elements)
    {
        return tables.chunks * (words_at_once * apart(elements) * 8 + elements * 4) +
               tables.steps * bytes_at_once * apart(elements);
    }
};

/// sum += a b, signed bytes of a matrix times bytes of columns. Lane 4 g + q has rows g and g + 8 of columns 2 q and
/// 2 q + 1.
__device__ inline void multiply_signed(int (&sum)[4], const int4& a, unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

/// The products in the planes of some moduli, for two sums. A modulus has Each planes.
template <int Each>
struct plane_reader {
    const std::int32_t* product;
    index_t size;
    int planes;

    /// Loads planes first, ..., first + Count - 1, of complete moduli; zeros where there are no planes.
    template <int Count>
    __device__ void read(int first, int2 (&to)[Count]) const
    {
        const std::int32_t* next = product + first * size;
#pragma unroll
        for (int k = 0; k < Count; ++k, next += size) {
            to[k] = first + k / Each * Each < planes ? __ldcs(reinterpret_cast<const int2*>(next)) : int2{};
        }
    }
};

/// Makes four bytes of a column from four narrow moduli, and adds their shares of M.
__device__ inline uint2 narrow_residues(const int2 (&p)[4], const narrow_modulus* moduli, int (&share)[2])
{
    unsigned y[2][4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const narrow_modulus& m = moduli[k];
#pragma unroll
        for (int e = 0; e < 2; ++e) {
            const int x = e == 0 ? p[k].x : p[k].y;
            const auto quotient = static_cast<int>((std::int64_t{x} * m.reciprocal + m.half) >> 32) >> m.shift;
            const int r = x + m.factor * quotient;
            share[e] += m.share * r;
            y[e][k] = static_cast<unsigned>(r);
        }
    }
    return {packed(y[0]), packed(y[1])};
}

/// Makes four bytes of a column from two wide moduli, and adds their shares of M, times 2^wide_share_bits.
///
/// x, the sum of three products below 2^46, is added to the bits of the binary64 number 1.5 2^52, which gives the bits
/// of the sum. The quotient is the integer next to a value within |x| 2^-53 / m of x / m, which is 1 / (2 m) away from
/// a half unless m is even. So |r| <= m / 2, for which the lowest 32 bits do. A share is off by |r| 2^-38 at most.
__device__ inline uint2 wide_residues(const int2 (&p)[6], const wide_modulus* moduli, std::int64_t (&share)[2])
{
    constexpr double middle = 0x1.8p52;
    constexpr int upper_bits = 0x43380000;  // of middle; the lower ones are zero
    unsigned y[2][4];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const auto* const from = reinterpret_cast<const int4*>(moduli + k);
        const int4 first = __ldg(from);
        const int4 rest = __ldg(from + 1);
        const double reciprocal = __hiloint2double(first.y, first.x);
        const int factor[3] = {first.z, first.w, rest.x};
#pragma unroll
        for (int e = 0; e < 2; ++e) {
            std::int64_t sum = 0;
#pragma unroll
            for (int j = 0; j < 3; ++j) {
                sum += std::int64_t{e == 0 ? p[3 * k + j].x : p[3 * k + j].y} * factor[j];
            }
            const auto low = static_cast<unsigned>(sum);
            const double number = __hiloint2double(static_cast<int>(sum >> 32) + upper_bits, static_cast<int>(low));
            const double x = __dsub_rn(number, middle);
            const auto quotient = static_cast<unsigned>(__double2loint(__fma_rn(x, reciprocal, middle)));
            const auto r = static_cast<int>(low + static_cast<unsigned>(rest.y) * quotient);
            share[e] += std::int64_t{rest.z} * r;
            const two_digits d(two_digits::start + r);
            y[e][2 * k] = d.low;
            y[e][2 * k + 1] = d.high;
        }
    }
    return {packed(y[0]), packed(y[1])};
}

/// Makes the columns of two sums, in words of four bytes, from the products product[p * size + e] of planes p. The
/// warps take words in turn. Returns the share of M that the residues of this warp make, times 2^share_bits.
///
/// X = sum_i r_i w_i M / m_i - k M; wide moduli have y_i = w_i r_i mod m_i in place of r_i w_i. |X / M| < 1/4 gives k.
template <int Warps>
__device__ int2 keep_residues(const std::int32_t* product, index_t size, const byte_tables& tables, int warp,
                              unsigned* residue, int apart)
{
    constexpr int ahead = sums_block::ahead;
    const int narrow_words = (tables.narrow + 3) / 4;
    const int wide_words = tables.residue_words - 1 - narrow_words;
    const auto keep = [&](int word, uint2 y) { *reinterpret_cast<uint2*>(residue + word * apart) = y; };
    const plane_reader<1> of_narrow{product, size, tables.narrow};
    const plane_reader<3> of_wide{product + tables.narrow * size, size, tables.planes - tables.narrow};
    int2 p[ahead][4];
#pragma unroll
    for (int j = 0; j < ahead; ++j) {
        of_narrow.read(4 * (Warps * j + warp), p[j]);
    }
    int word = (warp - narrow_words) & (Warps - 1);
    int2 q[ahead][6];
    of_wide.read(6 * word, q[0]);
    int share[2] = {};
#pragma unroll
    for (int k = 0; k < most_narrow_moduli / 4; ++k) {  // so that moduli are operands of instructions
        const int turn = k / Warps;
        if (k % Warps == warp && k < narrow_words) {
            keep(k, narrow_residues(p[turn % ahead], tables.narrow_of_sum + 4 * k, share));
        }
        if (k % Warps == Warps - 1 && (turn + ahead) * Warps < most_narrow_moduli / 4) {
            of_narrow.read(4 * (Warps * (turn + ahead) + warp), p[turn % ahead]);
            __syncwarp();  // without it the compiler moves reads to where their words are used
        }
    }
    std::int64_t wide_share[2] = {};
    const auto keep_wide = [&](int of, const int2(&p)[6]) {
        keep(narrow_words + of, wide_residues(p, tables.wide_of_sum + 2 * of, wide_share));
    };
    __syncwarp();
#pragma unroll
    for (int j = 1; j < ahead; ++j) {
        of_wide.read(6 * (word + Warps * j), q[j]);
    }
    while (word < wide_words) {
#pragma unroll
        for (int j = 0; j < ahead; ++j, word += Warps) {
            if (word < wide_words) {
                keep_wide(word, q[j]);
                of_wide.read(6 * (word + Warps * ahead), q[j]);
            }
            __syncwarp();
        }
    }
    const auto both = [&](int e) {
        return share[e] + static_cast<int>(wide_share[e] >> (wide_share_bits - share_bits));
    };
    return {both(0), both(1)};
}

/// Makes the elements of a product, and calls store(e, sum) for each element e; store may overwrite the sum.
///
/// A block of Warps warps, a power of two, makes Elements sums from product[p * size + e] of all planes p. A warp makes
/// words_at_once words of 8 Products sums by one product of matrices.
template <int Warps, int Elements, int Products, class Store>
__global__ void __launch_bounds__(Warps* warp_lanes, (Warps == 1 ? 24 : 20) / Warps)
    sums_kernel(const std::int32_t* product, index_t size, const __grid_constant__ byte_tables tables, Store store)
{
    constexpr int apart = sums_block::apart(Elements);
    constexpr int groups = Elements / (8 * Products);
    extern __shared__ longlong2 shared[];
    auto* const sums = reinterpret_cast<std::uint64_t*>(shared);  // [word * apart + element]
    auto* const residue = reinterpret_cast<unsigned*>(sums + tables.chunks * words_at_once * apart);  // as sums
    auto* const above =
        reinterpret_cast<int*>(residue + tables.steps * (bytes_at_once / 4) * apart);  // [chunk * elements + element]
    auto* const shares = reinterpret_cast<int*>(shared);  // [warp * elements + element], before there are sums
    const auto t = static_cast<int>(threadIdx.x);
    const int lane = t % warp_lanes;
    const int warp = t / warp_lanes;
    const index_t first = index_t{blockIdx.x} * Elements;
    const int two = 2 * lane % Elements;
    *reinterpret_cast<int2*>(shares + warp * Elements + two) =
        keep_residues<Warps>(product + first + two, size, tables, warp, residue + two, apart);
    __syncthreads();
    for (int e = t; e < Elements; e += Warps * warp_lanes) {
        int share = 1 << (share_bits - 1);
#pragma unroll
        for (int k = 0; k < Warps; ++k) {
            share += shares[k * Elements + e];
        }
        const two_digits multiple(two_digits::start - (share >> share_bits));
        const unsigned digits[4] = {multiple.low, multiple.high, 0, 0};
        residue[(tables.residue_words - 1) * apart + e] = packed(digits);
        for (int word = tables.residue_words; word < tables.steps * (bytes_at_once / 4); ++word) {
            residue[word * apart + e] = 0;
        }
    }
    __syncthreads();
    for (int turn = warp; turn < tables.chunks * groups; turn += Warps) {
        const int chunk = turn / groups;
        const int begin = turn % groups * (8 * Products);
        int sum[tiles_at_once][Products][4] = {};
        const unsigned* column = residue + lane % 4 * apart + begin + lane / 4;
        const byte_fragment* part = tables.part + chunk * tables.steps * tiles_at_once * warp_lanes + lane;
        for (int step = 0; step < tables.steps; ++step, column += 8 * apart, part += tiles_at_once * warp_lanes) {
            const int4 a[tiles_at_once] = {load_fragment(part), load_fragment(part + warp_lanes)};
#pragma unroll
            for (int k = 0; k < Products; ++k) {
                const unsigned b[2] = {column[8 * k], column[8 * k + 4 * apart]};
#pragma unroll
                for (int tile = 0; tile < tiles_at_once; ++tile) {
                    multiply_signed(sum[tile][k], a[tile], b[0], b[1]);
                }
            }
        }
#pragma unroll
        for (int k = 0; k < Products; k += 4) {  // each lane has a column
            std::uint64_t* const word = sums + chunk * words_at_once * apart + begin + 8 * k;
            std::int64_t half[2][words_at_once];  // what is below 2^32 and above, less than 2^51 both
#pragma unroll
            for (int side = 0; side < 2; ++side) {
                if (lane / 16 == side) {
#pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        const auto joined = [&](int v) {
                            const int* const low = sum[0][k + j] + v;
                            const int* const high = sum[1][k + j] + v;
                            return std::int64_t{low[0]} + 256 * std::int64_t{low[2]} + 65536 * std::int64_t{high[0]} +
                                   16777216 * std::int64_t{high[2]};
                        };
                        *reinterpret_cast<longlong2*>(word + lane / 4 % 4 * apart + lane % 4 * 2 + 8 * j) = {joined(0),
                                                                                                             joined(1)};
                    }
                }
                __syncwarp();
#pragma unroll
                for (int w = 0; w < words_at_once; ++w) {
                    half[side][w] = static_cast<std::int64_t>(word[w * apart + lane]);
                }
                __syncwarp();
            }
            std::int64_t carry = 0;
#pragma unroll
            for (int w = 0; w < words_at_once; ++w) {
                const std::int64_t low = carry + half[0][w];
                const std::int64_t high = (low >> 32) + half[1][w];
                carry = high >> 32;
                word[w * apart + lane] = static_cast<std::uint32_t>(low) | static_cast<std::uint64_t>(high) << 32;
            }
            above[chunk * Elements + begin + 8 * k + lane] = static_cast<int>(carry);
        }
    }
    __syncthreads();
    for (int e = t; e < Elements; e += Warps * warp_lanes) {
        std::int64_t carry = 0;
        for (int chunk = 0; chunk < tables.chunks; ++chunk) {
            std::uint64_t* const word = sums + chunk * words_at_once * apart + e;
            for (int w = 0; w < words_at_once && carry != 0; ++w) {
                const std::uint64_t x = word[w * apart];
                const std::uint64_t y = x + static_cast<std::uint64_t>(carry);
                word[w * apart] = y;
                carry = carry > 0 ? (y < x ? 1 : 0) : (y > x ? -1 : 0);
            }
            carry += above[chunk * Elements + e];
        }
        store(first + e, long_integer{sums + e, apart, tables.words});
    }
}

/// C <- A B for vectors first, ..., first + count - 1 of B, as multiply_bytes: store(e, sum), a function of a device,
/// takes number e = i + (j - first) a.vectors() of the result.
template <class Store>
void multiply_bytes(const char* op, const cuda_executor& exec, const byte_planes& a, const byte_planes& b,
                    index_t first, index_t count, const byte_moduli& moduli, const Store& store)
{
    const device_guard current(exec);
    const byte_tables& tables = moduli.tables();
    const index_t size = a.vectors() * count;
    buffer<cuda_executor, std::int32_t> product(size * a.planes(), exec, uninitialized{});
    multiply_planes(exec, a, b, first, count, product.data());
    const auto run = [&](auto kernel, int warps, int elements) {
        const int bytes = sums_block::bytes(tables, elements);
        allow_shared_memory(exec, op, reinterpret_cast<const void*>(kernel), bytes);
        kernel<<<static_cast<unsigned>(size / elements), static_cast<unsigned>(warps * warp_lanes),
                 static_cast<unsigned>(bytes), exec.stream>>>(product.data(), size, tables, store);
        require_cuda(op, cudaGetLastError());
    };
    // longer sums are shared by more warps, so that shared memory has room for as many warps as registers have
    if (tables.chunks == 1) {
        run(sums_kernel<1, 64, 4, Store>, 1, 64);
    } else if (tables.chunks <= 4) {
        run(sums_kernel<2, 64, 8, Store>, 2, 64);
    } else if (sums_block::bytes(tables, 64) <= sums_block::most_shared) {
        run(sums_kernel<4, 64, 8, Store>, 4, 64);
    } else {
        run(sums_kernel<4, 32, 4, Store>, 4, 32);
    }
}

}  // namespace residua::blas::detail
