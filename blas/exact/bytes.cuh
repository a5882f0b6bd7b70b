#pragma once

#include <residua/blas/exact/byte_moduli.hpp>

/// Operations of kernels on bytes of residues.
namespace residua::blas::detail {

/// The two digits of base 127 of an integer below 2^13 in magnitude. Only the lowest byte of each word counts.
struct two_digits {
    static constexpr int multiples = (float_middle + 128 * digit_base) / (256 * digit_base);
    static constexpr int start = 0x4b000000 + multiples * 256 * digit_base - (1 << 23);  // as sums in to_bytes_kernel

    unsigned low;
    unsigned high;

    /// The digits of x - start.
    __device__ explicit two_digits(int x)
    {
        const int h = __float_as_int(
            __fmaf_rn(__int_as_float(x), 1.0F / digit_base, static_cast<float>(float_middle - 256 * multiples)));
        high = static_cast<unsigned>(h);
        low = static_cast<unsigned>(x - digit_base * h);
    }
};

/// The lowest bytes of four words.
__device__ inline unsigned packed(const unsigned (&x)[4])
{
    return __byte_perm(__byte_perm(x[0], x[1], 0x0040), __byte_perm(x[2], x[3], 0x0040), 0x5410);
}

__device__ inline int4 load_fragment(const byte_fragment* from) { return __ldg(reinterpret_cast<const int4*>(from)); }

}  // namespace residua::blas::detail
