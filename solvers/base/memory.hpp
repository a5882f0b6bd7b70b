#pragma once

#include <optional>

namespace residua {

/// Bytes that this process can still take: the least of the machine's available memory, the
/// control group's limit and the address-space limit (ulimit -v). Infinite if nothing is known.
double available_memory_bytes();

/// Bytes of this process that are in memory now, and the most that ever were.
struct resident_memory {
    double now = 0.0;
    double peak = 0.0;
};

/// Empty where the system does not tell.
std::optional<resident_memory> resident_memory_bytes();

/// throws  resource_error naming both numbers if more than the available bytes are needed
void require_memory(const char* what, double needed_bytes);

}  // namespace residua
