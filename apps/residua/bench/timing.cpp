#include "timing.hpp"

#include <cstring>

#include <unistd.h>

#include <residua/blas/base/parallel.hpp>
#include <residua/solvers/base/memory.hpp>

namespace residua {
namespace {

/// The bytes of an array that exceeds a cache of this size, where two arrays take at most a quarter of the memory.
double bytes_beyond(double cache_bytes, double memory_bytes)
{
    constexpr double least = 0x1p28;
    return std::min(std::max(least, 2.0 * cache_bytes), memory_bytes / 8.0);
}

template <class Exec, class Copy>
copy_ceiling measure_with(const Exec& exec, double bytes, const Copy& copy)
{
    constexpr long samples = 7;
    const auto words = static_cast<index_t>(bytes / sizeof(double));
    const buffer<Exec, double> from(words, exec);
    buffer<Exec, double> to(words, exec);
    const timing t = measure(
        exec, [&] { copy(to, from); }, samples);
    const double copied = static_cast<double>(words) * sizeof(double);
    return {copied, 2.0 * copied / t.median_seconds};
}

}  // namespace

copy_ceiling measure_copy(const host_executor& exec)
{
    const double cache = static_cast<double>(std::max(0L, sysconf(_SC_LEVEL3_CACHE_SIZE)));
    return measure_with(exec, bytes_beyond(cache, available_memory_bytes()),
                        [](buffer<host_executor, double>& to, const buffer<host_executor, double>& from) {
                            const index_t words = from.size();
                            blas::detail::run_team(io::available_threads(), [&](index_t team, index_t me) {
                                const index_t begin = words * me / team;
                                const index_t end = words * (me + 1) / team;
                                std::memcpy(to.data() + begin, from.data() + begin,
                                            static_cast<std::size_t>(end - begin) * sizeof(double));
                            });
                        });
}

#if defined(RESIDUA_CUDA)
copy_ceiling measure_copy(const cuda_executor& exec)
{
    constexpr double cache = 0x1p29;  // more than any device has
    const double free_bytes = static_cast<double>(free_device_memory(exec));
    return measure_with(exec, bytes_beyond(cache, free_bytes),
                        [&](buffer<cuda_executor, double>& to, const buffer<cuda_executor, double>& from) {
                            detail::cuda_copy(exec, to.data(), from.data(),
                                              static_cast<std::size_t>(from.size()) * sizeof(double));
                        });
}
#endif

}  // namespace residua
