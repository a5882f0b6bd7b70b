#pragma once

#include <cstdint>

#include <residua/blas/base/buffer.hpp>
#include <residua/blas/base/cuda_executor.hpp>
#include <residua/blas/exact/byte_moduli.hpp>
#include <residua/io/error.hpp>

/// Products of matrices of whole numbers on a device, exactly: residues of 8 bits, or of two digits of 7, whose products
/// tensor cores add up in 32 bits.
namespace residua::blas::detail {

/// Vectors of whole numbers in two's complement, the rows of A or the columns of B in a product A B: word w of element
/// l of vector v is word[w * stride + v * ld + l]. Vectors and ld are multiples of byte_group, and what is there beyond
/// the elements is zero.
struct whole_vectors {
    const std::uint64_t* word = nullptr;
    index_t stride = 0;
    int words = 0;
    index_t vectors = 0;
    index_t ld = 0;

    index_t size() const { return vectors * ld; }
};

inline constexpr index_t byte_group = 16;

constexpr index_t padded_to_group(index_t n) { return (n + byte_group - 1) / byte_group * byte_group; }

/// Terms whose products, below 2^14 each, 32 bits add up.
inline constexpr index_t most_byte_terms = (index_t{1} << 17) - byte_group;

/// The digits of residues of some vectors: plane p of element e at plane(p)[e].
class byte_planes {
public:
    /// cost  (bits / 32) moduli multiply-adds of binary64 for an element
    byte_planes(const cuda_executor& exec, const whole_vectors& x, const byte_moduli& moduli);

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

/// The products of each plane of A with that of vectors first, ..., first + count - 1 of B, count a multiple of byte_group:
/// element (i, j) of plane p at product[(p * count + j) * a.vectors() + i].
///
/// shapes  A and B of one ld, most_byte_terms at most
void multiply_planes(const cuda_executor& exec, const byte_planes& a, const byte_planes& b, index_t first,
                     index_t count, std::int32_t* product);

/// C <- A B for those columns of B, |c_ij| < M / 4: word w of c_ij at c[w * stride + i + (j - first) * a.vectors()], of
/// moduli.words() words.
///
/// shapes  A and B as for multiply_planes
/// cost    moduli.planes() products of 8-bit matrices, and (bits / 32) moduli multiply-adds of binary64 for an element
void multiply_bytes(const cuda_executor& exec, const byte_planes& a, const byte_planes& b, index_t first, index_t count,
                    const byte_moduli& moduli, std::uint64_t* c, index_t stride);

}  // namespace residua::blas::detail
