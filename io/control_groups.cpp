#include <residua/io/control_groups.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

namespace residua::io {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_of(const std::string& text, char separator)
{
    std::vector<std::string> words;
    std::istringstream in(text);
    for (std::string word; std::getline(in, word, separator);) {
        words.push_back(word);
    }
    return words;
}

bool has_word(const std::string& list, std::string_view word)
{
    const std::vector<std::string> words = words_of(list, ',');
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// A path of mountinfo, which has blanks and the like as three octal digits behind a backslash.
fs::path unescaped(const std::string& path)
{
    std::string plain;
    for (std::size_t k = 0; k < path.size(); ++k) {
        const char* const digits = path.data() + k + 1;
        int byte = 0;
        if (path[k] == '\\' && k + 3 < path.size() && std::from_chars(digits, digits + 3, byte, 8).ptr == digits + 3) {
            plain += static_cast<char>(byte);
            k += 3;
        } else {
            plain += path[k];
        }
    }
    return plain;
}

/// A hierarchy of groups, and where it can be seen.
struct mounted_groups {
    fs::path top;  ///< the group whose folder is at `place`
    fs::path place;
    bool is_version_2 = false;
};

/// The groups in a line of mountinfo: number, parent, device, top, place, options, ..., "-", kind, source, options. It
/// is empty if the line has none with this controller.
std::optional<mounted_groups> groups_in(const std::string& line, std::string_view controller)
{
    const std::vector<std::string> words = words_of(line, ' ');
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 6 || words.end() - dash < 4) {
        return std::nullopt;
    }
    const bool is_version_2 = dash[1] == "cgroup2";
    if (!is_version_2 && !(dash[1] == "cgroup" && has_word(dash[3], controller))) {
        return std::nullopt;
    }
    return mounted_groups{.top = unescaped(words[3]), .place = unescaped(words[4]), .is_version_2 = is_version_2};
}

/// The path of the process's group within its hierarchy, from lines `number:controllers:path`.
std::optional<fs::path> group_in(const std::vector<std::string>& lines, const mounted_groups& of,
                                 std::string_view controller)
{
    for (const std::string& line : lines) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (of.is_version_2 ? controllers.empty() : has_word(controllers, controller)) {
            return line.substr(second + 1);
        }
    }
    return std::nullopt;
}

std::vector<std::string> lines_of(const fs::path& file)
{
    std::ifstream in(file);
    return words_of({std::istreambuf_iterator<char>(in), {}}, '\n');
}

}  // namespace

std::vector<fs::path> control_groups(std::string_view controller, const fs::path& root)
{
    std::vector<fs::path> folders;
    const std::vector<std::string> groups = lines_of(root / "proc/self/cgroup");
    for (const std::string& line : lines_of(root / "proc/self/mountinfo")) {
        const std::optional<mounted_groups> mounted = groups_in(line, controller);
        const std::optional<fs::path> group = mounted ? group_in(groups, *mounted, controller) : std::nullopt;
        if (!group) {
            continue;
        }
        const fs::path place = root / mounted->place.relative_path();
        // what is beside or above the mounted part, as where a container has moved on, is not to be seen
        fs::path below = group->lexically_relative(mounted->top);
        if (below.empty() || *below.begin() == "..") {
            below = ".";
        }
        for (; below != "." && !below.empty(); below = below.parent_path()) {
            folders.push_back(place / below);
        }
        folders.push_back(place);
    }
    return folders;
}

}  // namespace residua::io
