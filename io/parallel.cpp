#include <residua/io/parallel.hpp>

#include <cstdint>
#include <exception>
#include <mutex>

#include <sys/mman.h>

namespace residua::io {

void for_each_task(index_t count, const std::function<void(index_t)>& task)
{
    std::exception_ptr failure;
    index_t failed = count;
    std::mutex failing;
    run_parts(count, available_threads(), [&](index_t k) {
        try {
            task(k);
        } catch (...) {
            const std::lock_guard lock(failing);
            if (k < failed) {
                failed = k;
                failure = std::current_exception();
            }
        }
    });
    if (failure) {
        std::rethrow_exception(failure);
    }
}

void expect_filling(void* begin, std::size_t bytes)
{
#ifdef MADV_HUGEPAGE
    constexpr std::uintptr_t large = std::uintptr_t{1} << 21;  // below two of them there is nothing to gain
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    const std::uintptr_t first = (address + large - 1) / large * large;
    const std::uintptr_t last = (address + bytes) / large * large;
    if (first + 2 * large <= last) {
        madvise(static_cast<char*>(begin) + (first - address), last - first, MADV_HUGEPAGE);
    }
#else
    static_cast<void>(begin);
    static_cast<void>(bytes);
#endif
}

}  // namespace residua::io
