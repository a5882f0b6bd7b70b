#include <fmt/format.h>

#include "pages.hpp"

namespace residua {
namespace {

/// Text in single quotes; what a specification of _arguments would read gets a backslash.
std::string escaped(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (c == '\'') {
            out += "'\\''";
        } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
            out += std::string("\\") + c;
        } else {
            out += c;
        }
    }
    return out;
}

/// ":MATRIX:_files", ":NAME:(auto cg)"
std::string values_of(const std::string& name, const completion& values)
{
    std::string words;
    for (const std::string_view word : values.words) {
        words += (words.empty() ? "" : " ") + escaped(word);
    }
    std::string action = values.files ? "_files" : " ";
    if (values.list && !words.empty()) {
        action = fmt::format("_values -s , {} {}", name, words);
    } else if (!words.empty()) {
        action = values.files ? fmt::format("{{compadd -- {}; _files}}", words) : "(" + words + ")";
    }
    return ":" + escaped(name) + ":" + action;
}

std::string specification(const option_entry& option)
{
    if (option.positional) {
        return "':" + values_of(option.names.front(), option.values).substr(1) + "'";
    }
    const std::string about = "[" + escaped(brief(option.about)) + "]";
    const std::string values = option.flag ? "" : values_of(option.value, option.values);
    if (option.names.size() == 1) {
        return fmt::format("'{}{}{}{}'", option.names.front(), option.flag ? "" : "=", about, values);
    }
    const bool single = option.names.front().size() == 2;
    return fmt::format("'({0} {1})'{{{0}{2},{1}{3}}}'{4}{5}'", option.names[0], option.names[1],
                       option.flag || !single ? "" : "+", option.flag ? "" : "=", about, values);
}

std::string specifications(const command_entry& entry, const char* indent)
{
    std::string text;
    for (const option_entry& option : entry.options) {
        text += fmt::format(" \\\n{}{}", indent, specification(option));
    }
    return text;
}

}  // namespace

std::string brief(const std::string& about)
{
    std::size_t end = about.size();
    for (const char* mark : {": ", "; ", " [", ". "}) {
        end = std::min(end, about.find(mark));
    }
    return about.substr(0, end);
}

std::string zsh_completion(const std::vector<command_entry>& table)
{
    std::string text =
        "#compdef residua\n"
        "# zsh completion for residua. Made from the program's own table of options.\n\n"
        "_residua()\n{\n"
        "    local curcontext=\"$curcontext\" state line\n"
        "    local -A opt_args\n"
        "    local -a commands\n    commands=(\n";
    for (std::size_t k = 1; k < table.size(); ++k) {
        text += fmt::format("        '{}:{}'\n", table[k].name, escaped(table[k].about));
    }
    text += "    )\n    _arguments -C" + specifications(table.front(), "        ") +
            " \\\n        '1:command:->command' \\\n        '*::argument:->argument'\n"
            "    case \"$state\" in\n"
            "        command) _describe command commands ;;\n"
            "        argument)\n            case \"$words[1]\" in\n";
    for (std::size_t k = 1; k < table.size(); ++k) {
        text += fmt::format("                {})\n                    _arguments -s{}\n                    ;;\n",
                            table[k].name, specifications(table[k], "                        "));
    }
    return text + "            esac\n            ;;\n    esac\n}\n\n_residua \"$@\"\n";
}

}  // namespace residua
