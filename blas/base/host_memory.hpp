#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <residua/io/error.hpp>

namespace residua::detail {

inline constexpr std::size_t cache_line = 64;

#if defined(__linux__)

inline constexpr std::size_t huge_page = std::size_t{1} << 21;

/// Blocks of this size or larger are mapped on their own: they go back to the system as a whole, and leave no gaps.
inline constexpr std::size_t least_mapped_bytes = 2 * huge_page;

/// Zeros, aligned to a huge page; null if the memory is not there. The system is asked for huge pages: columns of a
/// matrix lie pages apart, and a page walk for each costs more than the arithmetic.
inline void* map_zeros(std::size_t bytes)
{
    void* const all = mmap(nullptr, bytes + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
        return nullptr;
    }
    std::byte* const begin = static_cast<std::byte*>(all);
    const std::size_t before = huge_page - reinterpret_cast<std::uintptr_t>(begin) % huge_page;
    (void)munmap(begin, before);  // returns what lies before the huge page; what lies behind the block is returned next
    if (before < huge_page) {
        (void)munmap(begin + before + bytes, huge_page - before);
    }
    (void)madvise(begin + before, bytes, MADV_HUGEPAGE);  // no harm if refused
    return begin + before;
}

inline void unmap(void* p, std::size_t bytes) { (void)munmap(p, bytes); }

#else

inline constexpr std::size_t least_mapped_bytes = std::numeric_limits<std::size_t>::max();
inline void* map_zeros(std::size_t) { return nullptr; }
inline void unmap(void*, std::size_t) {}

#endif

/// The bytes that are allocated for a block of `bytes` bytes: whole cache lines, or whole pages of up to 64 KiB.
constexpr std::size_t allocated_bytes(std::size_t bytes)
{
    const std::size_t unit = bytes < least_mapped_bytes ? cache_line : std::size_t{1} << 16;
    return (bytes + unit - 1) / unit * unit;
}

/// Allocates memory aligned to a cache line, cleared if `zeros` is set.
///
/// throws  resource_error if the memory is not there
inline void* allocate(std::size_t bytes, bool zeros)
{
    const bool is_mapped = bytes >= least_mapped_bytes;
    void* const p =
        is_mapped ? map_zeros(allocated_bytes(bytes)) : std::aligned_alloc(cache_line, allocated_bytes(bytes));
    if (p == nullptr) {
        throw resource_error("no memory for " + std::to_string(bytes) + " bytes");
    }
    if (zeros && !is_mapped) {
        std::memset(p, 0, bytes);
    }
    return p;
}

/// Frees a block that allocate() returned for `bytes` bytes.
inline void release(void* p, std::size_t bytes)
{
    if (bytes >= least_mapped_bytes) {
        unmap(p, allocated_bytes(bytes));
    } else {
        std::free(p);
    }
}

}  // namespace residua::detail
