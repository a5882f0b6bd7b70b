#pragma once

#include <functional>
#include <string>

#include <residua/io/error.hpp>

#include <apps/residua/cli/output_file.hpp>

namespace residua {

/// Writes lines 0, ..., count - 1 in this order. Several threads make the text, one block of lines each, and hold a few
/// blocks of 256 KiB at a time.
///
/// characters  the rough length of a line, which decides how many lines are a block, and whether threads pay
/// append      adds line k with its end to a text; called by several threads at once
/// throws      what append and output_file::write throw
void write_lines(output_file& file, index_t count, double characters,
                 const std::function<void(index_t k, std::string& text)>& append);

}  // namespace residua
