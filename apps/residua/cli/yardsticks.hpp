#pragma once

#include <string>
#include <string_view>

namespace residua {

/// Whether this build has what measures, and judges by other means: the command `bench` and `compare --reference eigen`.
#if defined(RESIDUA_YARDSTICKS)
inline constexpr bool has_yardsticks = true;
#else
inline constexpr bool has_yardsticks = false;
#endif

/// What is told to whoever asks for one of them where they are not.
inline std::string without_yardsticks(std::string_view what)
{
    return std::string(what) + ": not in this build; cmake -DRESIDUA_BUILD_YARDSTICKS=ON FOLDER, then cmake --build " +
           "FOLDER --target residua, adds it to the build folder";
}

}  // namespace residua
