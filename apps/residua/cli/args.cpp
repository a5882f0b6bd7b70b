#include "args.hpp"

#include <memory>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <residua/blas/base/library.hpp>
#include <residua/solvers/planning/plan.hpp>

#include <apps/residua/commands/reference.hpp>
#include <apps/residua/text/layout.hpp>

#include "args_errors.hpp"
#include "args_fit.hpp"
#include "choices.hpp"
#include "command_line.hpp"
#include "exit_code.hpp"
#include "option.hpp"
#include "yardsticks.hpp"

namespace residua {
namespace {

/// Help lines of at most 100 columns, without CLI11's remarks on what excludes what.
class help_formatter : public CLI::Formatter {
public:
    std::string make_option(const CLI::Option* option, bool is_positional) const override
    {
        constexpr std::size_t indent = 28;
        const std::string name = "  " + make_option_name(option, is_positional) +
                                 (option->get_type_name().empty() ? "" : " " + option->get_type_name());
        const std::string help = wrapped(option->get_description(), indent);
        return name.size() + 2 <= indent ? name + help.substr(name.size()) : name + "\n" + help;
    }
};

void add_matrix(command& app, std::string& matrix, bool required = true)
{
    text_option(app, "MATRIX", "", [&](const std::string& t) { matrix = t; },
                "File of a matrix: MatrixMarket, Harwell-Boeing, Rutherford-Boeing, these also as .gz, .npy or .npz; - "
                "reads standard input",
                {.words = {}, .files = true})
        ->required(required);
}

void add_transpose(command& app, bool& transpose)
{
    app.add_flag("--transpose", transpose, "Take the transpose of the matrix in the file for A");
}

void add_entries(command& app, entry_reading& entries)
{
    text_option(app, "--entries", "HOW",
                [&](const std::string& t) { entries = choose("--entries", reading_choices(), t); },
                "How decimals in A and b are read: " + names_of(reading_choices()) +
                    ". binary64 rounds them as every other tool does, decimal takes them as written, auto "
                    "is decimal, for A and b apart, where a number has more than 17 significant digits or leaves "
                    "binary64's range and not all are binary64 numbers as they are printed, else binary64 [auto]",
                {.words = words_of(reading_choices())});
}

void add_threads(command& app, int& threads)
{
    text_option(
        app, "-t,--threads", "COUNT", [&](const std::string& t) { threads = parse_threads("--threads", t); },
        "Host threads [all cores]");
}

void add_report(command& app, std::string& report)
{
    path_option(app, "--report", report, "Write a JSON report; - for standard output", dash::standard_output);
}

// The options that solve and compare share are added in three parts, since their help has others in between.

/// `several` right-hand sides are solved; `compare` does without a matrix where it has --kernels.
void add_system(command& app, system_args& system, bool several)
{
    add_matrix(app, system.matrix, several || !has_yardsticks);
    add_transpose(app, system.transpose);
    text_option(
        app, "-b,--rhs", "RHS", [&](const std::string& t) { system.rhs = t; },
        std::string(several ? "Right-hand side: FILE (all of its columns are solved)" : "Right-hand side: FILE") +
            ", ones, rowsum (b = A*1 formed exactly, so that x = 1), random:SEED, unit:K (column K of the identity)" +
            (several ? ", identity (all of its columns: x is the inverse)" : "") + " [rowsum]",
        {.words = several ? std::vector<std::string_view>{"identity", "ones", "random:", "rowsum", "unit:"}
                          : std::vector<std::string_view>{"ones", "random:", "rowsum", "unit:"},
         .files = true});
    text_option(app, "--x0", "X0", [&](const std::string& t) { system.x0 = t; }, "Initial guess: FILE, zero [zero]",
                {.words = {"zero"}, .files = true});
}

void add_numerics(command& app, entry_reading& entries, solve_options& options, int& threads)
{
    add_entries(app, entries);
    text_option(app, "-P,--precond", "NAME", [&](const std::string& t) { set_option(options, "--precond", t); },
                "Preconditioner: " + preconditioner_names() + "; auto is the method's own [auto]",
                {.words = words_of(preconditioner_choices())});
    text_option(
        app, "--fill", "COUNT", [&](const std::string& t) { set_option(options, "--fill", t); },
        fmt::format("Fill of the preconditioner: of iluk its level [{}]; of ilut the entries of a row of L, and of U, "
                    "beyond those of A [{}]",
                    iluk_default_level, ilut_options{}.fill));
    text_option(
        app, "--factors", "BITS", [&](const std::string& t) { set_option(options, "--factors", t); },
        "Precision of the factors of " + listed(names_with(&method_traits::by_factors), "and") + ": " +
            names_of(factor_choices()) +
            ", or a number of bits; half has products of 11 bits, for dense matrices, and is single for "
            "others. auto is double, and where corrections by these stagnate, as far as longer ones are within reach, "
            "dd, "
            "then qd [auto]",
        {.words = words_of(factor_choices())});
    text_option(
        app, "-e,--executor", "WHERE", [&](const std::string& t) { set_option(options, "--executor", t); },
        "Where to compute: " + executor_names() +
            (built_with_cuda() ? ". cuda takes every method, of direct the products, in the format rns " +
                                     listed(names_with(&method_traits::in_rns_on_gpu), "and") +
                                     ", by factors or with " + listed(names_with(&preconditioner_traits::by_products)) +
                                     "; auto takes a GPU for iterations with these, in rns or on large systems [auto]"
                               : " [auto]"),
        {.words = words_of(executor_choices())});
    add_threads(app, threads);
    text_option(
        app, "--rtol", "R", [&](const std::string& t) { set_option(options, "--rtol", t); },
        "Stop when the true residual's 2-norm <= max(R norm(b), A), lsqr also when norm(A'r) <= R norm(A) "
        "norm(r); any decimal, 1e-400 too [2^(-0.9 p) at p bits]");
    text_option(
        app, "--atol", "A", [&](const std::string& t) { set_option(options, "--atol", t); }, "See --rtol [0]");
    text_option(
        app, "-n,--maxiter", "COUNT", [&](const std::string& t) { set_option(options, "--maxiter", t); },
        "Iteration limit [10 n, n columns of A, at least 1000]");
    text_option(
        app, "--restart", "COUNT", [&](const std::string& t) { set_option(options, "--restart", t); },
        "Restart length of " + listed(names_with(&method_traits::restarts), "and") + " [50, of gmres-ir at least 500]");
}

void add_telling(command& app, telling_args& telling)
{
    add_report(app, telling.report);
    path_option(app, "--plot", telling.plot, "Draw the convergence; FILE ends in .svg, .png or .pdf");
    text_option(app, "--progress", "WHEN",
                [&](const std::string& t) { telling.progress = choose("--progress", progress_choices(), t); },
                "Progress line: auto, always, never [auto: when standard error is a terminal]",
                {.words = words_of(progress_choices())});
    CLI::Option* quiet = app.add_flag("-q,--quiet", telling.quiet, "No summary, progress or warnings");
    app.add_flag("-v,--verbose", telling.verbose,
                 "Tell every true residual on standard error, where the time goes, and all about a solve that failed")
        ->excludes(quiet);
}

void add_time_limit(command& app, double& seconds, const char* then)
{
    text_option(
        app, "--time-limit", "SECONDS",
        [&seconds](const std::string& t) {
            solve_options with;
            set_option(with, "--time-limit", t);
            seconds = with.time_limit_seconds;
        },
        then);
}

constexpr const char* stops_with_best = "Stop then; the best x so far is still written";

void add_solve(command& app, solve_args& args)
{
    solve_options& options = args.options;
    add_system(app, args.system, true);
    path_option(app, "-o,--output", args.output, "Write x as a MatrixMarket array file; - for standard output",
                dash::standard_output);
    text_option(
        app, "--output-digits", "COUNT",
        [&](const std::string& t) {
            args.output_digits = static_cast<int>(parse_integer("--output-digits", t, 1, 1000000));
        },
        "Significant digits in that file [enough to round-trip the bits of x]")
        ->needs("--output");
    text_option(app, "-m,--method", "NAME", [&](const std::string& t) { set_option(options, "--method", t); },
                "Method: " + names_of(method_choices()) + " [auto]", {.words = words_of(method_choices())});
    text_option(
        app, "-p,--precision", "BITS", [&](const std::string& t) { set_option(options, "--precision", t); },
        fmt::format("Precision: {}, or a number of bits up to {}, served by the next one that the format has [auto]",
                    names_of(precision_choices()), precisions_of(number_format::automatic).most),
        {.words = words_of(precision_choices())});
    text_option(app, "-f,--format", "NAME", [&](const std::string& t) { set_option(options, "--format", t); },
                "Number format: " + names_of(format_choices()) + "; auto goes by the bits [auto]",
                {.words = words_of(format_choices())});
    add_numerics(app, args.system.entries, options, args.threads);
    text_option(
        app, "-d,--digits", "COUNT", [&](const std::string& t) { set_option(options, "--digits", t); },
        "Wanted correct significant digits of x (normwise, infinity norm); raises the precision "
        "until they are reached");
    text_option(
        app, "--require-digits", "COUNT",
        [&](const std::string& t) {
            args.required_digits = static_cast<int>(parse_integer("--require-digits", t, 1, most_digits()));
        },
        fmt::format("End with exit code {} where fewer correct digits are backed, of any column; x and report are "
                    "written all the same",
                    static_cast<int>(exit_code::too_few_digits)));
    app.add_flag_callback(
        "--no-estimates", [&options] { options.estimate_condition = false; },
        "No condition and no error of x, unless -d asks for digits: then no factors are made for them");
    add_time_limit(app, options.time_limit_seconds, stops_with_best);
    CLI::Option* const checkpoint = text_option(
        app, "--checkpoint", "FILE", [&](const std::string& t) { set_option(options, "--checkpoint", t); },
        "Leave the state of the solve in FILE, which is not there yet, for --resume", {.words = {}, .files = true});
    text_option(app, "--resume", "FILE", [&](const std::string& t) { set_option(options, "--resume", t); },
                "Go on from a checkpoint of this system with these options, and leave later states in it",
                {.words = {}, .files = true})
        ->excludes(checkpoint);
    text_option(
        app, "--every", "SECONDS", [&](const std::string& t) { set_option(options, "--every", t); },
        "Time between two states of a checkpoint [60]");
    text_option(
        app, "--damp", "T", [&](const std::string& t) { set_option(options, "--damp", t); },
        "Least squares with damping: make norm(b - A x)^2 + T^2 norm(x)^2 least, of any shape of A [0]");
    path_option(app, "--weights", args.weights,
                "Least squares with weights: make the sum of w (b - A x)^2 least; FILE has a w for each row");
    text_option(
        app, "--given-null-space", "N", [&](const std::string& t) { args.given_null_space = t; },
        "Use vectors that A takes to zero, the columns of FILE or ones, with an iterative method: x is the shortest "
        "solution",
        {.words = {"ones"}, .files = true});
    text_option(
        app, "--block-size", "K", [&](const std::string& t) { set_option(options, "--block-size", t); },
        "Rows of A come in groups of K, the unknowns of a node, for the preconditioners amg and petsc [1]");
    path_option(app, "--near-null-space", args.near_null_space,
                "Vectors that A takes almost to zero, for the preconditioners amg and petsc: the columns of FILE");
    path_option(app, "--coordinates", args.coordinates,
                "Where nodes are, for rigid body motions: FILE with a row for each node, as wide as --block-size");
    path_option(app, "--null-space", args.null_space,
                "Write an orthonormal basis of the vectors that A takes to zero, a column for each, with the digits of "
                "-d [16], as a MatrixMarket array file");
    path_option(app, "--history", args.history,
                "Write CSV: iteration, recursive and true relative residual, seconds, precision");
    add_telling(app, args.telling);
}

void add_compare(command& app, compare_args& args)
{
    args.precisions = {53, 106, 212, 424};
    args.methods = {method::automatic};
    args.formats = {number_format::automatic};
    add_system(app, args.system, false);
    list_option(app, "--precisions", args.precisions, parse_precision,
                "Precisions, names or bits, with commas [53,106,212,424]", words_of(precision_choices()));
    list_option(
        app, "--methods", args.methods,
        [](const std::string& name, const std::string& part) { return choose(name, method_choices(), part); },
        "Methods, with commas: " + names_of(method_choices()) + " [auto]", words_of(method_choices()));
    list_option(
        app, "--formats", args.formats,
        [](const std::string& name, const std::string& part) { return choose(name, format_choices(), part); },
        "Number formats, with commas: " + names_of(format_choices()) + " [auto]", words_of(format_choices()));
    text_option(
        app, "--reference", "X",
        [&](const std::string& t) {
            if (!has_yardsticks && !is_reference_file(t)) {
                throw usage_error(without_yardsticks("--reference eigen"));
            }
            args.reference = t;
        },
        "The exact x, for the error of x: FILE" +
            (has_yardsticks ? fmt::format(", eigen (Eigen's LU over MPFR, in bits that suffice; {} unknowns at most)",
                                          most_eigen_unknowns)
                            : ""),
        {.words = has_yardsticks ? std::vector<std::string_view>{"eigen"} : std::vector<std::string_view>(),
         .files = true});
    add_numerics(app, args.system.entries, args.options, args.threads);
    add_time_limit(app, args.options.time_limit_seconds, stops_with_best);
    path_option(app, "--csv", args.csv, "Write the table as CSV; - for standard output", dash::standard_output);
    add_telling(app, args.telling);
    if constexpr (has_yardsticks) {
        add_kernels_options(app, args.kernels);
    }
}

void add_info(command& app, info_args& args)
{
    add_matrix(app, args.matrix);
    add_transpose(app, args.transpose);
    add_entries(app, args.entries);
    text_option(
        app, "-d,--digits", "COUNT",
        [&args](const std::string& t) {
            args.digits = static_cast<int>(parse_integer("--digits", t, 1, most_digits()));
        },
        "What solve would take for so many correct digits of x [16]");
    text_option(
        app, "--determinant", "COUNT",
        [&args](const std::string& t) {
            args.determinant_digits = static_cast<int>(parse_integer("--determinant", t, 1, most_digits() - 1));
        },
        "Also the determinant to so many significant digits and, of a symmetric matrix, how many eigenvalues are "
        "positive "
        "and negative");
    app.add_flag("--rank", args.rank, "Also the rank, by exact elimination where structure does not show it");
    add_time_limit(app, args.time_limit, "Stop then, with nothing told");
    add_threads(app, args.threads);
    add_report(app, args.report);
}

}  // namespace

std::string version_text() { return RESIDUA_VERSION; }

command_line::command_line() : app("Solves linear systems that double precision cannot solve.", "residua")
{
    app.set_version_flag("--version",
                         [] { return "residua " + version_text() + "\nBLAS: " + blas::to_string(blas::library()); });
    app.formatter(std::make_shared<help_formatter>());
    app.require_subcommand(1);
    std::string codes;
    for (const exit_code_text& each : exit_codes) {
        codes += fmt::format("{}{} {}", codes.empty() ? "" : ", ", static_cast<int>(each.code), each.text);
    }
    app.notes = wrapped("Exit codes: " + codes + ". See also residua COMMAND --help.", 0);
    app.add_footer();

    add_solve(app.add_command("solve", "Solve A x = b"), solve_);
    add_compare(app.add_command("compare", "Solve A x = b in several precisions, methods and formats"), compare_);
    add_info(app.add_command("info", "Tell what a matrix is like"), info_);
    add_generate_options(app.add_command("generate", "Write a test matrix from the literature"), generate_);
    if constexpr (has_yardsticks) {
        command& bench = app.add_command("bench", "Measure an operation on vectors and matrices");
        add_bench_options(bench, bench_);
        add_threads(bench, bench_.threads);
        add_report(bench, bench_.report);
    }
    for (command* each : app.commands) {
        each->add_footer();
    }
}

command_args command_line::parse(int argc, const char* const* argv)
{
    app.parse(argc, argv);
    const CLI::App& command = *app.get_subcommands().front();
    const std::string& name = command.get_name();
    const auto given = [&command](const char* option) { return command.count(option) > 0; };
    if (name == "solve") {
        require_fit(solve_, given);
        return solve_;
    }
    if (name == "compare") {
        if constexpr (has_yardsticks) {
            std::vector<std::string> typed;
            for (const CLI::Option* option : command.get_options([](const CLI::Option* o) { return o->count() > 0; })) {
                typed.push_back(option->get_name());
            }
            require_kernels_fit(compare_, typed);
            if (compare_.kernels.operation != nullptr) {
                return compare_;
            }
            if (!given("MATRIX")) {
                throw CLI::RequiredError("MATRIX");
            }
        }
        require_fit(compare_, given);
        return compare_;
    }
    if (name == "info") {
        require_fit(info_);
        return info_;
    }
    if constexpr (has_yardsticks) {
        if (name == "bench") {
            require_fit(bench_);
            return bench_;
        }
    }
    require_fit(generate_, given);
    generate_.command = typed_after_command(argc, argv);
    return generate_;
}

command_args parse_command_line(int argc, const char* const* argv)
{
    command_line line;
    const CLI::App& app = line.app;
    try {
        return line.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return help_args{app.help()};
    } catch (const CLI::CallForVersion& version) {
        return help_args{std::string(version.what()) + "\n"};
    } catch (const CLI::ParseError& failure) {
        const std::vector<CLI::App*> command = line.app.get_subcommands();
        if (command.empty()) {
            throw usage_error(fmt::format("{} (see residua --help)", without_command(line.app, argc, argv, failure)));
        }
        throw usage_error(
            fmt::format("{} (see residua {} --help)", within(*command.front(), failure), command.front()->get_name()));
    }
}

}  // namespace residua
