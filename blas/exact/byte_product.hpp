#pragma once

#include <cstdint>

#include <residua/blas/exact/byte_planes.hpp>

/// Exact products of matrices of integers on a device. Tensor cores multiply residues of 8 bits, or of two digits of 7
/// bits, and add up the products in 32 bits.
namespace residua::blas::detail {

/// The most terms whose products, below 2^14 each, add up exactly in 32 bits.
inline constexpr index_t most_byte_terms = (index_t{1} << 17) - byte_group;

/// Multiplies each plane of A by that plane of vectors first, ..., first + count - 1 of B, count a multiple of
/// byte_group. Element (i, j) for plane p becomes product[(p * count + j) * a.vectors() + i].
///
/// shapes  A and B of one ld, most_byte_terms at most
void multiply_planes(const cuda_executor& exec, const byte_planes& a, const byte_planes& b, index_t first,
                     index_t count, std::int32_t* product);

/// C <- A B for columns first, ..., first + count - 1 of B, |c_ij| < M / 4. Word w of the moduli.words() words of c_ij
/// becomes c[w * stride + i + (j - first) * a.vectors()].
///
/// shapes  A and B as for multiply_planes
/// cost    moduli.planes() products of 8-bit matrices, and (bits / 8) moduli multiply-adds of bytes for an element
void multiply_bytes(const cuda_executor& exec, const byte_planes& a, const byte_planes& b, index_t first, index_t count,
                    const byte_moduli& moduli, std::uint64_t* c, index_t stride);

}  // namespace residua::blas::detail
