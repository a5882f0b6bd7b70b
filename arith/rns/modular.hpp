#pragma once

#include <cstdint>

#include <residua/arith/base/host_device.hpp>

/// Arithmetic modulo an odd m below 2^31 on canonical residues 0, ..., m - 1. `inverse` is m^-1 mod 2^32.
namespace residua::detail {

__extension__ using uint128 = unsigned __int128;

/// The upper half of a product.
RESIDUA_HD std::uint32_t mul_high(std::uint32_t a, std::uint32_t b)
{
#if defined(__CUDA_ARCH__)
    return __umulhi(a, b);
#else
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) * b) >> 32);
#endif
}

RESIDUA_HD std::uint64_t mul_high(std::uint64_t a, std::uint64_t b)
{
#if defined(__CUDA_ARCH__)
    return __umul64hi(a, b);
#else
    return static_cast<std::uint64_t>((static_cast<uint128>(a) * b) >> 64);
#endif
}

/// a if `first`, else b: by value, since a reference chosen at run time keeps both in memory.
template <class T>
RESIDUA_HD T select(bool first, T a, T b)
{
    return first ? a : b;
}

/// The smaller of two, in one instruction where there is one.
RESIDUA_HD std::uint32_t min(std::uint32_t a, std::uint32_t b)
{
#if defined(__CUDA_ARCH__)
    return ::min(a, b);
#else
    return a < b ? a : b;
#endif
}

/// x 2^-32 mod m for 0 <= x < 2^32 m: Montgomery's reduction.
///
/// x - q m with q = x / m mod 2^32 is a multiple of 2^32; its upper half lies in -m + 1, ..., m - 1.
/// from  [Mon85]
RESIDUA_HD std::uint32_t reduce(std::uint64_t x, std::uint32_t m, std::uint32_t inverse)
{
    const std::uint32_t high = static_cast<std::uint32_t>(x >> 32);
    const std::uint32_t taken = mul_high(static_cast<std::uint32_t>(x) * inverse, m);
    const std::uint32_t r = high - taken;
    return min(r, r + m);
}

/// x 2^-32 mod m, or m more: m is always added, so that the result is in 1, ..., 2 m - 1. That suffices for a term
/// of the Chinese remainder theorem, whose rank takes up the difference.
RESIDUA_HD std::uint32_t reduce_loosely(std::uint64_t x, std::uint32_t m, std::uint32_t inverse)
{
    return static_cast<std::uint32_t>(x >> 32) + m - mul_high(static_cast<std::uint32_t>(x) * inverse, m);
}

/// a b 2^-32 mod m
RESIDUA_HD std::uint32_t montgomery(std::uint32_t a, std::uint32_t b, std::uint32_t m, std::uint32_t inverse)
{
    return reduce(static_cast<std::uint64_t>(a) * b, m, inverse);
}

RESIDUA_HD std::uint32_t add_mod(std::uint32_t a, std::uint32_t b, std::uint32_t m)
{
    const std::uint32_t s = a + b;
    return min(s, s - m);  // one of the two is beyond 2^31
}

RESIDUA_HD std::uint32_t sub_mod(std::uint32_t a, std::uint32_t b, std::uint32_t m)
{
    const std::uint32_t d = a - b;
    return min(d, d + m);
}

}  // namespace residua::detail
