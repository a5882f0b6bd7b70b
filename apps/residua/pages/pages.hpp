#pragma once

#include <string>
#include <vector>

#include <apps/residua/cli/command_table.hpp>

namespace residua {

/// The manual page residua(1), for the first entry of the table, or residua-COMMAND(1) for another one, in the macros of
/// man(7).
std::string manual_page(const std::vector<command_entry>& table, const command_entry& entry);

/// A completion script for bash. It needs nothing but bash.
std::string bash_completion(const std::vector<command_entry>& table);

/// A completion script for fish.
std::string fish_completion(const std::vector<command_entry>& table);

/// A completion function for zsh, to be named _residua in a folder of fpath.
std::string zsh_completion(const std::vector<command_entry>& table);

/// The first words of a help text: up to a colon, a semicolon, a bracket or the end of a sentence.
std::string brief(const std::string& about);

}  // namespace residua
