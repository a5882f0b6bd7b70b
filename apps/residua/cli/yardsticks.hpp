#pragma once

#include <string>
#include <string_view>

namespace residua {

/// Whether this build has measurements and reference solvers: the command `bench` and `compare --reference eigen`.
#if defined(RESIDUA_YARDSTICKS)
inline constexpr bool has_yardsticks = true;
#else
inline constexpr bool has_yardsticks = false;
#endif

/// The error message for a user who asks for one of them in a build without them.
inline std::string without_yardsticks(std::string_view what)
{
    return std::string(what) + ": not in this build; cmake -DRESIDUA_BUILD_YARDSTICKS=ON FOLDER, then cmake --build " +
           "FOLDER --target residua, adds it to the build folder";
}

}  // namespace residua
