#pragma once

#include <cstdint>
#include <memory>

#include <residua/arith/residue/moduli_set.hpp>
#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/cuda_executor.hpp>

/// Moduli whose residues tensor cores multiply: what kernels need to know of them, on a device.
namespace residua::blas::detail {

inline constexpr int digit_base = 127;
inline constexpr int float_middle = 3 << 22;  // of the whole numbers that binary32 has an ulp of 1 for
inline constexpr int rows_at_once = 16;       // of a matrix that a warp multiplies at once,
inline constexpr int bytes_at_once = 32;      // and its columns
inline constexpr int words_at_once = 8;       // of a sum, that a warp makes at once
inline constexpr int lanes = 32;

/// Bits of a sum whose residues, of some columns, shared memory holds.
inline constexpr long most_byte_sum = 18000;

/// What the lanes of a warp load of a matrix of rows_at_once x bytes_at_once.
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

/// y = w r = factor p mod m, r = p mod m: y = factor p - m q with the whole number q next to factor p / m.
///
/// q = quotient (1.5 2^52 + p) + offset - 1.5 2^52, rounded once: quotient is factor / m rounded to a multiple of 2^-51,
/// offset the whole number 1.5 2^52 (1 - quotient). With 0 <= factor < m and |p| < 2^31 this is factor p / m to within
/// 2^-21, which is 1 / (2 m) away from a half unless m is even.
struct alignas(16) narrow_modulus {
    double quotient;
    double offset;
    std::int32_t factor;
    std::int32_t modulus;
    std::int32_t share;  // 2^share_bits / m, rounded
    std::int32_t unused;
};

inline constexpr int share_bits = 23;

/// The same from three products: y = factor[0] low + factor[1] high + factor[2] both mod m.
struct alignas(16) wide_modulus {
    double modulus;
    double reciprocal;
    double factor[3];
    double unused;
};

/// In the memory of a device.
struct byte_tables {
    int narrow;
    int moduli;
    int planes;

    // Whole numbers to residues: 2^(8 j) mod m_i is the matrix, the bytes j of numbers are the columns. A tile has the
    // rows of 16 narrow moduli, or of 8 others: row g the lower digits, row g + 8 the upper.
    int narrow_tiles;
    int tiles;
    const byte_fragment* power;  // [(step * tiles + tile) * lanes + lane], a step is bytes_at_once
    const tile_rows* row;        // [tile * 8 + g]
    const tile_start* start;     // [(word * tiles + tile) * 8 + g] for numbers that end with that word

    // Residues to whole numbers: bytes of M / m_i are the matrix, y_i the columns. Words of four y_i: the narrow ones, two
    // digits of two others, two digits of the multiple of M.
    int residue_words;
    int steps;
    int words;                            // of 64 bits, of a sum
    const narrow_modulus* narrow_of_sum;  // to a multiple of 4, with zeros
    const wide_modulus* wide_of_sum;      // of 2
    const byte_fragment* part;            // [((chunk * steps + step) * 4 + tile) * lanes + lane]
};

/// Moduli up to 253, whose residues are a digit each, and others up to 127^2, whose residues are two digits of base 127,
/// |d| <= 64. A product of two such takes three products of digits: of the lower ones, of the upper ones, and of the
/// sums of both, 127 at most.
///
/// from  [OUI25]; products of two digits by three: Karatsuba, [Knuth98, 4.3.3]
class byte_moduli {
public:
    /// For sums below 2^(product_bits - 2) in magnitude, of numbers of so many 64-bit words at most.
    ///
    /// cost    on the host, a millisecond for 1700 bits, if such were not made before
    /// throws  unsupported_error if product_bits is above most_byte_sum
    byte_moduli(const cuda_executor& exec, long product_bits, int number_words);

    const moduli_set& set() const;

    /// Products of 8-bit matrices that a product takes.
    int planes() const { return tables_.planes; }

    /// 64-bit words that a number below M / 4 in magnitude takes.
    int words() const { return tables_.words; }

    const byte_tables& tables() const { return tables_; }

private:
    class host_tables;

    std::shared_ptr<const host_tables> host_;
    buffer<cuda_executor, std::int8_t> memory_;
    byte_tables tables_;
};

}  // namespace residua::blas::detail
