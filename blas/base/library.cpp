#include <residua/blas/base/library.hpp>

#include <cstdlib>
#include <cstring>

#include <dlfcn.h>

// Functions of OpenBLAS; other libraries lack them.
extern "C" char* openblas_get_corename() __attribute__((weak));
extern "C" char* openblas_get_config() __attribute__((weak));
extern "C" void dgemm_();

namespace residua::blas {
namespace {

/// The word that follows "OpenBLAS " in its configuration.
std::string version_of_openblas()
{
    const std::string all = openblas_get_config != nullptr ? openblas_get_config() : "";
    const std::string before = "OpenBLAS ";
    const std::size_t begin = all.find(before);
    return begin == std::string::npos
               ? ""
               : all.substr(begin + before.size(), all.find(' ', begin + before.size()) - begin - before.size());
}

library_info find_library()
{
    if (openblas_get_corename == nullptr) {
        Dl_info where{};
        const bool is_known = dladdr(reinterpret_cast<const void*>(&dgemm_), &where) != 0;
        return {is_known && where.dli_fname != nullptr ? where.dli_fname : "unknown", "", "", ""};
    }
    library_info info{"OpenBLAS", version_of_openblas(), openblas_get_corename(), ""};
    const char* const better = detail::better_core(info.core.c_str());
    if (better != nullptr && std::getenv("OPENBLAS_CORETYPE") == nullptr) {
        info.suggested_core = better;
    }
    return info;
}

}  // namespace

const library_info& library()
{
    static const library_info found = find_library();
    return found;
}

std::string to_string(const library_info& info)
{
    return info.name + (info.version.empty() ? "" : " " + info.version) +
           (info.core.empty() ? "" : ", kernels for " + info.core);
}

std::string advice(const library_info& info)
{
    return info.suggested_core.empty()
               ? ""
               : info.name + " " + info.version + " does not know this processor and runs the kernels for " +
                     info.core + ": with OPENBLAS_CORETYPE=" + info.suggested_core +
                     " in the environment of the program it is faster";
}

const char* detail::better_core(const char* core) noexcept
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512vl");
    return better_core(core, has_avx2, has_avx512);
#else
    (void)core;
    return nullptr;
#endif
}

const char* detail::better_core(const char* core, bool has_avx2, bool has_avx512) noexcept
{
    constexpr const char* without_avx2[] = {
        "Katmai", "Coppermine", "Northwood",   "Prescott",  "Banias",     "Atom",         "Core2",
        "Penryn", "Dunnington", "Nehalem",     "Athlon",    "Opteron",    "Opteron_SSE3", "Barcelona",
        "Bobcat", "Nano",       "Sandybridge", "Bulldozer", "Piledriver", "Steamroller",  "Excavator"};
    constexpr const char* without_avx512[] = {"Haswell", "Zen"};
    const auto is_one_of = [core](const auto& names) {
        for (const char* const name : names) {
            if (std::strcmp(core, name) == 0) {
                return true;
            }
        }
        return false;
    };
    if (has_avx512 && (is_one_of(without_avx2) || is_one_of(without_avx512))) {
        return "SkylakeX";
    }
    return has_avx2 && is_one_of(without_avx2) ? "Haswell" : nullptr;
}

}  // namespace residua::blas
