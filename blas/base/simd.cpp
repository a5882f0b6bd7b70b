#include <residua/blas/base/simd.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>

namespace residua::blas {
namespace {

isa processor_isa()
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    if (avx2) {
        return avx512 ? isa::avx512 : isa::avx2;
    }
#endif
    return isa::portable;
}

bool processor_has_ifma()
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("avx512cd");
#else
    return false;
#endif
}

isa environment_isa()
{
    const char* text = std::getenv("RESIDUA_ISA");
    const std::string name = text != nullptr ? text : "avx512";
    if (name == "portable") {
        return isa::portable;
    }
    if (name == "avx2") {
        return isa::avx2;
    }
    if (name == "avx512") {
        return isa::avx512;
    }
    throw error("RESIDUA_ISA=" + name + ": not one of portable, avx2, avx512");
}

std::atomic<isa> limit = isa::avx512;

}  // namespace

isa host_isa()
{
    static const isa detected = std::min(processor_isa(), environment_isa());
    return std::min(detected, limit.load(std::memory_order_relaxed));
}

bool host_has_ifma()
{
    static const bool detected = processor_has_ifma();
    return detected && host_isa() == isa::avx512;
}

void limit_isa(isa highest) { limit.store(highest, std::memory_order_relaxed); }

}  // namespace residua::blas
