#pragma once

#include <residua/arith/base/host_device.hpp>

namespace residua::detail {

/// The most digits of a number that a thread of a kernel keeps in registers: loops over as many or fewer are unrolled,
/// loops over more digits stay loops and go over local memory.
inline constexpr int most_in_registers = 64;

}  // namespace residua::detail

/// Before a loop over arrays of M digits, M a constant expression. On the host, numbers of a few digits are added and
/// multiplied in half of the time if such loops are unrolled.
#if defined(__CUDA_ARCH__)
#define RESIDUA_PRAGMA(text) _Pragma(#text)
#define RESIDUA_UNROLL(M) RESIDUA_PRAGMA(unroll((M) <= residua::detail::most_in_registers ? 2 * (M) : 1))
#elif defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define RESIDUA_UNROLL(M) _Pragma("GCC unroll 16")
#else
#define RESIDUA_UNROLL(M)
#endif
