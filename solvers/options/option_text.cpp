#include <residua/solvers/options/option_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

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
        refuse(option, text, "is none of " + executor_names() + did_you_mean(text, words_of(executor_choices())));
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

/// Sets the preconditioner from its name, or from "petsc:-pc_type icc".
void choose_preconditioner(solve_options& options, std::string_view option, std::string_view text)
{
    constexpr std::string_view with_options = "petsc:";
    const bool has_options = text.starts_with(with_options);
    options.preconditioner = has_options ? preconditioner::petsc : choose(option, preconditioner_choices(), text);
    options.petsc_options = has_options ? text.substr(with_options.size()) : "";
    options.given = {};
}

std::string parse_file(std::string_view option, std::string_view text)
{
    if (text.empty() || text == "-") {
        refuse(option, text, "is not a file to write");
    }
    return std::string(text);
}

void require_at_least(long least, long value, const std::string& what)
{
    if (value < least) {
        throw unsupported_error(what + " must be at least " + std::to_string(least) + ", not " + std::to_string(value));
    }
}

void require_time(double seconds)
{
    if (!(seconds >= 0.0)) {
        throw unsupported_error("the time limit must be at least 0, not " + to_string(real(seconds), 6));
    }
}

void require_tolerance(const std::optional<real>& tolerance)
{
    if (tolerance && !(*tolerance >= real(0.0) && is_finite(*tolerance))) {
        throw unsupported_error("a tolerance must be a finite number, zero or above, not " + to_string(*tolerance, 6));
    }
}

void require_digits(int digits)
{
    require_at_least(0, digits, "the number of digits");
    if (digits > most_digits()) {
        throw unsupported_error("the longest format has " + std::to_string(available_precisions().back()) +
                                " bits, which are " + std::to_string(most_digits()) + " digits, not " +
                                std::to_string(digits));
    }
}

std::string text_of(const std::optional<real>& x) { return x ? to_string(*x) : "default"; }

using options = solve_options;
using text = std::string_view;

/// An option: how text sets it, and what else is asked of each.
struct option_row {
    text name;
    void (*set)(options& o, text option, text value);
    /// The value as text, by which a checkpoint knows its solve; null where x does not depend on it.
    std::string (*value)(const options& o) = nullptr;
    /// Throws unsupported_error for a value that makes no sense; null where all do.
    void (*require)(const options& o) = nullptr;
};

/// All options, in the order of their names.
constexpr std::array all_options{
    option_row{"atol", [](options& o, text name, text t) { o.atol = parse_nonnegative(name, t); },
               [](const options& o) { return text_of(o.atol); }, [](const options& o) { require_tolerance(o.atol); }},
    option_row{"block-size",
               [](options& o, text name, text t) {
                   o.nodes.block_size = parse_integer(name, t, 1, std::numeric_limits<std::int32_t>::max());
               },
               [](const options& o) { return std::to_string(o.nodes.block_size); },
               [](const options& o) { require_at_least(0, o.nodes.block_size, "the block size"); }},
    option_row{"checkpoint",
               [](options& o, text name, text t) {
                   o.checkpoint = parse_file(name, t);
                   o.resume = false;
               }},
    option_row{"damp",
               [](options& o, text name, text t) {
                   parse_nonnegative(name, t);
                   o.damp = parse_decimal(name, t, 2 * multidigit_format::most_bits + 64);
               },
               [](const options& o) { return text_of(o.damp); }},
    option_row{
        "digits",
        [](options& o, text name, text t) { o.digits = static_cast<int>(parse_integer(name, t, 1, most_digits())); },
        [](const options& o) { return std::to_string(o.digits); }, [](const options& o) { require_digits(o.digits); }},
    option_row{"every", [](options& o, text name, text t) { o.checkpoint_seconds = parse_seconds(name, t); }},
    option_row{"executor", choose_executor, nullptr,
               [](const options& o) { require_at_least(0, o.device, "the number of a device"); }},
    option_row{"factors", [](options& o, text name, text t) { o.factor_bits = parse_factors(name, t); },
               [](const options& o) { return std::to_string(o.factor_bits); },
               [](const options& o) { require_at_least(0, o.factor_bits, "the number of bits of factors"); }},
    option_row{"fill", [](options& o, text name, text t) { o.fill = parse_integer(name, t, 0); },
               [](const options& o) { return o.fill ? std::to_string(*o.fill) : "default"; },
               [](const options& o) { require_at_least(0, o.fill.value_or(0), "the fill of a preconditioner"); }},
    option_row{"format", [](options& o, text name, text t) { o.format = choose(name, format_choices(), t); },
               [](const options& o) { return std::string(to_string(o.format)); }},
    option_row{"maxiter", [](options& o, text name, text t) { o.max_iterations = parse_integer(name, t, 1); },
               [](const options& o) { return std::to_string(o.max_iterations); },
               [](const options& o) { require_at_least(0, o.max_iterations, "the number of iterations"); }},
    option_row{"method", [](options& o, text name, text t) { o.method = choose(name, method_choices(), t); },
               [](const options& o) { return std::string(to_string(o.method)); }},
    option_row{"precision", [](options& o, text name, text t) { o.precision_bits = parse_precision(name, t); },
               [](const options& o) { return std::to_string(o.precision_bits); },
               [](const options& o) { require_at_least(0, o.precision_bits, "the number of bits"); }},
    option_row{"precond", choose_preconditioner,
               [](const options& o) {
                   return std::string(to_string(o.preconditioner)) +
                          (o.petsc_options.empty() ? "" : ":" + o.petsc_options);
               }},
    option_row{"restart", [](options& o, text name, text t) { o.restart = parse_integer(name, t, 1); },
               [](const options& o) { return std::to_string(o.restart); },
               [](const options& o) {
                   if (traits_of(o.method).restarts) {
                       require_at_least(1, o.restart, "the restart length of GMRES");
                   }
               }},
    option_row{"resume",
               [](options& o, text name, text t) {
                   o.checkpoint = parse_file(name, t);
                   o.resume = true;
               }},
    option_row{"rtol", [](options& o, text name, text t) { o.rtol = parse_nonnegative(name, t); },
               [](const options& o) { return text_of(o.rtol); }, [](const options& o) { require_tolerance(o.rtol); }},
    option_row{"threads", [](options& o, text name, text t) { o.threads = parse_threads(name, t); }, nullptr,
               [](const options& o) { require_at_least(0, o.threads, "the number of threads"); }},
    option_row{"time-limit", [](options& o, text name, text t) { o.time_limit_seconds = parse_seconds(name, t); },
               nullptr, [](const options& o) { require_time(o.time_limit_seconds); }},
};

/// The name in the table of a name in a vocabulary.
std::string plain_name(text name, vocabulary words)
{
    if (words == vocabulary::python && name == "M") {
        return "precond";
    }
    std::string plain(name.starts_with("--") ? name.substr(2) : name);
    if (words == vocabulary::python) {
        std::replace(plain.begin(), plain.end(), '_', '-');
    }
    return plain;
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
        choices<preconditioner> names{{to_string(preconditioner::automatic), preconditioner::automatic}};
        for (const preconditioner_traits& each : all_preconditioners()) {
            if (each.preconditioner != preconditioner::given) {  // text has no functions
                names.push_back({each.name, each.preconditioner});
            }
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

const choices<executor>& executor_choices()
{
    static const choices<executor> all = [] {
        choices<executor> names;
        for (const named_value<executor>& each : named_values<executor>()) {
            if (each.value != executor::cuda || built_with_cuda()) {
                names.push_back(each);
            }
        }
        return names;
    }();
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

std::string executor_names() { return names_of(executor_choices()) + (built_with_cuda() ? ", cuda:NUMBER" : ""); }

std::string preconditioner_names() { return names_of(preconditioner_choices()) + ", petsc:OPTIONS"; }

long most_digits() { return decimal_digits(available_precisions().back()); }

std::span<const std::string_view> option_names()
{
    static const auto names = [] {
        std::array<std::string_view, all_options.size()> all;
        std::transform(all_options.begin(), all_options.end(), all.begin(), [](const option_row& o) { return o.name; });
        return all;
    }();
    return names;
}

void set_option(solve_options& options, std::string_view name, std::string_view value, vocabulary words)
{
    const std::string plain = plain_name(name, words);
    for (const option_row& each : all_options) {
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

void require_options(const solve_options& options)
{
    for (const option_row& each : all_options) {
        if (each.require != nullptr) {
            each.require(options);
        }
    }
}

std::vector<std::pair<std::string, std::string>> options_of_x(const solve_options& options)
{
    std::vector<std::pair<std::string, std::string>> all;
    for (const option_row& each : all_options) {
        if (each.value != nullptr) {
            all.emplace_back(each.name, each.value(options));
        }
    }
    return all;
}

}  // namespace residua
