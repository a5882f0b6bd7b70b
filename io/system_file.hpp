#pragma once

#include <cstddef>
#include <limits>
#include <string_view>

namespace residua::io {

/// The first bytes of a file that the system makes when it is read, as those of /proc are. It takes no memory beyond
/// itself, so it can be read when memory is used up. If the file cannot be read, it is empty.
class system_file {
public:
    static constexpr double no_number = std::numeric_limits<double>::infinity();

    explicit system_file(const char* name);

    std::string_view text() const { return {text_, size_}; }

    /// The number behind `key`, whatever the locale; no_number if there is none.
    double number_after(std::string_view key) const;

private:
    char text_[4096];
    std::size_t size_ = 0;
};

/// The number at the beginning of a file as those of /proc.
inline double number_in(const char* file) { return system_file(file).number_after(""); }

}  // namespace residua::io
