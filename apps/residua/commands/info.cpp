#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <apps/residua/cli/console.hpp>
#include <apps/residua/cli/host.hpp>
#include <apps/residua/cli/interrupt.hpp>
#include <apps/residua/cli/output_file.hpp>
#include <apps/residua/text/layout.hpp>
#include <apps/residua/text/number_text.hpp>
#include <apps/residua/text/summary.hpp>
#include <residua/io/interruption.hpp>
#include <residua/io/team.hpp>
#include <residua/solvers/matrix/complex_form.hpp>
#include <residua/solvers/planning/rates.hpp>
#include <residua/solvers/report_json.hpp>
#include <residua/solvers/solver.hpp>

#include "commands.hpp"
#include "read.hpp"
#include "report.hpp"

namespace residua {
namespace {

std::string symmetry_words(const analysis& a, const linear_system& system)
{
    if (!a.square) {
        return "not square";
    }
    if (system.complex) {
        return a.symmetric           ? "hermitian"
               : a.skew_symmetric    ? "skew-hermitian"
               : a.complex_symmetric ? "complex symmetric"
                                     : "not hermitian";
    }
    return a.symmetric ? "symmetric" : a.skew_symmetric ? "skew-symmetric" : "not symmetric";
}

std::string diagonal_words(const analysis& a)
{
    const std::string zeros = a.nonzero_diagonal ? "no zeros" : "zeros or missing entries";
    return fmt::format("{}, {}, {}dominant by rows", zeros, a.positive_diagonal ? "all positive" : "not all positive",
                       a.diagonally_dominant ? "" : "not ");
}

std::string range_words(const analysis& a)
{
    if (is_zero(a.largest_entry)) {
        return "all are zero";
    }
    const std::string held =
        a.entry_bits ? fmt::format("{} significant bits hold each", *a.entry_bits) : "not all of them binary fractions";
    return fmt::format("{} to {} in size, {}", short_text(a.smallest_entry), short_text(a.largest_entry), held);
}

std::string definite_words(const analysis& a)
{
    if (!a.positive_definite) {
        return "undecided: singular or nearly so, or too large to try";
    }
    return *a.positive_definite ? "yes, proved by a Cholesky factorisation" : "no";
}

std::string condition_words(const analysis& a)
{
    if (!a.condition) {
        return a.condition_note;
    }
    return fmt::format("{} (1-norm; {})", to_string(*a.condition, 2), a.condition_note);
}

/// What solve() may take: seconds by the rates of this machine, and bytes in each of available_precisions(); nothing where
/// nothing can be solved.
struct known_costs {
    const std::vector<predicted_cost>& all;
    const std::vector<double>& bytes;
    machine_rates rates{};
};

std::string memory_words(const known_costs& costs)
{
    std::string text;
    for (std::size_t k = 0; k < costs.bytes.size(); ++k) {
        text += fmt::format("{}{} bits: {}", text.empty() ? "" : "; ", available_precisions()[k],
                            short_bytes_text(costs.bytes[k]));
    }
    return text;
}

std::string iterations_words(const predicted_cost& cost)
{
    switch (cost.known) {
        case foresight::about:
            return fmt::format("about {:.0f}", cost.iterations);
        case foresight::at_most:
            return fmt::format("at most {:.0f}", cost.iterations);
        case foresight::unknown:
            break;
    }
    return "unknown";
}

std::string seconds_words(const predicted_cost& cost, const machine_rates& rates)
{
    const std::optional<double> seconds = cost.seconds(rates);
    const double before = rates.total(cost.setup) + rates.total(cost.factors) + rates.total(cost.judging);
    return !seconds ? fmt::format("{:.2g} s and {:.2g} s for each iteration", before, rates.total(cost.each))
           : cost.known == foresight::at_most ? fmt::format("at most {:.2g} s", *seconds)
                                              : fmt::format("{:.2g} s", *seconds);
}

std::string candidate_words(const candidate& choice)
{
    return fmt::format("{} {}{}", to_string(choice.method), to_string(choice.preconditioner),
                       choice.factor_bits > 0 ? fmt::format(" in {} bits", choice.factor_bits) : "");
}

std::string costs_words(const known_costs& costs)
{
    std::string text;
    for (const predicted_cost& each : costs.all) {
        text +=
            row(text.empty() ? "would take" : "",
                fmt::format("{}: {}, {}, iterations {}", candidate_words(each.choice), seconds_words(each, costs.rates),
                            short_bytes_text(each.bytes), iterations_words(each)));
    }
    return text;
}

json memory_json(const known_costs& costs)
{
    json memory = json::array();
    for (std::size_t k = 0; k < costs.bytes.size(); ++k) {
        const long bits = available_precisions()[k];
        memory.push_back({{"format", to_string(format_of(bits))}, {"precision_bits", bits}, {"bytes", costs.bytes[k]}});
    }
    return memory;
}

/// The determinant to the digits asked for, and the signs of the eigenvalues.
struct factor_facts {
    std::optional<determinant_estimate> determinant;
    std::optional<inertia> signs;
    bool symmetric = false;
    int digits = 0;
};

/// time_limit  in seconds; 0: none
/// throws  io::stopped_error
std::optional<factor_facts> find_factor_facts(const loaded_system& loaded, const analysis& a, int digits,
                                              double time_limit)
{
    if (digits == 0 || !a.square) {
        return std::nullopt;
    }
    solve_options options;
    options.digits = digits + 1;  // one more than is printed
    options.interrupted = interrupt_guard::requested;
    options.time_limit_seconds = time_limit;
    solver by(std::shared_ptr<const linear_system>(std::shared_ptr<void>(), &loaded.system), options);
    const factor_facts facts{.determinant = by.determinant(),
                             .signs = a.symmetric ? by.inertia() : std::nullopt,
                             .symmetric = a.symmetric,
                             .digits = digits};
    io::ask_for_stop();  // what was stopped is unknown
    return facts;
}

/// The parts of a complex determinant, to as many places as its modulus has for these digits; "0" where no digit is left.
std::pair<std::string, std::string> parts_of(const determinant_estimate& determinant, int digits)
{
    const auto text = [&](const real& part) -> std::string {
        const double smaller =
            is_zero(part) ? 1e9 : std::log10(2.0) * static_cast<double>(exponent(determinant.value) - exponent(part));
        const int left = digits - static_cast<int>(std::ceil(std::clamp(smaller, 0.0, 1e9)));
        return left > 0 ? to_string(part, left) : "0";
    };
    return {text(determinant.parts->first), text(determinant.parts->second)};
}

std::string words(const determinant_estimate& determinant, int digits)
{
    const std::string value = to_string(determinant.value, digits);
    if (!determinant.parts) {
        return value;
    }
    const auto [re, im] = parts_of(determinant, digits);
    return "(" + re + "," + im + "), of modulus " + value;
}

std::string words(const factor_facts& facts)
{
    const std::string unknown = "unknown: the matrix looks singular, or its factors are out of reach";
    std::string text = row("determinant", facts.determinant ? words(*facts.determinant, facts.digits) : unknown);
    if (facts.symmetric) {
        text +=
            row("eigenvalues",
                facts.signs ? fmt::format("{} positive, {} negative{}", facts.signs->positive, facts.signs->negative,
                                          facts.signs->zero > 0 ? fmt::format(", {} zero", facts.signs->zero) : "")
                            : unknown);
    }
    return text;
}

json facts_json(const factor_facts& facts)
{
    json fields = {{"determinant", nullptr}, {"relative_error", nullptr}, {"eigenvalues", nullptr}};
    if (facts.determinant) {
        const std::string decimal = to_string(facts.determinant->value, facts.digits);
        fields[facts.determinant->parts ? "determinant_modulus" : "determinant"] = decimal;
        if (facts.determinant->parts) {
            const auto [re, im] = parts_of(*facts.determinant, facts.digits);
            fields["determinant_real"] = re;
            fields["determinant_imaginary"] = im;
        }
        fields["relative_error"] = decimal_or_null(facts.determinant->relative_error_of(decimal));
    }
    if (facts.signs) {
        fields["eigenvalues"] = {
            {"positive", facts.signs->positive}, {"negative", facts.signs->negative}, {"zero", facts.signs->zero}};
    }
    return fields;
}

/// The rank that was asked for. A rank that has to end is not told.
///
/// throws  io::stopped_error
std::optional<rank_estimate> find_rank(const loaded_system& loaded, double time_limit)
{
    solve_options options;
    options.interrupted = interrupt_guard::requested;
    options.time_limit_seconds = time_limit;
    solver by(std::shared_ptr<const linear_system>(std::shared_ptr<void>(), &loaded.system), options);
    const std::optional<rank_estimate> found = by.rank();
    io::ask_for_stop();  // what was stopped is unknown
    return found;
}

std::string rank_words(const std::optional<rank_estimate>& found)
{
    return found ? fmt::format("{}, nullity {}, {}", found->rank, found->nullity, in_words(found->source))
                 : "unknown: exact elimination is out of reach, or entries were rounded when they were read, and no "
                   "factors suffice for the condition";
}

json rank_json(const std::optional<rank_estimate>& found)
{
    return {{"rank", found ? json(found->rank) : json(nullptr)},
            {"nullity", found ? json(found->nullity) : json(nullptr)},
            {"source", found ? json(to_string(found->source)) : json(nullptr)}};
}

/// rank  in words; empty: it was not asked for
std::string info_text(const loaded_system& loaded, const analysis& a, const std::optional<factor_facts>& factors,
                      const std::string& rank, const known_costs& costs)
{
    const matrix_facts& facts = loaded.facts;
    std::string text = row("matrix", matrix_words(facts));
    text += row("file", fmt::format("{} {} {}, {} stored", io::to_string(facts.header.format),
                                    io::to_string(facts.header.field), io::to_string(facts.header.symmetry),
                                    facts.header.stored));
    text += row("entries", entries_words(facts));
    text += row("entry range", range_words(a));
    text += row("density", fmt::format("{:.3g} % of the places, {:.3g} nonzeros a row", 100.0 * a.density,
                                       a.density * static_cast<double>(facts.header.cols)));
    text += row("symmetry", symmetry_words(a, loaded.system));
    text += row("diagonal", diagonal_words(a) + (loaded.system.complex ? ", by real parts" : ""));
    text += row("bandwidth", fmt::format("{} below and {} above the diagonal", a.lower_bandwidth, a.upper_bandwidth));
    if (a.has_zero_lines()) {
        text += row("empty", zero_words(a));
    }
    if (!rank.empty()) {
        text += row("rank", rank);
    }
    if (facts.header.rows == 0 || facts.header.cols == 0) {
        return text + row("solve", a.reason);
    }
    if (a.square) {
        text += row("positive definite", definite_words(a));
        text += row("condition", condition_words(a));
    }
    if (factors) {
        text += words(*factors);
    }
    if (!a.picks) {
        return text + row("auto picks", "nothing") + row("because", a.reason);
    }
    text += row("memory to solve", memory_words(costs));
    // if factors have more than 53 bits, solve() picks their kind: of a symmetric matrix Cholesky if possible, otherwise L D L'; else L U
    const candidate& choice = a.picks->first.choice;
    const arithmetic& in = a.picks->first.in;
    const std::string kind = choice.factor_bits > binary64_bits
                                 ? fmt::format("--factors {}", choice.factor_bits)
                                 : fmt::format("--precond {}", to_string(choice.preconditioner));
    text += row("auto picks",
                fmt::format("--method {} {} --precision {} --format {} --executor {}", to_string(choice.method), kind,
                            in.bits, to_string(in.format), to_string(a.executor)));
    const pick_reasons& why = a.picks->reasons;
    for (const auto& [what, reason] : {std::pair{"because  method", why.method},
                                       {"  preconditioner", why.preconditioner},
                                       {"  precision", why.precision},
                                       {"  format", why.format},
                                       {"  executor", why.executor}}) {
        text += row(what, reason);
    }
    return text + costs_words(costs);
}

}  // namespace

exit_code run_info(const info_args& args)
{
    const io::thread_limit team(args.threads);
    const interrupt_guard guard;
    output_file report(args.report);
    return until_stopped(args.time_limit, args.matrix, [&] {
        const loaded_system loaded = read_matrix(args.matrix, args.entries, args.transpose);
        tell_warnings(loaded.facts);
        const analysis a = analyze(loaded.system, args.digits);
        const std::optional<factor_facts> facts =
            find_factor_facts(loaded, a, args.determinant_digits, args.time_limit);
        const std::optional<rank_estimate> rank = args.rank ? find_rank(loaded, args.time_limit) : std::nullopt;
        known_costs costs{.all = a.costs, .bytes = a.bytes};
        if (a.picks) {
            costs.rates = measure_rates();
        }

        if (report.is_open()) {
            json document = report_head("info");
            document["matrix"] = matrix_json(loaded.facts);
            document["analysis"] = analysis_json(a);
            document["memory"] = memory_json(costs);
            document["candidates"] = json::parse(to_json(solve_plan{}, costs.all, costs.rates)).at("costs");
            if (facts) {
                document["factors"] = facts_json(*facts);
            }
            if (args.rank) {
                document["rank"] = rank_json(rank);
            }
            report.write(to_text(document));
            report.close();
        }
        const std::string text = info_text(loaded, a, facts, args.rank ? rank_words(rank) : "", costs);
        args.report == "-" ? tell(text) : put(text);
        return exit_code::done;
    });
}

}  // namespace residua
