// Replaces operator new in the whole process. The replacement fails when a test asks for it.

#include "failing_allocator.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace residua::soak {
namespace {

std::atomic<long> allocations_left{-1};  // negative: nothing fails

bool fails() noexcept
{
    return allocations_left.load(std::memory_order_relaxed) >= 0 &&
           allocations_left.fetch_sub(1, std::memory_order_relaxed) == 0;
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept
{
    if (fails()) {
        return nullptr;
    }
    bytes += bytes == 0 ? 1 : 0;
    return alignment <= alignof(std::max_align_t)
               ? std::malloc(bytes)
               : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment)
{
    void* const place = allocate(bytes, alignment);
    return place != nullptr ? place : throw std::bad_alloc();
}

}  // namespace

void fail_allocation(long which) { allocations_left = which; }

bool stop_failing() { return allocations_left.exchange(-1) < 0; }

}  // namespace residua::soak

using residua::soak::allocate;
using residua::soak::allocate_or_throw;

constexpr std::size_t plain = alignof(std::max_align_t);

void* operator new(std::size_t n) { return allocate_or_throw(n, plain); }
void* operator new[](std::size_t n) { return allocate_or_throw(n, plain); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, plain); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, plain); }
void* operator new(std::size_t n, std::align_val_t a) { return allocate_or_throw(n, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return allocate_or_throw(n, static_cast<std::size_t>(a)); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
