#include <residua/io/parallel.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>

#include <sys/mman.h>

#include <residua/io/room.hpp>

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

void take_pages(void* begin, std::size_t bytes)
{
    constexpr std::size_t page = 4096;
    constexpr std::size_t together = std::size_t{1} << 23;  // some large pages
    expect_filling(begin, bytes);
    if (bytes < 2 * together || available_threads() == 1) {
        return;
    }
    // cuts are where large pages begin, so that no two threads ask for the same
    const std::size_t before = reinterpret_cast<std::uintptr_t>(begin) % together;
    for_each_task(static_cast<index_t>((before + bytes + together - 1) / together), [&](index_t k) {
        const std::size_t first = std::max(static_cast<std::size_t>(k) * together, before);
        const std::size_t last = std::min(static_cast<std::size_t>(k + 1) * together, before + bytes);
        for (std::size_t at = first; at < last; at += page) {
            static_cast<volatile char*>(begin)[at - before] = 0;
        }
    });
}

}  // namespace residua::io
