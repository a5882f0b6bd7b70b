#pragma once

#include <span>
#include <string>
#include <vector>

#include "choices.hpp"
#include "examples.hpp"

namespace residua {

/// An option, a flag or a positional argument, as the parser knows it.
struct option_entry {
    std::vector<std::string> names;  ///< names with dashes, the long one last; one without for a positional argument
    std::string value;               ///< what stands for its value in help; empty for a flag and a positional argument
    std::string about;
    bool positional = false;
    bool required = false;
    bool flag = false;
    completion values;
};

/// The program, whose name is empty, or one of its commands.
struct command_entry {
    std::string name;
    std::string about;
    std::vector<option_entry> options;
    std::string notes;  ///< "Kinds:" and a line for each; may be empty
    std::span<const example> examples;
};

/// The program and its commands, from the parser itself: manual pages and completions are made of it.
std::vector<command_entry> command_table();

}  // namespace residua
