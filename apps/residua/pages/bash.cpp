#include <fmt/format.h>

#include "pages.hpp"

namespace residua {
namespace {

constexpr const char* head = R"(# bash completion for residua. Made from the program's own table of options.

# Offers words for what was typed, with $1 before them: the part of a list that is complete.
_residua_offer()
{
    local before="$1" word
    shift
    for word in "$@"; do
        [[ "$before$word" != "$current"* ]] || COMPREPLY+=("$before$word")
    done
}

# Offers names of files.
_residua_files()
{
    local name
    compopt -o filenames 2>/dev/null
    while IFS= read -r name; do
        COMPREPLY+=("$name")
    done < <(compgen -f -- "$current")
}

_residua()
{
    local current="${COMP_WORDS[COMP_CWORD]}" previous="" command="" list="" k
    COMPREPLY=()
    [[ $COMP_CWORD -eq 0 ]] || previous="${COMP_WORDS[COMP_CWORD - 1]}"
    if [[ "$current" == "=" ]]; then  # --option= is two words, --option=value three
        current=""
    elif [[ "$previous" == "=" && $COMP_CWORD -ge 2 ]]; then
        previous="${COMP_WORDS[COMP_CWORD - 2]}"
    fi
    for ((k = 1; k < COMP_CWORD; ++k)); do
        if [[ "${COMP_WORDS[k]}" != -* ]]; then
            command="${COMP_WORDS[k]}"
            break
        fi
    done
    [[ "$current" != *,* ]] || list="${current%,*},"
    case "$command" in
)";

constexpr const char* tail = R"(    esac
    [[ ${#COMPREPLY[@]} -ne 1 || "${COMPREPLY[0]}" != *: ]] || compopt -o nospace 2>/dev/null
}
complete -F _residua residua
)";

/// 'word' 'word', in quotes.
template <class Words>
std::string quoted(const Words& words)
{
    std::string text;
    for (const auto& word : words) {
        text += fmt::format(" '{}'", word);
    }
    return text;
}

/// What completes a value: "_residua_offer ..." and "_residua_files", or that nothing does.
std::string offers(const completion& values)
{
    std::string text;
    if (!values.words.empty()) {
        text += fmt::format("_residua_offer \"{}\"{}; ", values.list ? "$list" : "", quoted(values.words));
    }
    text += values.files ? "_residua_files; " : "";
    return text.empty() ? ":; " : text;
}

/// One case of the program or a command: values of options, then options, then positional arguments.
std::string clause(const command_entry& entry, const std::vector<std::string>& commands)
{
    std::string text =
        fmt::format("        {})\n            case \"$previous\" in\n", entry.name.empty() ? "\"\"" : entry.name);
    std::vector<std::string> names;
    std::string others = commands.empty() ? "" : "_residua_offer \"\"" + quoted(commands) + "; ";
    for (const option_entry& option : entry.options) {
        if (option.positional) {
            others += offers(option.values);
            continue;
        }
        names.insert(names.end(), option.names.begin(), option.names.end());
        if (!option.flag) {
            text +=
                fmt::format("                {}) {}return ;;\n", fmt::join(option.names, " | "), offers(option.values));
        }
    }
    text += "            esac\n            if [[ \"$current\" == -* ]]; then\n                _residua_offer \"\"" +
            quoted(names) + "\n            else\n                " + (others.empty() ? ":" : others) +
            "\n            fi\n            ;;\n";
    return text;
}

}  // namespace

std::string bash_completion(const std::vector<command_entry>& table)
{
    std::vector<std::string> commands;
    for (std::size_t k = 1; k < table.size(); ++k) {
        commands.push_back(table[k].name);
    }
    std::string text = head;
    for (const command_entry& entry : table) {
        text += clause(entry, entry.name.empty() ? commands : std::vector<std::string>());
    }
    return text + tail;
}

}  // namespace residua
