#include "option.hpp"

#include <fmt/format.h>

#include "exit_code.hpp"

namespace residua {

CLI::Option* text_option(CLI::App& app, const std::string& names, const char* value, const set_text& set,
                         const std::string& help)
{
    return app.add_option_function<std::string>(names, set, help)->type_name(value);
}

CLI::Option* path_option(CLI::App& app, const std::string& names, std::string& path, const std::string& help,
                         dash meaning)
{
    const std::string name = names.substr(names.find("--"));
    return text_option(
        app, names, "FILE",
        [&path, name, meaning](const std::string& text) {
            if (text.empty() || (text == "-" && meaning == dash::refused)) {
                throw usage_error(fmt::format("{}: \"{}\" is not a file to write", name, text));
            }
            path = text;
        },
        help);
}

}  // namespace residua
