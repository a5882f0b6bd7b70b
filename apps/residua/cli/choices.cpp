#include "choices.hpp"

#include <charconv>

#include <fmt/format.h>

#include <residua/arith/multidigit/number.hpp>

#include "exit_code.hpp"

namespace residua {
namespace {

const choices<long> named_precisions{{"auto", 0}, {"double", 53}, {"dd", 106}, {"td", 159}, {"qd", 212}};
const choices<long> named_factors{{"auto", 0}, {"half", 11}, {"single", 24}, {"double", 53},
                                  {"dd", 106}, {"td", 159},  {"qd", 212}};

long parse_bits(std::string_view option, std::string_view text, const choices<long>& names)
{
    for (const choice<long>& each : names) {
        if (each.name == text) {
            return each.value;
        }
    }
    const long most = multidigit_format::most_bits;
    long value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc{} || end != text.data() + text.size() || value < 1 || value > most) {
        throw usage_error(fmt::format("{}: \"{}\" is neither a number of bits from 1 to {} nor one of {}", option, text,
                                      most, names_of(names)));
    }
    return value;
}

template <class E>
choices<E> all_of()
{
    const auto values = named_values<E>();
    return {values.begin(), values.end()};
}

}  // namespace

const choices<method>& method_choices()
{
    static const choices<method> all = [] {
        choices<method> names{{to_string(method::automatic), method::automatic}};
        for (const method_traits& each : all_methods()) {
            names.push_back({each.name, each.method});
        }
        return names;
    }();
    return all;
}

const choices<preconditioner>& preconditioner_choices()
{
    static const choices<preconditioner> all = [] {
        choices<preconditioner> names;
        for (const preconditioner_traits& each : all_preconditioners()) {
            names.push_back({each.name, each.preconditioner});
        }
        return names;
    }();
    return all;
}

const choices<number_format>& format_choices()
{
    static const choices<number_format> all = all_of<number_format>();
    return all;
}

const choices<entry_reading>& reading_choices()
{
    static const choices<entry_reading> all = all_of<entry_reading>();
    return all;
}

const choices<progress_mode>& progress_choices()
{
    static const choices<progress_mode> all{
        {"auto", progress_mode::automatic}, {"always", progress_mode::always}, {"never", progress_mode::never}};
    return all;
}

template <class T>
T choose(std::string_view option, const choices<T>& all, std::string_view text)
{
    for (const choice<T>& each : all) {
        if (each.name == text) {
            return each.value;
        }
    }
    throw usage_error(fmt::format("{}: \"{}\" is none of {}", option, text, names_of(all)));
}

template method choose(std::string_view, const choices<method>&, std::string_view);
template preconditioner choose(std::string_view, const choices<preconditioner>&, std::string_view);
template number_format choose(std::string_view, const choices<number_format>&, std::string_view);
template entry_reading choose(std::string_view, const choices<entry_reading>&, std::string_view);
template progress_mode choose(std::string_view, const choices<progress_mode>&, std::string_view);

long parse_integer(std::string_view option, std::string_view text, long least, long most)
{
    long value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status == std::errc{} && end == text.data() + text.size() && least <= value && value <= most) {
        return value;
    }
    const std::string range =
        most == no_limit ? fmt::format("of at least {}", least) : fmt::format("from {} to {}", least, most);
    throw usage_error(fmt::format("{}: \"{}\" is not an integer {}", option, text, range));
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

real parse_decimal(std::string_view option, std::string_view text, long bits)
{
    try {
        return real(text, bits);
    } catch (const error& e) {
        throw usage_error(fmt::format("{}: {}", option, e.what()));
    }
}

real parse_nonnegative(std::string_view option, std::string_view text)
{
    real value = parse_decimal(option, text);
    if (value < real()) {
        throw usage_error(fmt::format("{}: {} is negative", option, text));
    }
    return value;
}

double parse_seconds(std::string_view option, std::string_view text)
{
    const double value = to_double(parse_decimal(option, text));
    if (!(value > 0.0)) {
        throw usage_error(fmt::format("{}: {} is not a time above zero", option, text));
    }
    return value;
}

long parse_precision(std::string_view option, std::string_view text)
{
    return parse_bits(option, text, named_precisions);
}

long parse_factors(std::string_view option, std::string_view text) { return parse_bits(option, text, named_factors); }

std::string executor_names() { return built_with_cuda() ? "auto, host, cuda, cuda:NUMBER" : "auto, host"; }

void choose_executor(solve_options& options, const std::string& text)
{
    const std::string numbered = "cuda:";
    const bool has_number = text.starts_with(numbered);
    const std::optional<executor> asked = value_of<executor>(has_number ? "cuda" : text);
    if (!asked) {
        throw usage_error(fmt::format("--executor: \"{}\" is none of {}", text, executor_names()));
    }
    if (asked == executor::cuda && !built_with_cuda()) {
        throw usage_error(fmt::format("--executor: {} is not available in this build; host is", text));
    }
    options.executor = *asked;
    options.device = 0;
    if (has_number) {
        constexpr long most_devices = 1024;
        options.device = static_cast<int>(parse_integer("--executor", text.substr(numbered.size()), 0, most_devices));
    }
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
