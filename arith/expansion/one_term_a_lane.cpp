#include <residua/arith/expansion/one_term_a_lane.hpp>

namespace residua::detail {
namespace {

#if defined(__x86_64__)
template <class F>
__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma"), noinline)) void run_avx512(const F& f)
{
    f();
}

template <class F>
__attribute__((target("avx2,fma"), noinline)) void run_avx2(const F& f)
{
    f();
}

enum class isa { portable, avx2, avx512 };

isa best_isa()
{
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    return !avx2 ? isa::portable : avx512 ? isa::avx512 : isa::avx2;
}
#endif

/// f(), a lambda marked always_inline, for the best instruction set: the lanes are loops that vectorise, and the
/// results do not depend on it.
template <class F>
void run(const F& f)
{
#if defined(__x86_64__)
    static const isa best = best_isa();
    if (best == isa::avx512) {
        return run_avx512(f);
    }
    if (best == isa::avx2) {
        return run_avx2(f);
    }
#endif
    f();
}

}  // namespace

void sum_by_lanes(const double* x, const double* y, int n, double* r)
{
    run([=]() __attribute__((always_inline)) { by_lanes::sum(x, y, n, r); });
}

void product_by_lanes(const double* x, const double* y, int n, double* r)
{
    run([=]() __attribute__((always_inline)) { by_lanes::product(x, y, n, r); });
}

void scaled_by_lanes(const double* x, double d, int n, double* r)
{
    run([=]() __attribute__((always_inline)) { by_lanes::scaled(x, d, n, r); });
}

void quotient_by_lanes(const double* x, const double* y, int n, double* r)
{
    run([=]() __attribute__((always_inline)) { by_lanes::quotient(x, y, n, r); });
}

}  // namespace residua::detail
