#pragma once

#include <cstdint>
#include <memory>

#include <residua/arith/residue/moduli_set.hpp>
#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/cuda_executor.hpp>

/// Moduli whose residues tensor cores multiply: what kernels need to know of them, on a device.
namespace residua::blas::detail {

inline constexpr int digit_base = 127;
inline constexpr int float_middle = 3 << 22;   // the middle of the integers whose binary32 numbers have an ulp of 1
inline constexpr int rows_at_once = 16;        // rows of a matrix that a warp multiplies at once,
inline constexpr int bytes_at_once = 32;       // columns of that matrix, one byte each
inline constexpr int most_narrow_moduli = 48;  // pairwise coprime, from 253 down to 26; a multiple of 4
inline constexpr int warp_lanes = 32;
inline constexpr int words_at_once = 4;  // words of sums, in tiles_at_once tiles of rows_at_once bytes
inline constexpr int tiles_at_once = 2;

/// The most bits of sums for which shared memory holds the residues of some columns.
inline constexpr long most_byte_sum = 18000;

/// The part of a matrix of rows_at_once x bytes_at_once that each lane of a warp loads.
struct alignas(16) byte_fragment {
    std::int8_t byte[16];
};

/// How rows g and g + 8 of a tile are reduced: see to_bytes_kernel.
struct alignas(16) tile_rows {
    float reciprocal[2];
    float offset[2];
};

struct alignas(16) tile_start {
    std::int32_t start[2];
    std::int32_t factor[2];
};

/// r = p - m q = p mod m with q = floor((reciprocal p + half) / 2^(32 + shift)). reciprocal is 2^(32 + shift) / m,
/// rounded, and half is 2^(31 + shift). For |p| < 2^31, q is p / m rounded, to within 2^-(2 + shift). shift is 6 for m
/// above 128, so that |r| < 253 / 2 + 1, otherwise 3.
struct alignas(8) narrow_modulus {
    std::int64_t half;
    std::int32_t reciprocal;
    std::int32_t factor;  // -m
    std::int32_t share;   // 2^share_bits w / m, rounded
    std::int32_t shift;
};

inline constexpr int share_bits = 19;

inline constexpr int wide_share_bits = 37;

/// Makes y = w r mod m of three products: y = factor[0] low + factor[1] high + factor[2] both mod m, |factor| <= m / 2.
struct alignas(16) wide_modulus {
    double reciprocal;
    std::int32_t factor[3];
    std::int32_t negative;  // -m
    std::int32_t share;     // 2^wide_share_bits / m, rounded
    std::int32_t unused;
};

/// The tables for kernels. The struct is an argument of kernels; its pointers lead to the memory of the device.
struct byte_tables {
    int narrow;
    int moduli;
    int planes;

    // From integers to residues, the matrix is 2^(8 j) mod m_i, and its columns are multiplied by bytes j of numbers. A
    // tile has the rows of 16 narrow moduli, or of 8 wide ones: row g their lower digits, row g + 8 the upper ones.
    int narrow_tiles;
    int tiles;
    int power_steps;             // steps of bytes_at_once columns
    const byte_fragment* power;  // [(tile * power_steps + step) * warp_lanes + lane]
    const tile_rows* row;        // [tile * 8 + g]
    const tile_start* start;     // [(word * tiles + tile) * 8 + g] for numbers whose last word is `word`

    // From residues to integers, the matrix is the bytes of w_i M / m_i, its columns are r_i; for wide moduli, M / m_i
    // and y_i. Four columns are a word: narrow moduli, two digits of two wide ones, two digits of the multiple of M.
    int residue_words;
    int steps;
    int words;                        // words of 64 bits in a sum
    int chunks;                       // chunks of words_at_once words, rounded up
    const wide_modulus* wide_of_sum;  // filled up to a multiple of 2
    const byte_fragment* part;        // [((chunk * steps + step) * tiles_at_once + tile) * warp_lanes + lane]
    narrow_modulus narrow_of_sum[most_narrow_moduli];  // with zeros at the end
};

/// Narrow moduli up to 253, whose residues are one digit, and wide ones up to 127^2, whose residues are two digits of
/// base 127, |d| <= 64. A product of wide residues takes three products of digits: of the lower ones, of the upper
/// ones, and of the sums of both, 127 at most.
///
/// from  [OUI25]; products of two digits by three: Karatsuba, [Knuth98, 4.3.3]
class byte_moduli {
public:
    /// Tables for sums below 2^(product_bits - 2) in magnitude, of numbers of at most number_words 64-bit words.
    ///
    /// cost    a millisecond on the host for 1700 bits, if these tables were not made before
    /// throws  unsupported_error if product_bits is above most_byte_sum
    byte_moduli(const cuda_executor& exec, long product_bits, int number_words);

    const moduli_set& set() const;

    /// The number of 8-bit matrix products in a product of matrices.
    int planes() const { return tables_.planes; }

    /// The 64-bit words of a number below M / 4 in magnitude.
    int words() const { return tables_.words; }

    const byte_tables& tables() const { return tables_; }

private:
    class host_tables;

    std::shared_ptr<const host_tables> host_;
    buffer<cuda_executor, std::int8_t> memory_;
    byte_tables tables_;
};

}  // namespace residua::blas::detail
