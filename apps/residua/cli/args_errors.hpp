#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "option.hpp"

/// What the program says about words that it does not take.
namespace residua {

/// The error message where no command was found. CLI11 asks for a command, whatever stands in its place.
std::string without_command(const command& app, int argc, const char* const* argv, const CLI::ParseError& failure);

/// The error message for what follows a command.
std::string within(const CLI::App& command, const CLI::ParseError& failure);

}  // namespace residua
