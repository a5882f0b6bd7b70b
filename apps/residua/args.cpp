#include "args.hpp"

#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "args_fit.hpp"
#include "choices.hpp"
#include "exit_code.hpp"

namespace residua {
namespace {

using set_text = std::function<void(const std::string&)>;

CLI::Option* text_option(CLI::App& app, const std::string& names, const char* value, const set_text& set,
                         const std::string& help)
{
    return app.add_option_function<std::string>(names, set, help)->type_name(value);
}

CLI::Option* path_option(CLI::App& app, const std::string& names, std::string& path, const std::string& help)
{
    const std::string last = names.substr(names.rfind('-') + 1);
    return text_option(
        app, names, "FILE",
        [&path, last](const std::string& text) {
            if (text.empty() || (text == "-" && last != "report")) {
                throw usage_error(fmt::format("--{}: \"{}\" is not a file to write", last, text));
            }
            path = text;
        },
        help);
}

void add_matrix(CLI::App& app, std::string& matrix, entry_reading& entries)
{
    app.add_option("MATRIX", matrix, "MatrixMarket file, .mtx or .mtx.gz; - reads standard input")
        ->required()
        ->type_name("");
    text_option(
        app, "--entries", "HOW",
        [&](const std::string& t) { entries = choose("--entries", reading_choices(), t); },
        "How decimals in A and b are read: " + names_of(reading_choices()) +
            ". binary64 rounds them as every other tool does, decimal takes them as written; auto is "
            "binary64 unless a number has more than 17 significant digits or leaves binary64's range");
}

void add_threads(CLI::App& app, int& threads)
{
    text_option(
        app, "-t,--threads", "COUNT",
        [&](const std::string& t) { threads = static_cast<int>(parse_integer("--threads", t, 1, 4096)); },
        "Host threads [all cores]");
}

void choose_executor(const std::string& text)
{
    if (text.starts_with("cuda")) {
        throw usage_error("--executor: " + text + " is not available in this build; host is");
    }
    if (text != "auto" && text != "host") {
        throw usage_error("--executor: \"" + text + "\" is none of auto, host");
    }
}

/// What solve and compare have in common.
template <class Args>
void add_common(CLI::App& app, Args& args)
{
    system_args& system = args.system;
    solve_options& options = args.options;
    add_matrix(app, system.matrix, system.entries);
    text_option(
        app, "-b,--rhs", "RHS", [&](const std::string& t) { system.rhs = t; },
        "Right-hand side: FILE, ones, rowsum (b = A*1 formed exactly, so that x = 1), random:SEED [rowsum]");
    text_option(
        app, "--x0", "X0", [&](const std::string& t) { system.x0 = t; }, "Initial guess: FILE, zero [zero]");
    text_option(
        app, "-P,--precond", "NAME",
        [&](const std::string& t) { options.preconditioner = choose("--precond", preconditioner_choices(), t); },
        "Preconditioner: " + names_of(preconditioner_choices()) + " [the method's own]");
    text_option(app, "-e,--executor", "WHERE", choose_executor, "Where to compute: auto, host [auto]");
    add_threads(app, args.threads);
    text_option(
        app, "--rtol", "R", [&](const std::string& t) { options.rtol = parse_nonnegative("--rtol", t); },
        "Stop when the true residual's 2-norm <= max(R norm(b), A); any decimal, 1e-400 too [2^(-0.9 p) at p bits]");
    text_option(
        app, "--atol", "A", [&](const std::string& t) { options.atol = parse_nonnegative("--atol", t); },
        "See --rtol [0]");
    text_option(
        app, "-n,--maxiter", "COUNT",
        [&](const std::string& t) { options.max_iterations = parse_integer("--maxiter", t, 1); },
        "Iteration limit [10 n, at least 1000]");
    text_option(
        app, "--restart", "COUNT",
        [&](const std::string& t) { options.restart = parse_integer("--restart", t, 1); },
        "Restart length of gmres [50]");
    text_option(
        app, "--time-limit", "SECONDS",
        [&](const std::string& t) { options.time_limit_seconds = parse_seconds("--time-limit", t); },
        "Stop then; the best x so far is still written");
    path_option(app, "--report", args.telling.report, "Write a JSON report; - for standard output");
    path_option(app, "--plot", args.telling.plot, "Draw the convergence; .svg, .png or .pdf");
    text_option(
        app, "--progress", "WHEN",
        [&](const std::string& t) { args.telling.progress = choose("--progress", progress_choices(), t); },
        "Progress line: auto, always, never [auto: when standard error is a terminal]");
    CLI::Option* quiet = app.add_flag("-q,--quiet", args.telling.quiet, "No summary, progress or warnings");
    app.add_flag("-v,--verbose", args.telling.verbose, "Tell every step")->excludes(quiet);
}

void add_solve(CLI::App& app, solve_args& args)
{
    solve_options& options = args.options;
    add_common(app, args);
    path_option(app, "-o,--output", args.output, "Write x as a MatrixMarket array file");
    text_option(
        app, "--output-digits", "COUNT",
        [&](const std::string& t) {
            args.output_digits = static_cast<int>(parse_integer("--output-digits", t, 1, 1000000));
        },
        "Significant digits in that file [enough to round-trip the working precision]")
        ->needs("--output");
    text_option(
        app, "-m,--method", "NAME",
        [&](const std::string& t) { options.method = choose("--method", method_choices(), t); },
        "Method: " + names_of(method_choices()) + " [auto]");
    text_option(
        app, "-p,--precision", "BITS",
        [&](const std::string& t) { options.precision_bits = parse_precision("--precision", t); },
        "Precision: auto, double, dd, td, qd, or a number of bits, served by the next one of this build [auto]");
    text_option(
        app, "-f,--format", "NAME",
        [&](const std::string& t) { options.format = choose("--format", format_choices(), t); },
        "Number format: " + names_of(format_choices()) + " [auto]");
    const int most_digits = static_cast<int>(std::floor(0.30102 * static_cast<double>(available_precisions().back())));
    text_option(
        app, "-d,--digits", "COUNT",
        [&, most_digits](const std::string& t) {
            options.digits = static_cast<int>(parse_integer("--digits", t, 1, most_digits));
        },
        "Wanted correct significant digits of x (infinity norm); raises the precision until reached");
    path_option(app, "--history", args.history, "Write every iteration's residuals as CSV");
}

void add_compare(CLI::App& app, compare_args& args)
{
    args.precisions = {53, 106, 212, 424};
    args.methods = {method::automatic};
    args.formats = {number_format::automatic};
    add_common(app, args);
    text_option(
        app, "--precisions", "LIST",
        [&](const std::string& t) {
            args.precisions.clear();
            for (const std::string& part : split_list("--precisions", t)) {
                args.precisions.push_back(parse_precision("--precisions", part));
            }
        },
        "Precisions, names or bits, with commas [53,106,212,424]");
    text_option(
        app, "--methods", "LIST",
        [&](const std::string& t) {
            args.methods.clear();
            for (const std::string& part : split_list("--methods", t)) {
                args.methods.push_back(choose("--methods", method_choices(), part));
            }
        },
        "Methods, with commas: " + names_of(method_choices()) + " [auto]");
    text_option(
        app, "--formats", "LIST",
        [&](const std::string& t) {
            args.formats.clear();
            for (const std::string& part : split_list("--formats", t)) {
                args.formats.push_back(choose("--formats", format_choices(), part));
            }
        },
        "Number formats, with commas: " + names_of(format_choices()) + " [auto]");
    text_option(
        app, "--reference", "FILE", [&](const std::string& t) { args.reference = t; },
        "The exact x, for the forward error");
    path_option(app, "--csv", args.csv, "Write the table as CSV");
}

void add_info(CLI::App& app, info_args& args)
{
    add_matrix(app, args.matrix, args.entries);
    add_threads(app, args.threads);
    path_option(app, "--report", args.report, "Write a JSON report; - for standard output");
}

void choose_kind(const std::string& text, generate_args& args)
{
    std::string names;
    for (const gallery_kind& kind : gallery()) {
        if (kind.name == text) {
            args.kind = &kind;
            return;
        }
        names += (names.empty() ? "" : ", ") + std::string(kind.name);
    }
    throw usage_error(fmt::format("KIND: \"{}\" is none of {}", text, names));
}

void add_generate(CLI::App& app, generate_args& args)
{
    gallery_options& options = args.options;
    text_option(
        app, "KIND", "", [&](const std::string& t) { choose_kind(t, args); }, "Kind of matrix, see below")
        ->required();
    text_option(
        app, "--n", "N", [&](const std::string& t) { options.n = parse_integer("--n", t, 1); },
        "Order; grid points along each side for poisson and convection-diffusion")
        ->required();
    app.add_option("-o,--output", args.output, "MatrixMarket file to write; - for standard output")
        ->type_name("FILE")
        ->required();
    text_option(
        app, "--cond", "KAPPA",
        [&](const std::string& t) {
            options.cond = parse_decimal("--cond", t);
            if (options.cond < real(1)) {
                throw usage_error("--cond: a condition number is at least 1, not " + t);
            }
        },
        "Condition number, any decimal [1e12]");
    text_option(
        app, "--seed", "SEED", [&](const std::string& t) { options.seed = parse_seed("--seed", t); },
        "Of the random numbers [1]");
    text_option(
        app, "--theta", "T", [&](const std::string& t) { options.angle = parse_decimal("--theta", t, 4096); },
        "Angle of kahan in radians [1.2]");
    text_option(
        app, "--peclet", "P", [&](const std::string& t) { options.peclet = parse_decimal("--peclet", t, 4096); },
        "Cell Peclet number of convection-diffusion [0.5]");
    app.add_flag("--definite", options.definite, "Make randsvd symmetric positive definite");
    CLI::Option* digits = text_option(
        app, "--digits", "COUNT",
        [&](const std::string& t) { options.digits = static_cast<int>(parse_integer("--digits", t, 1, 100000)); },
        "Significant digits of entries that binary64 cannot hold [40; randsvd: enough for its condition]");
    app.add_flag("--binary64", args.binary64, "Round the entries to binary64, and write those exactly")
        ->excludes(digits);

    std::string kinds = "Kinds:\n";
    for (const gallery_kind& kind : gallery()) {
        kinds += fmt::format("  {:<22}{}\n", kind.name, kind.about);
    }
    app.footer(kinds);
}

/// What was typed after the program and the command, for a comment in one line.
std::string typed_after_command(int argc, const char* const* argv)
{
    std::string text;
    for (int k = 2; k < argc; ++k) {
        const std::string word = argv[k];
        if (word == "-o" || word == "--output") {
            ++k;  // where it lies is not what it is
        } else if (!word.starts_with("-o") && !word.starts_with("--output=")) {
            text += (text.empty() ? "" : " ") + word;
        }
    }
    return text;
}

}  // namespace

std::string version_text()
{
    return RESIDUA_VERSION;
}

command_args parse_command_line(int argc, const char* const* argv)
{
    CLI::App app("Solves linear systems that double precision cannot solve.", "residua");
    app.set_version_flag("--version", "residua " + version_text());
    app.get_formatter()->column_width(34);
    app.require_subcommand(1);
    app.footer("Exit codes: 0 done, 1 not converged, 2 usage, 3 bad input, 4 numerical breakdown,\n"
               "5 resources, 130 interrupted. See also residua COMMAND --help.");

    solve_args solve;
    compare_args compare;
    info_args info;
    generate_args generate;
    CLI::App* const solve_command = app.add_subcommand("solve", "Solve A x = b");
    CLI::App* const compare_command =
        app.add_subcommand("compare", "Solve A x = b in several precisions, methods and formats");
    CLI::App* const info_command = app.add_subcommand("info", "Tell what a matrix is like");
    CLI::App* const generate_command =
        app.add_subcommand("generate", "Write a test matrix from the literature");
    add_solve(*solve_command, solve);
    add_compare(*compare_command, compare);
    add_info(*info_command, info);
    add_generate(*generate_command, generate);

    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return help_args{app.help()};
    } catch (const CLI::CallForVersion& version) {
        return help_args{std::string(version.what()) + "\n"};
    } catch (const CLI::ParseError& failure) {
        throw usage_error(std::string(failure.what()) + " (see residua --help)");
    }

    const auto given_to = [](const CLI::App* command) {
        return [command](const char* option) { return command->count(option) > 0; };
    };
    if (solve_command->parsed()) {
        require_fit(solve, given_to(solve_command));
        return solve;
    }
    if (compare_command->parsed()) {
        require_fit(compare, given_to(compare_command));
        return compare;
    }
    if (info_command->parsed()) {
        return info;
    }
    require_fit(generate, given_to(generate_command));
    generate.command = typed_after_command(argc, argv);
    return generate;
}

}  // namespace residua
