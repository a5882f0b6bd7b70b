#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace residua::support {

/// RESIDUA_TEST_SCALE, the factor on the number of random cases; 1 if not set or not positive.
inline double test_scale()
{
    const char* text = std::getenv("RESIDUA_TEST_SCALE");
    const double scale = text != nullptr ? std::strtod(text, nullptr) : 1.0;
    return scale > 0.0 ? scale : 1.0;
}

/// count * test_scale(), at least 1.
inline std::int64_t scaled(std::int64_t count)
{
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(count) * test_scale()));
}

inline std::optional<std::filesystem::path> directory_from(const char* variable)
{
    const char* text = std::getenv(variable);
    if (text == nullptr || *text == '\0') {
        return std::nullopt;
    }
    return std::filesystem::path(text);
}

/// RESIDUA_MATRIX_DIR: real matrices with reference solutions, not part of the project. Use as
///   const auto dir = matrix_dir();
///   if (!dir) GTEST_SKIP() << "RESIDUA_MATRIX_DIR is not set";
inline std::optional<std::filesystem::path> matrix_dir() { return directory_from("RESIDUA_MATRIX_DIR"); }

/// RESIDUA_DATA_DIR: the project's own small matrices, set by CTest. Use as above.
inline std::optional<std::filesystem::path> data_dir() { return directory_from("RESIDUA_DATA_DIR"); }

}  // namespace residua::support
