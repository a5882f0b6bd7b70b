#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <residua/solvers/options/near_words.hpp>

#include <apps/residua/bench/ill_conditioned.hpp>

#include "args_fit.hpp"
#include "choices.hpp"
#include "exit_code.hpp"
#include "option.hpp"

namespace residua {
namespace {

/// The operations that have more ways than one, and for which there are ill-conditioned data.
const std::vector<std::string_view> compared_kernels{"dot", "gemv", "gemm", "spmv"};

/// What `compare --kernels` takes of the options of `compare`.
constexpr std::array taken_by_kernels{"--kernels",  "--sizes",   "--cond",   "--repeat",     "--seed", "--formats",
                                      "--executor", "--threads", "--report", "--precisions", "--quiet"};

bool is_any_there(const compare_args& args)
{
    const bench_executor where = kernels_args::executor_of(args.options);
    const formula computes = args.kernels.operation->computes;
    for (const bench_operation& op : bench_operations()) {
        for (const bench_format format : bench_formats()) {
            const auto there = [&](long bits) {
                return op.computes == computes && compares(args, format) && has(op.id, format, where, bits);
            };
            if (std::any_of(args.precisions.begin(), args.precisions.end(), there)) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

void add_kernels_options(command& app, kernels_args& args)
{
    text_option(
        app, "--kernels", "OPERATION",
        [&](const std::string& t) {
            if (std::find(compared_kernels.begin(), compared_kernels.end(), t) == compared_kernels.end()) {
                throw usage_error("--kernels: " + unknown_word(t, compared_kernels));
            }
            args.operation = &*std::find_if(bench_operations().begin(), bench_operations().end(),
                                            [&](const bench_operation& each) { return each.name == t; });
        },
        "Instead of solving, compute an operation of nearly cancelling binary64 numbers in every way that there "
        "is, in one table: " +
            joined(compared_kernels) +
            ". It takes no MATRIX, and of the options --precisions, --formats, -e, -t, --report and -q besides "
            "the following",
        {.words = compared_kernels});
    list_option(app, "--sizes", args.sizes,
                [](const std::string& name, const std::string& part) {
                    return static_cast<index_t>(parse_integer(name, part, 2));
                },
                "Of --kernels: sizes n, with commas [one that takes little time]", {});
    text_option(
        app, "--cond", "C", [&](const std::string& t) { args.condition = to_double(parse_nonnegative("--cond", t)); },
        "Of --kernels: the condition of each result, the sum of the magnitudes of its terms relative to it [1e20]");
    text_option(
        app, "--repeat", "COUNT", [&](const std::string& t) { args.repeat = parse_integer("--repeat", t, 1, 1000000); },
        "Of --kernels: samples of a row [5]");
    text_option(
        app, "--seed", "SEED", [&](const std::string& t) { args.seed = parse_seed("--seed", t); },
        "Of --kernels: of the random numbers [1]");
}

void require_kernels_fit(const compare_args& args, const std::vector<std::string>& typed)
{
    const kernels_args& kernels = args.kernels;
    for (const std::string& option : typed) {
        const bool of_kernels = option == "--sizes" || option == "--cond" || option == "--repeat" || option == "--seed";
        if (kernels.operation == nullptr && of_kernels) {
            throw usage_error(option + " needs --kernels");
        }
        if (kernels.operation != nullptr &&
            std::find(taken_by_kernels.begin(), taken_by_kernels.end(), option) == taken_by_kernels.end()) {
            throw usage_error(option + ": compare --kernels does not take it");
        }
    }
    if (kernels.operation == nullptr) {
        return;
    }
    const bench_operation& op = *kernels.operation;
    for (const index_t size : kernels.all_sizes()) {
        const double most = most_condition(op.computes, size);
        if (size > op.largest) {
            throw usage_error(fmt::format("--sizes: {} takes sizes up to {}, not {}", op.name, op.largest, size));
        }
        if (!(1.0 <= kernels.condition && kernels.condition <= most)) {
            throw usage_error(
                fmt::format("--cond: {} of size {} has conditions from 1 to {:.2g}", op.name, size, most));
        }
    }
    if (std::find(args.precisions.begin(), args.precisions.end(), 0) != args.precisions.end()) {
        throw usage_error("--precisions: auto is no precision that can be measured");
    }
    if (!is_any_there(args)) {
        throw usage_error("--precisions: none of these formats has any of them");
    }
}

}  // namespace residua
