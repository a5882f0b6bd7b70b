// Any words, one a line, are a command line: it is read, or refused in one line; so is an option that a program sets by text.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <apps/residua/cli/args.hpp>
#include <apps/residua/cli/exit_code.hpp>

#include "tests/fuzz/target.hpp"

namespace {

using namespace residua;
using fuzz::require;

/// The lines of a text without null bytes, which no argument has. A tab stands for the end of a line within a word.
std::vector<std::string> words_of(std::string text)
{
    std::erase(text, '\0');
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (c == '\n') {
            words.emplace_back();
        } else {
            words.back() += c == '\t' ? '\n' : c;
        }
    }
    return words;
}

/// Words may have letters beyond ASCII, which a message repeats.
bool has_no_control_characters(std::string_view message)
{
    return std::none_of(message.begin(), message.end(),
                        [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

/// Whether the words are accepted. The message of a refusal is one line. Beside the words themselves it is no longer than a screen.
bool is_taken(const std::vector<std::string>& words)
{
    std::vector<const char*> argv{"residua"};
    std::size_t size = 0;
    for (const std::string& word : words) {
        argv.push_back(word.c_str());
        size += word.size();
    }
    try {
        parse_command_line(static_cast<int>(argv.size()), argv.data());
        return true;
    } catch (const usage_error& e) {
        const std::string_view message = e.what();
        require(!message.empty() && has_no_control_characters(message),
                "a message is one line: " + std::string(message));
        require(message.size() <= 2000 + 4 * size, "a message is short");
        return false;
    }
}

bool is_set(std::string_view name, const std::string& value)
{
    solve_options options;
    try {
        set_option(options, name, value);
        return true;
    } catch (const option_error& e) {
        require(has_no_control_characters(e.what()), std::string("a message is one line: ") + e.what());
        return false;
    }
}

/// What set_option() refuses, the command line refuses; it may refuse more, since options have to fit each other. The bytes of the
/// value choose the option: to try all of them would take most of the time.
void check_value(const std::string& value)
{
    if (value.starts_with("-") || value.empty()) {
        return;  // an option or nothing, to the command line
    }
    const auto names = option_names();
    const auto sum = std::accumulate(value.begin(), value.end(), std::size_t{0},
                                     [](std::size_t before, char c) { return before + static_cast<unsigned char>(c); });
    const std::string name(names[sum % names.size()]);
    const bool taken = is_taken({"solve", "a.mtx", "--" + name, value});
    require(is_set(name, value) || !taken, "both refuse \"" + value + "\" for " + name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::vector<std::string> words = words_of(std::string(reinterpret_cast<const char*>(data), size));
    is_taken(words);
    if (words.size() <= 3) {
        std::for_each(words.begin(), words.end(), check_value);
    } else {
        is_set(words[0], words[1]);
    }
    return 0;
}
