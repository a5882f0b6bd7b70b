#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "args.hpp"
#include "choices.hpp"

namespace residua {

using set_text = std::function<void(const std::string&)>;

/// An option with one value, given to `set` as text while the command line is parsed.
CLI::Option* text_option(CLI::App& app, const std::string& names, const char* value, const set_text& set,
                         const std::string& help);

/// Whether - stands for standard output.
enum class dash { refused, standard_output };

/// An option that names a file to write.
CLI::Option* path_option(CLI::App& app, const std::string& names, std::string& path, const std::string& help,
                         dash meaning = dash::refused);

/// The options of `residua generate`.
void add_generate_options(CLI::App& app, generate_args& args);

/// The options of `residua bench` but --threads and --report, which other commands have too.
void add_bench_options(CLI::App& app, bench_args& args);

/// Splits "a,b,c" into a list; parse(name, part) reads each part.
template <class T, class Parse>
void list_option(CLI::App& app, const std::string& name, std::vector<T>& list, const Parse& parse,
                 const std::string& help)
{
    text_option(
        app, name, "LIST",
        [&list, name, parse](const std::string& text) {
            list.clear();
            for (const std::string& part : split_list(name, text)) {
                list.push_back(parse(name, part));
            }
        },
        help);
}

/// What was typed after the program and the command, without the output file, as a comment in one line.
std::string typed_after_command(int argc, const char* const* argv);

}  // namespace residua
