#pragma once

#include <optional>

namespace residua {

/// Bytes that this process can still take: the least of the machine's available memory, the
/// control group's limit and the address-space limit (ulimit -v). Infinite if nothing is known.
double available_memory_bytes();

/// The bytes that this process has in memory now, and its peak.
struct resident_memory {
    double now = 0.0;
    double peak = 0.0;
};

/// The resident memory of this process; empty where the system does not tell.
std::optional<resident_memory> resident_memory_bytes();

/// throws  resource_error naming both numbers if more than the available bytes are needed
void require_memory(const char* what, double needed_bytes);

}  // namespace residua
