#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "args.hpp"
#include "choices.hpp"

namespace residua {

using set_text = std::function<void(const std::string&)>;

/// The options of the program or of one of its commands, with the completions of their values.
class command : public CLI::App {
public:
    using CLI::App::App;

    /// A command of the program.
    command& add_command(const std::string& name, const std::string& about);

    /// Puts the notes and the examples at the end of the help.
    void add_footer();

    std::string notes;               ///< "Kinds:" and a line for each
    std::vector<command*> commands;  ///< in the order in which they were added
    std::map<const CLI::Option*, completion> completions;
};

/// An option with one value, given to `set` as text while the command line is parsed.
CLI::Option* text_option(command& app, const std::string& names, const char* value, const set_text& set,
                         const std::string& help, completion values = {});

/// Whether - stands for standard output.
enum class dash { refused, standard_output };

/// An option that names a file to write.
CLI::Option* path_option(command& app, const std::string& names, std::string& path, const std::string& help,
                         dash meaning = dash::refused);

/// The options of `residua generate`.
void add_generate_options(command& app, generate_args& args);

/// The options of `residua bench` but --threads and --report, which other commands have too.
void add_bench_options(command& app, bench_args& args);

/// The options of `residua compare --kernels` that it does not share with `residua compare MATRIX`.
void add_kernels_options(command& app, kernels_args& args);

/// Splits "a,b,c" into a list; parse(name, part) reads each part.
template <class T, class Parse>
void list_option(command& app, const std::string& name, std::vector<T>& list, const Parse& parse,
                 const std::string& help, const std::vector<std::string_view>& words)
{
    text_option(app, name, "LIST",
                [&list, name, parse](const std::string& text) {
                    list.clear();
                    for (const std::string& part : split_list(name, text)) {
                        list.push_back(parse(name, part));
                    }
                },
                help, {.words = words, .list = true});
}

/// What was typed after the program and the command, without the output file, as a comment in one line.
std::string typed_after_command(int argc, const char* const* argv);

}  // namespace residua
