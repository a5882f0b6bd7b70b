#pragma once

#include <string>

namespace residua {

/// Sets the number of host threads; 0 leaves the default. Returns how many will work.
int use_threads(int threads);

/// The processor's name, or "host" if the system does not tell.
std::string processor_name();

/// Sets this process's peak of memory back to what it uses now, where the system allows that.
void forget_memory_peak();

}  // namespace residua
