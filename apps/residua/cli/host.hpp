#pragma once

#include <string>

namespace residua {

/// The processor's name, or "host" if the system does not report it.
std::string processor_name();

/// Sets this process's peak of memory back to what it uses now, where the system allows that.
void forget_memory_peak();

}  // namespace residua
