#pragma once

#include <cstdint>

#include <residua/blas/exact/byte_planes.hpp>

/// Exact products of a matrix of integers with a vector on a device. Tensor cores multiply digits of 8 bits, and add up
/// the products in 32 bits. A byte of the matrix is read once.
namespace residua::blas::detail {

/// Digits of base 256, -128 <= d < 128, of integers. Digit p of element e is data()[p * size() + e].
class digit_planes {
public:
    /// Makes planes 0 to planes - 1; those that the numbers do not need are zero.
    ///
    /// cost  the words and the digits are moved once
    digit_planes(const char* op, const cuda_executor& exec, const integer_vectors& x, int planes);

    /// The planes that numbers below 2^bits in magnitude need.
    static constexpr int needed(std::int64_t bits) { return static_cast<int>((bits + 9) / 8); }

    int planes() const { return planes_; }
    index_t vectors() const { return vectors_; }
    index_t ld() const { return ld_; }
    index_t size() const { return vectors_ * ld_; }
    const std::int8_t* data() const { return data_.data(); }

private:
    int planes_;
    index_t vectors_;
    index_t ld_;
    buffer<cuda_executor, std::int8_t> data_;
};

/// The number of planes of x is a multiple of this, for cuBLAS.
inline constexpr int digit_group = 64;

/// The parts of the vectors of A and of x. 32 bits hold the sum over a part, and ld is a multiple of its length.
struct digit_parts {
    index_t length;
    index_t count;

    digit_parts(index_t terms, index_t vectors);

    index_t ld() const { return length * count; }
};

/// sum_i <- vector i of A times x, for all vectors. Word w of the `words` words of sum i is sums[w * stride + i].
///
/// shapes  A and x of one ld; x is one vector, whose number of planes is a multiple of digit_group
/// cost    a.planes() x.planes() products of 8 bits for an element of A; bytes of A are read once, and 4 bytes for
///         each pair of planes and row are moved twice
void multiply_digits(const char* op, const cuda_executor& exec, const digit_planes& a, const digit_planes& x,
                     const digit_parts& parts, int planes_of_x, std::uint64_t* sums, index_t stride, int words);

}  // namespace residua::blas::detail
