#include "command_table.hpp"

#include "command_line.hpp"

namespace residua {
namespace {

option_entry entry_of(const command& owner, const CLI::Option& option)
{
    option_entry entry;
    entry.positional = option.get_positional();
    if (entry.positional) {
        entry.names = {option.get_name()};
    }
    for (const std::string& name : option.get_snames()) {
        entry.names.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        entry.names.push_back("--" + name);
    }
    entry.value = option.get_type_name();
    entry.about = option.get_description();
    entry.required = option.get_required();
    entry.flag = option.get_expected_max() == 0;
    const auto found = owner.completions.find(&option);
    if (found != owner.completions.end()) {
        entry.values = found->second;
    }
    return entry;
}

command_entry entry_of(const command& app, const std::string& name)
{
    command_entry entry{name, app.get_description(), {}, app.notes, examples_of(name)};
    for (const CLI::Option* option : app.get_options()) {
        entry.options.push_back(entry_of(app, *option));
    }
    return entry;
}

}  // namespace

std::vector<command_entry> command_table()
{
    const command_line line;
    std::vector<command_entry> table{entry_of(line.app, "")};
    for (const command* each : line.app.commands) {
        table.push_back(entry_of(*each, each->get_name()));
    }
    return table;
}

}  // namespace residua
