#include "option.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "examples.hpp"
#include "exit_code.hpp"

namespace residua {

command& command::add_command(const std::string& name, const std::string& about)
{
    auto added = std::make_shared<command>(about, name);
    added->formatter(get_formatter());
    add_subcommand(added);
    commands.push_back(added.get());
    return *added;
}

void command::add_footer()
{
    std::string text = notes + (notes.empty() ? "" : "\n") + "Examples:\n";
    for (const example& each : examples_of(get_name())) {
        text += fmt::format("  # {}\n  {}\n", each.about, each.line);
    }
    footer(text);
}

CLI::Option* text_option(command& app, const std::string& names, const char* value, const set_text& set,
                         const std::string& help, completion values)
{
    CLI::Option* const option = app.add_option_function<std::string>(names, set, help)->type_name(value);
    app.completions[option] = std::move(values);
    return option;
}

CLI::Option* path_option(command& app, const std::string& names, std::string& path, const std::string& help,
                         dash meaning)
{
    const std::string name = names.substr(names.find("--"));
    return text_option(app, names, "FILE",
                       [&path, name, meaning](const std::string& text) {
                           if (text.empty() || (text == "-" && meaning == dash::refused)) {
                               throw usage_error(fmt::format("{}: \"{}\" is not a file to write", name, text));
                           }
                           path = text;
                       },
                       help, {.words = {}, .files = true});
}

}  // namespace residua
