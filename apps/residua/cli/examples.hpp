#pragma once

#include <span>
#include <string_view>

namespace residua {

/// A command line as one would type it. A.mtx is a square matrix and b.mtx a right-hand side.
struct example {
    std::string_view about;
    std::string_view line;
};

/// The examples of a command, or of the whole program if the name is empty: for help and manual pages. Tests run them.
std::span<const example> examples_of(std::string_view command);

}  // namespace residua
