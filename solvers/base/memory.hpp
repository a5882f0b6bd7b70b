#pragma once

#include <cstddef>
#include <new>
#include <optional>
#include <string>

#include <residua/io/error.hpp>

namespace residua {

/// Bytes that this process can still take: the least of the machine's available memory, the
/// control group's limit, the address-space limit (ulimit -v) and a memory_limit. Infinite if nothing is known.
double available_memory_bytes();

/// While it lives, available_memory_bytes() is at most `bytes`, in all threads. There is one at a time.
class memory_limit {
public:
    explicit memory_limit(double bytes);
    ~memory_limit();
    memory_limit(const memory_limit&) = delete;
    memory_limit& operator=(const memory_limit&) = delete;
};

/// Address space of `bytes` bytes that nobody else gets while the object lives, without memory behind it. Where address
/// space is limited, it keeps room for what is made after the object is gone.
class held_address_space {
public:
    /// throws  resource_error if there is not as much
    explicit held_address_space(double bytes);
    ~held_address_space();
    held_address_space(const held_address_space&) = delete;
    held_address_space& operator=(const held_address_space&) = delete;

private:
    std::size_t size_;
    void* begin_;
};

/// Gives memory that was freed back to the system, as far as the C library can.
void return_free_memory();

/// Bytes in words: "3.1 GiB" or, below one of them, "47 MiB".
std::string bytes_in_words(double bytes);

/// The bytes that this process has in memory now, and its peak.
struct resident_memory {
    double now = 0.0;
    double peak = 0.0;
};

/// The resident memory of this process; empty where the system does not report it.
std::optional<resident_memory> resident_memory_bytes();

/// throws  resource_error naming both numbers if more than the available bytes are needed
void require_memory(const char* what, double needed_bytes);

/// Returns make(); a std::bad_alloc in it becomes a resource_error.
///
/// throws  resource_error naming `what` and the available bytes if an allocation fails; as make()
template <class F>
decltype(auto) with_memory_for(const char* what, const F& make)
{
    try {
        return make();
    } catch (const std::bad_alloc&) {
        throw resource_error(std::string(what) + " finds no memory, of which " +
                             bytes_in_words(available_memory_bytes()) + " are available");
    }
}

}  // namespace residua
