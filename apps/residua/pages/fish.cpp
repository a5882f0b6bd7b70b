#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pages.hpp"

namespace residua {
namespace {

constexpr const char* head = R"(# fish completion for residua. Made from the program's own table of options.

# The command that was typed; fails where there is none yet.
function __residua_command
    for word in (commandline -opc)[2..]
        if not string match -q -- '-*' $word
            echo $word
            return 0
        end
    end
    return 1
end

# Offers words behind the part of a list that is complete.
function __residua_list
    set -l before (string match -r -- '^(?:--[^=]*=)?(.*,)' (commandline -ct))[2]
    printf "$before%s\n" $argv
end

complete -c residua -f
)";

/// Text in single quotes.
std::string in_quotes(std::string_view text)
{
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return out + "'";
}

/// What completes a value: " -a 'auto cg'", with files " -F".
std::string offers(const completion& values)
{
    const std::string words = fmt::format("{}", fmt::join(values.words, " "));
    return (words.empty() ? "" : " -a " + in_quotes(values.list ? "(__residua_list " + words + ")" : words)) +
           (values.files ? " -F" : "");
}

std::string line_of(const std::string& when, const option_entry& option)
{
    std::string text = "complete -c residua -n " + in_quotes(when);
    if (option.positional) {
        return text + offers(option.values) + "\n";
    }
    for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    return text +
           (option.flag           ? ""
            : option.values.files ? " -r"
                                  : " -x") +
           offers(option.values) + " -d " + in_quotes(brief(option.about)) + "\n";
}

}  // namespace

std::string fish_completion(const std::vector<command_entry>& table)
{
    std::string text = head;
    for (const command_entry& entry : table) {
        const std::string when =
            entry.name.empty() ? "not __residua_command >/dev/null" : "contains " + entry.name + " (__residua_command)";
        for (const option_entry& option : entry.options) {
            text += line_of(when, option);
        }
        if (!entry.name.empty()) {
            text += fmt::format("complete -c residua -n 'not __residua_command >/dev/null' -a {} -d {}\n", entry.name,
                                in_quotes(entry.about));
        }
    }
    return text;
}

}  // namespace residua
