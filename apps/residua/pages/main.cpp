// residua_pages FOLDER: writes the manual pages, residua.bash, _residua (zsh) and residua.fish, from the table of options.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include "pages.hpp"

namespace {

using namespace residua;

void write(const std::filesystem::path& path, const std::string& text)
{
    std::ofstream file(path);
    file.exceptions(std::ios::failbit | std::ios::badbit);
    file << text;
    file.close();
}

void write_all(const std::filesystem::path& folder)
{
    const std::vector<command_entry> table = command_table();
    for (const command_entry& entry : table) {
        write(folder / (entry.name.empty() ? "residua.1" : "residua-" + entry.name + ".1"), manual_page(table, entry));
    }
    write(folder / "residua.bash", bash_completion(table));
    write(folder / "_residua", zsh_completion(table));
    write(folder / "residua.fish", fish_completion(table));
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fputs("usage: residua_pages FOLDER\n", stderr);
        return 2;
    }
    try {
        write_all(argv[1]);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "residua_pages: %s: %s\n", argv[1], failure.what());
        return 1;
    }
    return 0;
}
