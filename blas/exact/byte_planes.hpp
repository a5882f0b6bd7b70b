#pragma once

#include <cstdint>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/exact/byte_moduli.hpp>

/// Integers as bytes of their residues, on a device.
namespace residua::blas::detail {

/// Vectors of integers in two's complement, the rows of A or the columns of B in a product A B. Word w of element l of
/// vector v is word[w * stride + v * ld + l]. ld is a multiple of byte_group, and words beyond the elements are zero.
struct integer_vectors {
    const std::uint64_t* word = nullptr;
    index_t stride = 0;
    int words = 0;
    index_t vectors = 0;
    index_t ld = 0;

    index_t size() const { return vectors * ld; }
};

inline constexpr index_t byte_group = 16;

constexpr index_t padded_to_group(index_t n) { return (n + byte_group - 1) / byte_group * byte_group; }

/// The digits of the residues of vectors: digit p of element e is plane(p)[e].
class byte_planes {
public:
    /// shapes  x with a multiple of byte_group of vectors
    /// cost    (bits / 8) rows multiply-adds of bytes for an element; a narrow modulus is one row, a wide one two
    byte_planes(const cuda_executor& exec, const integer_vectors& x, const byte_moduli& moduli);

    index_t vectors() const { return vectors_; }
    index_t ld() const { return ld_; }
    index_t size() const { return vectors_ * ld_; }
    int planes() const { return planes_; }
    const std::int8_t* data() const { return data_.data(); }

private:
    index_t vectors_;
    index_t ld_;
    int planes_;
    buffer<cuda_executor, std::int8_t> data_;
};

}  // namespace residua::blas::detail
