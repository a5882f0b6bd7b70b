#include "args_errors.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <residua/solvers/options/near_words.hpp>

#include "yardsticks.hpp"

namespace residua {
namespace {

/// The error message for words that a command does not take.
std::string unexpected(const CLI::App& command)
{
    const std::vector<std::string> words = command.remaining();
    const std::string text = fmt::format("{}: {}", fmt::join(words, " "),
                                         words.size() == 1 ? "not expected here" : "none of these is expected here");
    for (const std::string& word : words) {
        if (!has_yardsticks && word.starts_with("--kernels")) {
            return without_yardsticks("--kernels");
        }
        if (word.starts_with("--")) {
            std::vector<std::string> names;
            for (const CLI::Option* option : command.get_options()) {
                for (const std::string& name : option->get_lnames()) {
                    names.push_back("--" + name);
                }
            }
            return text + did_you_mean(word.substr(0, word.find('=')), {names.begin(), names.end()});
        }
    }
    return text;
}

}  // namespace

std::string without_command(const command& app, int argc, const char* const* argv, const CLI::ParseError& failure)
{
    if (argc < 2) {
        return failure.what();
    }
    const std::string word = argv[1];
    if (!has_yardsticks && word == "bench") {
        return without_yardsticks(word);
    }
    if (word.starts_with("-")) {
        return fmt::format("{}: no such option before a command", word);
    }
    std::vector<std::string_view> names;
    for (const command* each : app.commands) {
        names.push_back(each->get_name());
    }
    return fmt::format("\"{}\" is no command{}", word, did_you_mean(word, names));
}

std::string within(const CLI::App& command, const CLI::ParseError& failure)
{
    if (dynamic_cast<const CLI::ExtrasError*>(&failure) != nullptr && !command.remaining().empty()) {
        return unexpected(command);
    }
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&failure) != nullptr) {
        for (const CLI::Option* option : command.get_options()) {
            if (option->get_expected_max() == 1 && option->count() > 1) {
                return fmt::format("{}: given {} times, takes one value", option->get_name(), option->count());
            }
        }
    }
    return failure.what();
}

}  // namespace residua
