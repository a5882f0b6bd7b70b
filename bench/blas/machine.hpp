#pragma once

#include <nlohmann/json.hpp>

namespace residua::bench {

/// Processor, operating system, compiler, flags, commit, date, as far as they can be found out.
nlohmann::json machine();

/// The ceilings of this machine with `threads` threads: bytes read and written per second by a
/// copy of a given size, bytes read by a sum, additions of binary64 words per second in registers.
double copy_rate(std::size_t bytes, int threads);
double read_rate(std::size_t bytes, int threads);
double addition_rate(int threads);

}  // namespace residua::bench
