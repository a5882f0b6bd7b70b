#pragma once

#if defined(__FAST_MATH__)
#error "residua's arithmetic is wrong under -ffast-math: error-free transforms need IEEE semantics"
#endif

/// Marks an element function: compiled for host and device, always inlined, so that a host
/// loop around it is vectorised for the instruction set of the loop's function.
#if defined(__CUDACC__)
#define RESIDUA_HD __host__ __device__ inline __attribute__((always_inline))
#else
#define RESIDUA_HD inline __attribute__((always_inline))
#endif

/// The same for a function too long to be inlined wherever it is called.
#if defined(__CUDACC__)
#define RESIDUA_HD_LONG __host__ __device__
#else
#define RESIDUA_HD_LONG
#endif

/// The same for one that is seldom called and would only crowd its callers. Numbers that a kernel has in registers go
/// in by value: by reference they would have to lie in memory, called or not.
#if defined(__CUDACC__)
#define RESIDUA_HD_RARE __host__ __device__ __noinline__
#else
#define RESIDUA_HD_RARE __attribute__((noinline))
#endif

/// Before a loop of many steps: kernels keep it a loop, however constant its length.
#if defined(__CUDA_ARCH__)
#define RESIDUA_KEEP_LOOP _Pragma("unroll 1")
#else
#define RESIDUA_KEEP_LOOP
#endif

namespace residua::detail {

/// How many words of a number a thread of a kernel keeps in registers: loops over so many are unrolled there, those
/// over more stay loops, over local memory.
inline constexpr int most_in_registers = 64;

}  // namespace residua::detail

/// Before a loop over arrays of M words, M a constant expression.
#if defined(__CUDA_ARCH__)
#define RESIDUA_PRAGMA(text) _Pragma(#text)
#define RESIDUA_UNROLL(M) RESIDUA_PRAGMA(unroll((M) <= residua::detail::most_in_registers ? 2 * (M) : 1))
#else
#define RESIDUA_UNROLL(M)
#endif
