#include "args_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include <apps/residua/commands/reference.hpp>

#include "choices.hpp"
#include "exit_code.hpp"
#include "output_file.hpp"

namespace residua {
namespace {

/// Options, and the files given to them.
using named_files = std::vector<std::pair<const char*, std::string>>;

/// An option that only some methods know must fit a method that will run.
void require_methods(const std::vector<method>& methods, preconditioner precond, const was_given& given)
{
    for (const method m : methods) {
        try {
            require_fitting(m, precond);
        } catch (const unsupported_error& e) {
            throw usage_error(fmt::format("--precond: {}", e.what()));
        }
    }
    const auto all_are = [&](bool method_traits::*trait, bool value) {
        return std::all_of(methods.begin(), methods.end(), [&](method m) { return traits_of(m).*trait == value; });
    };
    if (given("--restart") && all_are(&method_traits::restarts, false)) {
        throw usage_error(fmt::format("--restart: only {} restart; name one as the method",
                                      listed(names_with(&method_traits::restarts), "and")));
    }
    if (given("--factors") && all_are(&method_traits::by_factors, false)) {
        throw usage_error(fmt::format("--factors: only {} have them; name one as the method",
                                      listed(names_with(&method_traits::by_factors), "and")));
    }
    if (given("--fill") && !traits_of(precond).takes_fill) {
        throw usage_error(fmt::format("--fill: only the preconditioners {} have it; name one",
                                      listed(names_with(&preconditioner_traits::takes_fill), "and")));
    }
    for (const char* option : {"--maxiter", "--x0"}) {
        if (given(option) && all_are(&method_traits::dense, true)) {
            throw usage_error(fmt::format("{}: {} does not iterate", option, to_string(methods.front())));
        }
    }
}

void require_tolerance(const solve_options& options)
{
    if (options.rtol && is_zero(*options.rtol) && (!options.atol || is_zero(*options.atol))) {
        throw usage_error("--rtol: with 0 no residual passes; give --atol too");
    }
}

/// The format must have the bits that are asked for.
void require_precision(const solve_options& options)
{
    const long bits = options.precision_bits;
    const precision_range has = precisions_of(options.format);
    if (bits > 0 && !has.holds(bits)) {
        throw usage_error(fmt::format("--format: {} holds {} to {} bits, not {}; {} does", to_string(options.format),
                                      has.least, has.most, bits, to_string(format_of(bits))));
    }
}

/// A method must take the format, and run on a GPU if that is asked for.
void require_arithmetic(solve_options options, method m, number_format f)
{
    options.method = m;
    options.format = f;
    try {
        require_format(m, f);
    } catch (const unsupported_error& e) {
        throw usage_error(fmt::format("--format: {}", e.what()));
    }
    try {
        require_factors(options);
    } catch (const unsupported_error& e) {
        throw usage_error(fmt::format("--factors: {}", e.what()));
    }
    try {
        require_executor(options);
    } catch (const unsupported_error& e) {
        throw usage_error(fmt::format("--executor: {}", e.what()));
    }
}

void require_plot_ending(const std::string& path)
{
    constexpr std::array endings{".svg", ".png", ".pdf"};
    const auto fits = [&](const char* ending) { return path.ends_with(ending); };
    if (!path.empty() && !std::any_of(endings.begin(), endings.end(), fits)) {
        throw usage_error("--plot: " + path + " ends in none of .svg, .png, .pdf");
    }
}

/// The one spelling of a path, also where no file is yet.
std::filesystem::path spelled_out(const std::string& path)
{
    std::error_code unknown;
    const std::filesystem::path whole = std::filesystem::absolute(where_created(path), unknown);
    const std::filesystem::path spelled = std::filesystem::weakly_canonical(whole, unknown);
    return unknown ? whole.lexically_normal() : spelled;
}

bool same_file(const std::string& a, const std::string& b)
{
    std::error_code unknown;
    return a == b || std::filesystem::equivalent(a, b, unknown) || spelled_out(a) == spelled_out(b);
}

/// Whether the path is a terminal, a pipe or /dev/null, which take more than one result.
bool is_device(const std::string& path)
{
    std::error_code unknown;
    const std::filesystem::file_status status = std::filesystem::status(path, unknown);
    return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

/// Refuses a result that would overwrite an input or another result, also on standard output. Inputs that are no files are
/// empty or "-".
void require_distinct(const named_files& inputs, const named_files& outputs)
{
    const char* standard_output = nullptr;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        const auto& [option, path] = outputs[k];
        if (path == "-") {
            if (const char* const other = std::exchange(standard_output, option); other != nullptr) {
                throw usage_error(fmt::format("{}: standard output takes one result, and {} is there", option, other));
            }
        }
        if (path.empty() || path == "-") {
            continue;
        }
        for (const auto& [other, taken] : inputs) {
            if (!taken.empty() && taken != "-" && same_file(path, taken)) {
                throw usage_error(fmt::format("{}: {} is the file of {}", option, path, other));
            }
        }
        for (std::size_t i = 0; i < k; ++i) {
            const std::string& earlier = outputs[i].second;
            if (!earlier.empty() && earlier != "-" && !is_device(path) && same_file(path, earlier)) {
                throw usage_error(fmt::format("{}: {} is the file of {}", option, path, outputs[i].first));
            }
        }
    }
}

/// The files that a system is read from. Words such as rowsum are not files.
named_files files_of(const system_args& system)
{
    return {{"MATRIX", system.matrix},
            {"--rhs", is_rhs_file(system.rhs) ? system.rhs : ""},
            {"--x0", is_x0_file(system.x0) ? system.x0 : ""}};
}

void require_one_standard_input(const system_args& system, const std::string& reference = {})
{
    if ((system.matrix == "-") + (system.rhs == "-") + (system.x0 == "-") + (reference == "-") > 1) {
        throw usage_error("standard input can be read only once: name files instead of -");
    }
}

}  // namespace

solve_options options_of(const solve_options& shared, method m)
{
    solve_options options = shared;
    options.method = m;
    options.factor_bits = traits_of(m).by_factors ? options.factor_bits : 0;
    return options;
}

precision_range compared_bits(number_format format)
{
    precision_range range = precisions_of(format);
    if (format == number_format::expansion) {
        range = {precisions_of(number_format::native).most + 1, most_expansion_bits};
    }
    return range;
}

void require_fit(solve_args& args, const was_given& given)
{
    const solve_options& options = args.options;
    require_methods({options.method}, options.preconditioner, given);
    require_tolerance(options);
    require_arithmetic(options, options.method, options.format);
    require_precision(options);
    if (given("--every") && options.checkpoint.empty()) {
        throw usage_error("--every needs --checkpoint or --resume: nothing is saved without one of them");
    }
    require_one_standard_input(args.system);
    require_plot_ending(args.telling.plot);
    require_distinct(files_of(args.system),
                     {{"--output", args.output},
                      {"--history", args.history},
                      {args.options.resume ? "--resume" : "--checkpoint", args.options.checkpoint},
                      {"--report", args.telling.report},
                      {"--plot", args.telling.plot}});
}

void require_fit(compare_args& args, const was_given& given)
{
    require_methods(args.methods, args.options.preconditioner, given);
    require_tolerance(args.options);
    std::string ranges;
    bool any = false;
    for (const number_format f : args.formats) {
        const precision_range has = compared_bits(f);
        ranges += fmt::format("{}{} has {} to {} bits", ranges.empty() ? "" : ", ", to_string(f), has.least, has.most);
        any = any || std::any_of(args.precisions.begin(), args.precisions.end(),
                                 [&](long p) { return p == 0 || has.holds(p); });
    }
    if (!any) {
        throw usage_error(fmt::format("--formats: none has one of --precisions: {}", ranges));
    }
    for (const method m : args.methods) {
        for (const number_format f : args.formats) {
            require_arithmetic(options_of(args.options, m), m, f);
        }
    }
    require_one_standard_input(args.system, args.reference);
    require_plot_ending(args.telling.plot);
    named_files inputs = files_of(args.system);
    inputs.emplace_back("--reference", is_reference_file(args.reference) ? args.reference : "");
    require_distinct(inputs, {{"--csv", args.csv}, {"--report", args.telling.report}, {"--plot", args.telling.plot}});
}

void require_fit(const info_args& args) { require_distinct({{"MATRIX", args.matrix}}, {{"--report", args.report}}); }

void require_fit(generate_args& args, const was_given& given)
{
    const gallery_uses& uses = args.kind->uses;
    const std::array<std::pair<const char*, bool>, 10> options{{{"--cond", uses.cond},
                                                                {"--seed", uses.seed},
                                                                {"--theta", uses.angle},
                                                                {"--peclet", uses.peclet},
                                                                {"--wavenumber", uses.wavenumber},
                                                                {"--complex", uses.complex},
                                                                {"--ratio", uses.ratio},
                                                                {"--coordinates", uses.coordinates},
                                                                {"--definite", uses.definite},
                                                                {"--digits", uses.digits}}};
    for (const auto& [option, fits] : options) {
        if (given(option) && !fits) {
            throw usage_error(fmt::format("{}: {} has no use for it", option, args.kind->name));
        }
    }
    require_distinct({}, {{"--output", args.output}, {"--coordinates", args.coordinates}});
}

}  // namespace residua
