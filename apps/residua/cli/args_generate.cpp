#include <fmt/format.h>

#include "choices.hpp"
#include "exit_code.hpp"
#include "option.hpp"

namespace residua {
namespace {

void choose_kind(const std::string& text, generate_args& args)
{
    try {
        args.kind = &gallery_kind_of(text);
    } catch (const unsupported_error& e) {
        throw usage_error(fmt::format("KIND: {}", e.what()));
    }
}

}  // namespace

void add_generate_options(command& app, generate_args& args)
{
    gallery_options& options = args.options;
    std::vector<std::string_view> names;
    for (const gallery_kind& kind : gallery()) {
        names.emplace_back(kind.name);
    }
    text_option(app, "KIND", "", [&](const std::string& t) { choose_kind(t, args); }, "Kind of matrix, see below",
                {.words = std::move(names)})
        ->required();
    text_option(
        app, "--n", "N", [&](const std::string& t) { options.n = parse_integer("--n", t, 1); },
        "Order; for kinds on grids the points along each side, elements for elasticity3d")
        ->required();
    path_option(app, "-o,--output", args.output, "MatrixMarket file to write; - for standard output",
                dash::standard_output)
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
        "Angle of kahan and hermitian-toeplitz in radians [1.2]");
    text_option(
        app, "--peclet", "P", [&](const std::string& t) { options.peclet = parse_decimal("--peclet", t, 4096); },
        "Cell Peclet number of convection-diffusion [0.5]");
    text_option(
        app, "--ratio", "NU", [&](const std::string& t) { options.ratio = parse_decimal("--ratio", t, 4096); },
        "Poisson's ratio of elasticity3d, above -1 and below 0.5 [0.3]");
    path_option(
        app, "--coordinates", args.coordinates,
        "Write where the nodes of elasticity3d are, a row for each, in sides of an element, as solve --coordinates "
        "takes it");
    text_option(
        app, "--wavenumber", "K",
        [&](const std::string& t) { options.wavenumber = parse_decimal("--wavenumber", t, 4096); },
        "Of helmholtz2d and shifted-laplacian2d: radians from one grid point to the next [0.5]");
    app.add_flag("--definite", options.definite, "Make randsvd symmetric, or hermitian, positive definite");
    app.add_flag("--complex", options.complex, "Make randsvd complex, with the same singular values");
    CLI::Option* digits = text_option(
        app, "--digits", "COUNT",
        [&](const std::string& t) { options.digits = static_cast<int>(parse_integer("--digits", t, 1, 100000)); },
        "Significant digits of entries that binary64 cannot hold [40; randsvd: enough for its "
        "condition]");
    app.add_flag("--binary64", args.binary64, "Round the entries to binary64, and write those exactly")
        ->excludes(digits);

    app.notes = "Kinds:\n";
    for (const gallery_kind& kind : gallery()) {
        app.notes += fmt::format("  {:<22}{}\n", kind.name, kind.about);
    }
}

std::string typed_after_command(int argc, const char* const* argv)
{
    std::string text;
    for (int k = 2; k < argc; ++k) {
        const std::string word = argv[k];
        if (word == "-o" || word == "--output") {
            ++k;  // the name of the file says nothing about the matrix
        } else if (!word.starts_with("-o") && !word.starts_with("--output=")) {
            text += (text.empty() ? "" : " ") + word;
        }
    }
    return text;
}

}  // namespace residua
