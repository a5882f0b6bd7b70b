#pragma once

#include <utility>

#include <residua/io/error.hpp>

namespace residua::blas {

/// Instruction sets that kernels are compiled for, in ascending order. Results do not depend on
/// the choice: every operation is correctly rounded in each of them.
enum class isa { portable, avx2, avx512 };

/// What kernels run on: the best that this processor has and that neither limit_isa nor the
/// environment variable RESIDUA_ISA (portable, avx2 or avx512) forbids.
///
/// throws  error if RESIDUA_ISA is set to anything else
isa host_isa();

/// Forbids everything above `highest` until the next call; isa::avx512 lifts the limit.
/// For tests and measurements; not while a kernel runs.
void limit_isa(isa highest);

/// Whether kernels for AVX-512 IFMA and CD may run; isa::avx512 stands for the rest of AVX-512.
bool host_has_ifma();

namespace detail {

#if defined(__x86_64__)
template <class Kernel>
__attribute__((target("avx2,fma"), noinline)) void run_avx2(const Kernel& kernel)
{
    kernel();
}

template <class Kernel>
#if defined(__clang__)
__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma"), min_vector_width(512),
               noinline))
#else
__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma,prefer-vector-width=512"),
               noinline))
#endif
void run_avx512(const Kernel& kernel)
{
    kernel();
}
#endif

/// Calls kernel() compiled for AVX2 and FMA if this machine has them, for scalar code and narrow SIMD.
/// The kernel is a lambda marked __attribute__((always_inline)): its loops are vectorised as part
/// of the function, of the wanted target, that it is inlined into.
template <class Kernel>
void run_scalar(const Kernel& kernel)
{
#if defined(__x86_64__)
    if (host_isa() >= isa::avx2) {
        return run_avx2(kernel);
    }
#endif
    kernel();
}

/// Calls kernel(), as above, compiled for the best instruction set of this machine.
template <class Kernel>
void run_simd(const Kernel& kernel)
{
#if defined(__x86_64__)
    if (host_isa() == isa::avx512) {
        return run_avx512(kernel);
    }
#endif
    run_scalar(kernel);
}

/// f(l) for l = 0, ..., lanes - 1 in SIMD lanes. f must not carry anything from one l to the next.
template <class F>
inline __attribute__((always_inline)) void for_lanes(index_t lanes, const F& f)
{
#pragma omp simd
    for (index_t l = 0; l < lanes; ++l) {
        f(l);
    }
}

}  // namespace detail
}  // namespace residua::blas
