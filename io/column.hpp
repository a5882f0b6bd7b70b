#pragma once

#include <string_view>

#include <residua/io/file_format.hpp>

namespace residua::io {

/// Whether the first line that is neither blank nor a comment is a number; also if there is no such line yet.
bool begins_column(std::string_view bytes);

/// A plain column: a number in each line, blank lines, and comments in lines of their own after % or #. As a matrix it
/// is refused.
text rewrite_column(const text& file, file_part part);

}  // namespace residua::io
