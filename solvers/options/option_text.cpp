#include <residua/solvers/options/option_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>

#include <residua/arith/multidigit/number.hpp>
#include <residua/solvers/base/arithmetic.hpp>

namespace residua {
namespace {

/// OPTION: "TEXT" why
[[noreturn]] void refuse(std::string_view option, std::string_view text, const std::string& why)
{
    throw option_error(std::string(option) + ": \"" + std::string(text) + "\" " + why);
}

template <class T>
bool read_integer(std::string_view text, T& value)
{
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    return status == std::errc{} && end == text.data() + text.size();
}

long parse_bits(std::string_view option, std::string_view text, const choices<long>& names)
{
    for (const named_value<long>& each : names) {
        if (each.name == text) {
            return each.value;
        }
    }
    const long most = multidigit_format::most_bits;
    long value = 0;
    if (!read_integer(text, value) || value < 1 || value > most) {
        refuse(option, text,
               "is neither a number of bits from 1 to " + std::to_string(most) + " nor one of " + names_of(names) +
                   did_you_mean(text, words_of(names)));
    }
    return value;
}

/// Sets the executor and its device from "auto", "host", "cuda" or "cuda:1".
void choose_executor(solve_options& options, std::string_view option, std::string_view text)
{
    constexpr std::string_view numbered = "cuda:";
    const bool has_number = text.starts_with(numbered);
    const std::optional<executor> asked = value_of<executor>(has_number ? "cuda" : text);
    if (!asked) {
        refuse(option, text, "is none of " + executor_names() + did_you_mean(text, {"auto", "host", "cuda"}));
    }
    if (asked == executor::cuda && !built_with_cuda()) {
        throw option_error(std::string(option) + ": " + std::string(text) + " is not available in this build; host is");
    }
    options.executor = *asked;
    options.device = 0;
    if (has_number) {
        constexpr long most_devices = 1024;
        options.device = static_cast<int>(parse_integer(option, text.substr(numbered.size()), 0, most_devices));
    }
}

std::string parse_file(std::string_view option, std::string_view text)
{
    if (text.empty() || text == "-") {
        refuse(option, text, "is not a file to write");
    }
    return std::string(text);
}

struct text_option {
    std::string_view name;
    void (*set)(solve_options& options, std::string_view option, std::string_view text);
};

using text = std::string_view;

/// All options, in the order of their names.
constexpr std::array all_options{
    text_option{"atol", [](solve_options& o, text name, text t) { o.atol = parse_nonnegative(name, t); }},
    text_option{"checkpoint",
                [](solve_options& o, text name, text t) {
                    o.checkpoint = parse_file(name, t);
                    o.resume = false;
                }},
    text_option{"digits", [](solve_options& o, text name,
                             text t) { o.digits = static_cast<int>(parse_integer(name, t, 1, most_digits())); }},
    text_option{"every", [](solve_options& o, text name, text t) { o.checkpoint_seconds = parse_seconds(name, t); }},
    text_option{"executor", [](solve_options& o, text name, text t) { choose_executor(o, name, t); }},
    text_option{"factors", [](solve_options& o, text name, text t) { o.factor_bits = parse_factors(name, t); }},
    text_option{"fill", [](solve_options& o, text name, text t) { o.fill = parse_integer(name, t, 0); }},
    text_option{"format", [](solve_options& o, text name, text t) { o.format = choose(name, format_choices(), t); }},
    text_option{"maxiter", [](solve_options& o, text name, text t) { o.max_iterations = parse_integer(name, t, 1); }},
    text_option{"method", [](solve_options& o, text name, text t) { o.method = choose(name, method_choices(), t); }},
    text_option{"precision", [](solve_options& o, text name, text t) { o.precision_bits = parse_precision(name, t); }},
    text_option{"precond", [](solve_options& o, text name,
                              text t) { o.preconditioner = choose(name, preconditioner_choices(), t); }},
    text_option{"restart", [](solve_options& o, text name, text t) { o.restart = parse_integer(name, t, 1); }},
    text_option{"resume",
                [](solve_options& o, text name, text t) {
                    o.checkpoint = parse_file(name, t);
                    o.resume = true;
                }},
    text_option{"rtol", [](solve_options& o, text name, text t) { o.rtol = parse_nonnegative(name, t); }},
    text_option{"threads", [](solve_options& o, text name, text t) { o.threads = parse_threads(name, t); }},
    text_option{"time-limit",
                [](solve_options& o, text name, text t) { o.time_limit_seconds = parse_seconds(name, t); }},
};

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
    static const choices<number_format> all(named_values<number_format>().begin(), named_values<number_format>().end());
    return all;
}

const choices<long>& precision_choices()
{
    static const choices<long> all{{"auto", 0}, {"double", 53}, {"dd", 106}, {"td", 159}, {"qd", 212}};
    return all;
}

const choices<long>& factor_choices()
{
    static const choices<long> all{{"auto", 0}, {"half", 11}, {"single", 24}, {"double", 53},
                                   {"dd", 106}, {"td", 159},  {"qd", 212}};
    return all;
}

long parse_integer(std::string_view option, std::string_view text, long least, long most)
{
    long value = 0;
    if (read_integer(text, value) && least <= value && value <= most) {
        return value;
    }
    refuse(option, text,
           most == no_limit ? "is not an integer of at least " + std::to_string(least)
                            : "is not an integer from " + std::to_string(least) + " to " + std::to_string(most));
}

real parse_decimal(std::string_view option, std::string_view text, long bits)
{
    try {
        return real(text, bits);
    } catch (const error& e) {
        throw option_error(std::string(option) + ": " + e.what());
    }
}

real parse_nonnegative(std::string_view option, std::string_view text)
{
    real value = parse_decimal(option, text);
    if (value < real()) {
        throw option_error(std::string(option) + ": " + std::string(text) + " is negative");
    }
    return value;
}

double parse_seconds(std::string_view option, std::string_view text)
{
    const double value = to_double(parse_decimal(option, text));
    if (!(value > 0.0)) {
        throw option_error(std::string(option) + ": " + std::string(text) + " is not a time above zero");
    }
    return value;
}

int parse_threads(std::string_view option, std::string_view text)
{
    constexpr long most = 4096;
    return static_cast<int>(parse_integer(option, text, 1, most));
}

long parse_precision(std::string_view option, std::string_view text)
{
    return parse_bits(option, text, precision_choices());
}

long parse_factors(std::string_view option, std::string_view text)
{
    return parse_bits(option, text, factor_choices());
}

std::string executor_names() { return built_with_cuda() ? "auto, host, cuda, cuda:NUMBER" : "auto, host"; }

long most_digits() { return decimal_digits(available_precisions().back()); }

std::span<const std::string_view> option_names()
{
    static const auto names = [] {
        std::array<std::string_view, all_options.size()> all;
        std::transform(all_options.begin(), all_options.end(), all.begin(),
                       [](const text_option& o) { return o.name; });
        return all;
    }();
    return names;
}

void set_option(solve_options& options, std::string_view name, std::string_view value)
{
    std::string_view plain = name;
    if (plain.starts_with("--")) {
        plain.remove_prefix(2);
    }
    for (const text_option& each : all_options) {
        if (each.name == plain) {
            each.set(options, name, value);
            return;
        }
    }
    const std::span<const std::string_view> all = option_names();
    const std::vector<std::string_view> names(all.begin(), all.end());
    throw option_error("there is no option \"" + std::string(name.substr(0, 60)) + "\"; those are " + joined(names) +
                       did_you_mean(name, names));
}

}  // namespace residua
