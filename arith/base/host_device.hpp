#pragma once

#if defined(__FAST_MATH__)
#error "residua's arithmetic is wrong under -ffast-math: error-free transforms need IEEE semantics"
#endif

/// Marks an element function: compiled for host and device, always inlined, so that a host
/// loop around it is vectorised for the instruction set of the loop's function.
///
/// With RESIDUA_INLINE_LESS the host compiler decides what to inline: files without hot loops define it, and compile up
/// to three times as fast. The bits are the same.
#if defined(__CUDACC__)
#define RESIDUA_HD __host__ __device__ inline __attribute__((always_inline))
#elif defined(RESIDUA_INLINE_LESS)
#define RESIDUA_HD inline
#else
#define RESIDUA_HD inline __attribute__((always_inline))
#endif

/// Marks an element function that is too long to be inlined wherever it is called.
#if defined(__CUDACC__)
#define RESIDUA_HD_LONG __host__ __device__
#else
#define RESIDUA_HD_LONG
#endif

/// Marks an element function that is seldom called: it is not inlined, so that it does not crowd its callers.
#if defined(__CUDACC__)
#define RESIDUA_HD_RARE __host__ __device__ __noinline__
#else
#define RESIDUA_HD_RARE __attribute__((noinline))
#endif

/// Stands before a loop of many steps: kernels then do not unroll it, even if its length is constant.
#if defined(__CUDA_ARCH__)
#define RESIDUA_KEEP_LOOP _Pragma("unroll 1")
#else
#define RESIDUA_KEEP_LOOP
#endif
