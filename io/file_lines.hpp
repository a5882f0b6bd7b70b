#pragma once

#include <optional>
#include <string>

#include <residua/io/matrix_market_header.hpp>
#include <residua/io/text.hpp>

namespace residua::io {

/// A plain MatrixMarket file as one of several readers sees it, who read some of its lines each.
struct file_lines {
    std::string name;
    std::string head;  ///< the bytes up to the end of the line of sizes
    matrix_market_header header;
    index_t bytes = 0;  ///< behind the head
};

/// What there is to read in such a file; empty if it is none: not a regular file, packed, of another format, or wrong in its
/// head.
///
/// throws  input_error if the file cannot be read
std::optional<file_lines> find_lines(const std::string& path);

/// A text of the head and of the lines behind it that end in bytes first, ..., last - 1 behind the head, in the last one too if
/// that is the end of the file. A line ends with its line end.
///
/// throws  input_error if the file cannot be read, or is shorter than it was; std::bad_alloc
text lines_between(const file_lines& file, index_t first, index_t last);

}  // namespace residua::io
