#pragma once

#include <string>

namespace residua {

/// Sets the number of host threads; 0 leaves the default. Returns how many will work.
int use_threads(int threads);

/// The processor's name, or "host" if the system does not tell.
std::string processor_name();

/// From now on this process's peak of memory counts, where the system lets it be set back.
void forget_memory_peak();

}  // namespace residua
