#include <algorithm>

#include <fmt/format.h>

#include "args_fit.hpp"
#include "choices.hpp"
#include "exit_code.hpp"
#include "option.hpp"

namespace residua {
namespace {

/// Whether any format has the operation on an executor.
bool is_there(operation op, bench_executor executor)
{
    return std::any_of(bench_formats().begin(), bench_formats().end(),
                       [&](bench_format each) { return has(op, each, executor); });
}

/// Whether this build has the operation.
bool is_in_build(const bench_operation& op) { return built_with_cuda() || is_there(op.id, bench_executor::host); }

std::vector<std::string_view> operation_names()
{
    std::vector<std::string_view> names;
    for (const bench_operation& each : bench_operations()) {
        if (is_in_build(each)) {
            names.emplace_back(each.name);
        }
    }
    return names;
}

template <class T>
std::vector<std::string_view> names_of(const std::vector<T>& values)
{
    std::vector<std::string_view> names;
    names.reserve(values.size());
    for (const T each : values) {
        names.emplace_back(to_string(each));
    }
    return names;
}

std::vector<bench_executor> executors()
{
    return built_with_cuda() ? std::vector{bench_executor::host, bench_executor::cuda}
                             : std::vector{bench_executor::host};
}

/// The names of precisions that can be measured.
std::vector<std::string_view> precision_words()
{
    std::vector<std::string_view> words;
    for (const named_value<long>& each : precision_choices()) {
        if (each.value != 0) {
            words.emplace_back(each.name);
        }
    }
    return words;
}

void choose_operation(const std::string& text, bench_args& args)
{
    for (const bench_operation& each : bench_operations()) {
        if (each.name == text) {
            args.operation = &each;
            return;
        }
    }
    throw usage_error("OPERATION: " + unknown_word(text, operation_names()));
}

/// The value whose to_string is the text.
template <class T>
T named(const std::string& option, const std::vector<T>& values, const std::string& text)
{
    for (const T each : values) {
        if (to_string(each) == text) {
            return each;
        }
    }
    throw usage_error(option + ": " + unknown_word(text, names_of(values)));
}

/// Text such as "; rns only" or "; rns on cuda only", which names the formats that have an operation, unless all have it.
std::string formats_text(operation op)
{
    const bench_executor where = is_there(op, bench_executor::host) ? bench_executor::host : bench_executor::cuda;
    std::string names;
    std::size_t count = 0;
    for (const bench_format each : bench_formats()) {
        if (has(op, each, where)) {
            names += (names.empty() ? "" : ", ") + std::string(to_string(each));
            ++count;
        }
    }
    if (count == bench_formats().size()) {
        return "";
    }
    return "; " + names + (where == bench_executor::cuda ? " on cuda only" : " only");
}

/// The bits that a name or a number stands for. They do not exceed the bits of the longest format.
long parse_bits(const std::string& option, const std::string& text)
{
    if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) {
        return parse_integer(option, text, 1, precisions_of(number_format::multidigit).most);
    }
    const long bits = parse_precision(option, text);
    if (bits == 0) {
        throw usage_error(fmt::format("{}: {} is no precision that can be measured", option, text));
    }
    return bits;
}

}  // namespace

void add_bench_options(command& app, bench_args& args)
{
    text_option(app, "OPERATION", "", [&](const std::string& t) { choose_operation(t, args); },
                "What to measure, see below", {.words = operation_names()})
        ->required();
    list_option(app, "--sizes", args.sizes,
                [](const std::string& name, const std::string& part) {
                    return static_cast<index_t>(parse_integer(name, part, 1));
                },
                "Sizes n, with commas [the operation's own]", {});
    list_option(app, "--precisions", args.precisions, parse_bits,
                "Precisions, names or bits, with commas; each is served by the next one of a "
                "format [106,212,424; of an operation of native alone 53]",
                precision_words());
    list_option(
        app, "--formats", args.formats,
        [](const std::string& name, const std::string& part) { return named(name, bench_formats(), part); },
        fmt::format("Number formats, with commas: {} [those that have the operation and the precisions]",
                    joined(names_of(bench_formats()))),
        names_of(bench_formats()));
    text_option(
        app, "-e,--executor", "WHERE",
        [&](const std::string& t) {
            if (t == "cuda" && !built_with_cuda()) {
                throw usage_error("--executor: cuda is not available in this build; host is");
            }
            args.executor = named("--executor", executors(), t);
        },
        built_with_cuda() ? "Where to compute: host, cuda, the first device [host]" : "Where to compute: host [host]",
        {.words = names_of(executors())});
    text_option(
        app, "--repeat", "COUNT", [&](const std::string& t) { args.repeat = parse_integer("--repeat", t, 1, 1000000); },
        "Samples of a row [half a second of them, at least 5; with --hash 1]");
    app.add_flag("--hash", args.hash, "Print the hashes of the results and no times: to be compared");
    text_option(
        app, "--seed", "SEED", [&](const std::string& t) { args.seed = parse_seed("--seed", t); },
        "Of the operands' random numbers [1]");

    std::string operations = "Operations:\n";
    for (const bench_operation& each : bench_operations()) {
        if (!is_in_build(each)) {
            continue;
        }
        std::string sizes;
        for (const index_t size : each.sizes) {
            sizes += fmt::format("{}{}", sizes.empty() ? "" : ",", size);
        }
        operations += fmt::format("  {:<20}{} [{}]{}\n", each.name, each.about, sizes, formats_text(each.id));
    }
    app.notes = operations + "\nEvery result is checked against MPFR; exit code 1 if one is wrong.\n";
}

void require_fit(const bench_args& args)
{
    const bench_operation& op = *args.operation;
    for (const index_t size : args.sizes) {
        if (size > op.largest) {
            throw usage_error(fmt::format("--sizes: {} takes sizes up to {}, not {}", op.name, op.largest, size));
        }
    }
    if (!is_there(op.id, args.executor)) {
        const bool on_host = args.executor == bench_executor::host;
        throw usage_error(fmt::format("OPERATION: {} is there on {} only", op.name,
                                      to_string(on_host ? bench_executor::cuda : bench_executor::host)));
    }
    for (const bench_format format : args.formats) {
        if (!has(op.id, format, args.executor)) {
            throw usage_error(
                fmt::format("--formats: {} has no {} on {}", to_string(format), op.name, to_string(args.executor)));
        }
    }
    for (const bench_format format : args.all_formats()) {
        for (const long bits : args.all_precisions()) {
            if (has(op.id, format, args.executor, bits)) {
                return;
            }
        }
    }
    throw usage_error("--precisions: none of these formats has any of them");
}

}  // namespace residua
