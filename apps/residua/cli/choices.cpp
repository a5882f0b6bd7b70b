#include "choices.hpp"

#include <charconv>

#include <fmt/format.h>

#include "exit_code.hpp"

namespace residua {

const choices<entry_reading>& reading_choices()
{
    static const choices<entry_reading> all(named_values<entry_reading>().begin(), named_values<entry_reading>().end());
    return all;
}

const choices<progress_mode>& progress_choices()
{
    static const choices<progress_mode> all{
        {"auto", progress_mode::automatic}, {"always", progress_mode::always}, {"never", progress_mode::never}};
    return all;
}

std::uint64_t parse_seed(std::string_view option, std::string_view text)
{
    std::uint64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc{} || end != text.data() + text.size()) {
        throw usage_error(fmt::format("{}: \"{}\" is not an integer from 0 to 2^64 - 1", option, text));
    }
    return value;
}

std::vector<std::string> split_list(std::string_view option, std::string_view text)
{
    std::vector<std::string> parts;
    for (std::string_view rest = text;;) {
        const std::size_t comma = rest.find(',');
        parts.emplace_back(rest.substr(0, comma));
        if (parts.back().empty()) {
            throw usage_error(fmt::format("{}: \"{}\" has an empty part", option, text));
        }
        if (comma == std::string_view::npos) {
            return parts;
        }
        rest.remove_prefix(comma + 1);
    }
}

}  // namespace residua
