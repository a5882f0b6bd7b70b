#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

namespace residua::fuzz {

/// throws  std::logic_error if the condition does not hold, for libFuzzer and the replay programs to report
inline void require(bool condition, const std::string& what)
{
    if (!condition) {
        throw std::logic_error("violated: " + what);
    }
}

inline bool is_one_line(std::string_view message)
{
    return std::all_of(message.begin(), message.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace residua::fuzz
