#include "summary.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <residua/solvers/base/arithmetic.hpp>
#include <residua/solvers/options/verdict.hpp>

#include "layout.hpp"
#include "number_text.hpp"

namespace residua {
namespace {

std::string first_sentence(const run_record& run)
{
    const solve_report& r = run.report;
    switch (r.status) {
        case solve_status::converged:
            if (!run.has(run.wanted_digits())) {
                return fmt::format("Converged, but only {} of the {} digits asked for are backed.", r.digits,
                                   run.wanted_digits());
            }
            return r.verdict.limit == limit::weighted ? "Converged to a least-squares solution with weights or damping."
                   : r.least_squares ? "Converged to a least-squares solution: A'(b - A x) passes the stopping test."
                                     : "Converged: the true residual passes the stopping test.";
        case solve_status::not_converged:
            return "NOT converged.";
        case solve_status::stagnated:
            return "NOT converged: no further progress.";
        case solve_status::breakdown:
            return "NOT solved: the method broke down.";
        case solve_status::interrupted:
            return "Interrupted.";
        case solve_status::time_limit:
            return "NOT converged within the time limit.";
    }
    return "";
}

std::string rhs_words(const std::string& rhs, bool known)
{
    if (rhs == "rowsum") {
        return std::string("rowsum: b = A*1, formed exactly") + (known ? ", so x* = (1, ..., 1) solves it" : "");
    }
    return rhs;
}

std::string precision_words(const solve_report& r)
{
    std::string text = fmt::format("{} bits, {} digits, format {}", r.precision_bits, decimal_digits(r.precision_bits),
                                   to_string(r.format));
    if (!r.precision_changes.empty()) {
        const precision_change& last = r.precision_changes.back();
        text += fmt::format("; {} at the end, after {} from iteration {} on", last.precision_bits,
                            counted(static_cast<index_t>(r.precision_changes.size()), "change", "changes"),
                            r.precision_changes.front().iteration);
    }
    if (r.solution_bits > r.precision_bits) {
        text += fmt::format("; x carried with {} bits", r.solution_bits);
    }
    return text;
}

std::string factors_words(long bits) { return bits > 0 ? fmt::format(", factors in {} bits", bits) : ""; }

std::string effort_words(const solve_report& r)
{
    std::string text = fmt::format("{}, {} with A", r.iterations, counted(r.matvecs, "product", "products"));
    if (r.restarts > 0) {
        text += ", " + counted(r.restarts, "restart", "restarts");
    }
    return text + ", " + counted(r.corrections, "correction", "corrections") + " of x by the true residual";
}

std::string test_words(const solve_report& r)
{
    const real bound = max(r.rtol * r.rhs_norm, r.atol);
    return fmt::format("norm(b - A x) <= max(rtol norm(b), atol) = max({} * {}, {}) = {}{}", short_text(r.rtol),
                       short_text(r.rhs_norm), short_text(r.atol), short_text(bound),
                       r.normal_residual ? std::string(", or ") + normal_test : "");
}

std::string forward_words(const solve_report& r)
{
    if (!r.forward_error) {
        return r.condition ? "unknown: no digit of x is known" : "unknown: no estimate of the condition";
    }
    return fmt::format("norm(x - x*) / norm(x*) about {}, {}: {} correct digits (infinity norm)",
                       short_text(*r.forward_error), to_string(r.forward_kind), r.digits);
}

/// The text for the true residual, which is the norm itself for b = 0, where there is nothing to divide by.
std::string true_residual_words(const solve_report& r)
{
    if (is_zero(r.rhs_norm)) {
        return "norm(b - A x) = " + short_text(r.relative_residual) + ", b is zero";
    }
    return fmt::format("norm(b - A x) / norm(b) = {}, b - A x formed anew in higher precision",
                       short_text(r.relative_residual));
}

std::string time_words(const run_record& run, int threads)
{
    const solve_report& r = run.report;
    return fmt::format("{:.3g} s: {:.3g} reading, {:.3g} setup, {:.3g} solving, {:.3g} writing; {}", run.total_seconds,
                       run.read_seconds, r.setup_seconds, r.solve_seconds, run.write_seconds,
                       counted(threads, "thread", "threads")) +
           (r.processes > 1 ? fmt::format(" in each of {} processes", r.processes) : "");
}

std::string condition_words(const solve_report& r)
{
    const std::string about = "about " + to_string(*r.condition, 2);
    if (r.condition_source == condition_source::factors) {
        return about + " (1-norm estimate)";
    }
    if (r.condition_source == condition_source::solves) {
        return fmt::format("{} (1-norm estimate, by systems that {} solved)", about, to_string(r.method));
    }
    if (r.condition_source == condition_source::lower_bound) {
        return fmt::format("at least {} (1-norm; no factors that were made suffice to see more)",
                           to_string(*r.condition, 2));
    }
    return fmt::format("{} or more (2-norm, {}, by what {} saw)", about,
                       r.spectrum_of_a ? "of A" : "of the preconditioned matrix", to_string(r.method));
}

std::string parts_words(const part_seconds& p)
{
    return fmt::format(
        "{:.3g} s analysis, {:.3g} scaling, {:.3g} factors; {:.3g} making the method, {:.3g} products with A, {:.3g} "
        "preconditioner, {:.3g} vectors, {:.3g} transfers, {:.3g} updates of x, {:.3g} true residuals, {:.3g} "
        "estimates, {:.3g} rest",
        p.analysis, p.scaling, p.factors, p.methods, p.products, p.preconditioner, p.vectors, p.transfers, p.updates,
        p.true_residuals, p.estimates, p.rest);
}

std::string memory_words(const solve_report& r)
{
    return short_bytes_text(r.predicted_bytes) + " predicted" +
           (r.used_bytes ? ", " + short_bytes_text(*r.used_bytes) + " used" : "");
}

/// The rows about effort, as far as it was measured.
std::string effort_rows(const solve_report& r)
{
    if (!r.parts) {
        return "";
    }
    const std::string predicted =
        r.predicted_seconds
            ? row("predicted",
                  fmt::format("{:.3g} s for setup and solving, by built-in rates for one thread", *r.predicted_seconds))
            : "";
    return row("of setup, solving", parts_words(*r.parts)) + predicted + row("memory", memory_words(r));
}

/// Whether a column is what was asked for, as the exit code has it.
bool is_done(const run_record& run)
{
    return run.report.status == solve_status::converged && run.has(run.wanted_digits());
}

std::string columns_verdict(const std::vector<run_record>& runs)
{
    const auto failed = static_cast<std::size_t>(
        std::count_if(runs.begin(), runs.end(), [](const run_record& run) { return !is_done(run); }));
    if (failed == 0) {
        const bool squares =
            std::any_of(runs.begin(), runs.end(), [](const run_record& run) { return run.report.least_squares; });
        return fmt::format("Converged: {} of all {} columns pass the stopping test.",
                           squares ? "the true residuals, or for least squares A'(b - A x)," : "the true residuals",
                           runs.size());
    }
    return fmt::format("NOT solved: {} of {} columns.", failed, runs.size());
}

std::string columns_table(const std::vector<run_record>& runs)
{
    using align = text_table::align;
    text_table table({align::right, align::left, align::left, align::right, align::left, align::right, align::right,
                      align::right, align::right});
    table.add(
        {"column", "method", "format", "bits", "status", "iterations", "true residual", "forward error", "digits"});
    for (const run_record& run : runs) {
        const solve_report& r = run.report;
        const bool known = r.forward_error.has_value();
        table.add({std::to_string(&run - runs.data() + 1), std::string(to_string(r.method)),
                   std::string(to_string(r.format)), std::to_string(r.precision_bits), std::string(to_string(r.status)),
                   std::to_string(r.iterations), short_text(r.relative_residual),
                   known ? short_text(*r.forward_error) : "-", known ? std::to_string(r.digits) : "-"});
    }
    return table.text();
}

/// How the reader treated numbers that binary64 does not hold.
std::string reading_words(const reading_facts& facts)
{
    if (facts.decimal) {
        return "decimals as written";
    }
    return facts.printed_digits > 0
               ? fmt::format("rounded to the binary64 numbers that they print, with up to {} digits",
                             facts.printed_digits)
               : "rounded to binary64";
}

/// The messages about columns; columns with the same message share one entry.
std::string columns_messages(const std::vector<run_record>& runs)
{
    std::vector<std::pair<std::string, std::vector<std::size_t>>> said;
    for (const run_record& run : runs) {
        for (const std::string& text : {run.report.message, caveat(run.report, vocabulary::command_line)}) {
            const auto same =
                std::find_if(said.begin(), said.end(), [&](const auto& each) { return each.first == text; });
            auto& of = same == said.end() ? said.emplace_back(text, std::vector<std::size_t>()) : *same;
            of.second.push_back(static_cast<std::size_t>(&run - runs.data()) + 1);
        }
    }
    std::string all;
    for (const auto& [text, columns] : said) {
        const char* const word = columns.size() > 1 ? "columns" : "column";
        all += text.empty() ? "" : wrapped(fmt::format("{} {}: {}", word, ranges_words(columns), text), 0);
    }
    return all;
}

std::string written_words(const std::vector<std::string>& paths)
{
    std::string text;
    for (const std::string& path : paths) {
        if (!path.empty() && path != "-") {
            text += (text.empty() ? "" : ", ") + path;
        }
    }
    return text;
}

/// Why a solve failed and what was tried last, in a few lines.
std::string short_end(const solve_report& r, const std::vector<std::string>& written)
{
    const int lines = r.verdict.limit == limit::rank ? 8 : 3;
    const std::string files = written_words(written);
    return (r.message.empty() ? "" : first_lines(wrapped(r.message, 4), lines)) +
           fmt::format("tried last: {}, {}{}, {} bits, {}, true residual {}; -v tells more{}\n", to_string(r.method),
                       to_string(r.preconditioner), factors_words(r.factor_bits), r.precision_bits,
                       counted(r.iterations, "iteration", "iterations"), short_text(r.relative_residual),
                       files.empty() ? "" : "; written: " + files);
}

}  // namespace

std::string matrix_words(const matrix_facts& facts)
{
    const bool complex = facts.header.field == io::matrix_field::complex;
    return fmt::format("{}{}: {} x {}, {}{}{}", facts.file, facts.transposed ? ", transposed" : "", facts.header.rows,
                       facts.header.cols, counted(facts.nonzeros, "nonzero", "nonzeros"), complex ? ", complex" : "",
                       !facts.symmetric ? ""
                       : complex        ? ", hermitian"
                                        : ", symmetric");
}

std::string entries_words(const matrix_facts& facts, const std::optional<reading_facts>& rhs)
{
    const index_t inexact_rhs = rhs ? rhs->inexact : 0;
    if (facts.inexact == 0 && inexact_rhs == 0) {
        return "all are binary64 numbers: both readings are the same";
    }
    const std::string of_a = facts.inexact > 0 ? reading_words(facts) : "all are binary64 numbers";
    const std::string of_b = inexact_rhs > 0 ? reading_words(*rhs) : of_a;
    std::string text = of_a;
    if (facts.inexact > 0) {
        const bool complex = facts.header.field == io::matrix_field::complex;
        text += fmt::format("; binary64 does not hold {} of {} exactly", facts.inexact,
                            complex ? counted(2 * facts.header.stored, "part", "parts")
                                    : counted(facts.header.stored, "entry", "entries"));
    }
    if (inexact_rhs > 0) {
        text += of_b == of_a ? fmt::format(", and {} of the right-hand side", inexact_rhs)
                             : fmt::format("; the right-hand side is {}; binary64 does not hold {} of it exactly", of_b,
                                           counted(inexact_rhs, "number", "numbers"));
    }
    const bool rounds = (facts.inexact > 0 && !facts.decimal) || (inexact_rhs > 0 && !rhs->decimal);
    return text + (rounds ? " (--entries decimal takes them as written: another system)" : "");
}

std::string summary_text(const solve_args& args, const loaded_system& loaded, const run_record& run, int threads,
                         const std::vector<std::string>& written)
{
    const solve_report& r = run.report;
    std::string text = wrapped(first_sentence(run), 0);
    if (r.status != solve_status::converged && !args.telling.verbose) {
        return text + short_end(r, written);
    }
    for (const std::string& more : {r.message, caveat(r, vocabulary::command_line)}) {
        text += more.empty() ? "" : wrapped(more, 4);
    }
    text += "\n";
    text += row("matrix", matrix_words(loaded.facts));
    text += row("entries", entries_words(loaded.facts, loaded.rhs));
    text += row("right-hand side", rhs_words(args.system.rhs, run.known_error.has_value()));
    text += row("method", fmt::format("{}, preconditioner {}{}", to_string(r.method), to_string(r.preconditioner),
                                      factors_words(r.factor_bits)));
    text += row("precision", precision_words(r));
    if (r.executor != executor::host) {
        text += row("computed on", fmt::format("{}: {}", to_string(r.executor), r.device));
    } else if (!r.kept_on_host.empty()) {
        text += row("computed on", "host");
    } else if (args.options.executor == executor::cuda && r.format == number_format::rns && r.iterations > 0) {
        text += row("computed on", fmt::format("host: cuda takes rns with refine and cg, not {}", to_string(r.method)));
    } else if (args.options.executor == executor::cuda && r.method == method::direct && r.iterations > 0) {
        text += row("computed on", "host: these factors have no product that is large enough for cuda");
    }
    if (!r.kept_on_host.empty()) {
        text += row("kept on the host", r.kept_on_host);
    }
    if (!r.blas_advice.empty()) {
        text += row("BLAS", r.blas_advice);
    }
    text += row("iterations", effort_words(r));
    const bool weighted = r.verdict.limit == limit::weighted;
    text += weighted ? "" : row("stopping test", test_words(r));
    text += row("true residual", true_residual_words(r));
    if (r.normal_residual) {
        const char* const formula = weighted ? "norm(A'W(b - A x) - T^2 x) / (norm([W^(1/2) A; T]) norm(W^(1/2) b))"
                                             : "norm(A'(b - A x)) / (norm(A) norm(b - A x))";
        text += row("normal residual", fmt::format("{} = {}, formed likewise (Frobenius norm of A)", formula,
                                                   short_text(*r.normal_residual)));
    }
    if (!is_nan(r.recursive_residual)) {  // a direct method has none
        text += row("recursive residual",
                    fmt::format("norm(r_k) / norm(b) = {}, the method's own", short_text(r.recursive_residual)));
    }
    text += row("backward error", fmt::format("norm(b - A x) / (norm(A) norm(x) + norm(b)) = {} (infinity norms)",
                                              short_text(r.backward_error)));
    text += row("  by components", fmt::format("max of abs(b - A x) / (abs(A) abs(x) + abs(b)) by rows = {}",
                                               short_text(r.componentwise_backward_error)));
    text += row("forward error", forward_words(r));
    if (run.known_error) {
        text += row("error of x",
                    fmt::format("norm(x - x*) / norm(x*) = {}, since x* = 1 is known", short_text(*run.known_error)));
    }
    if (r.condition) {
        text += row("condition", condition_words(r));
    }
    for (const escalation& step : r.escalations) {
        text += row("left", fmt::format("{}, {} bits{} after {}, true residual {}: {}", to_string(step.method),
                                        step.precision_bits, factors_words(step.factor_bits),
                                        counted(step.iterations, "iteration", "iterations"),
                                        short_text(step.relative_residual), step.reason));
    }
    text += row("time", time_words(run, threads)) + effort_rows(r);
    if (const std::string paths = written_words(written); !paths.empty()) {
        text += row("written", paths);
    }
    return text;
}

std::string columns_text(const solve_args& args, const loaded_system& loaded, const std::vector<run_record>& runs,
                         int threads, const std::vector<std::string>& written)
{
    std::string text = wrapped(columns_verdict(runs), 0) + "\n";
    text += row("matrix", matrix_words(loaded.facts));
    text += row("entries", entries_words(loaded.facts, loaded.rhs));
    text += row("right-hand side", fmt::format("{}, {} columns", args.system.rhs, runs.size()));
    const bool squares = std::any_of(runs.begin(), runs.end(),
                                     [](const run_record& run) { return run.report.normal_residual.has_value(); });
    text += row("stopping test",
                fmt::format("norm(b - A x) <= max(rtol norm(b), atol){}{} for each column, by the true residual",
                            squares ? ", or " : "", squares ? normal_test : ""));
    const auto with_condition =
        std::find_if(runs.begin(), runs.end(), [](const run_record& run) { return run.report.condition.has_value(); });
    if (with_condition != runs.end()) {
        text += row("condition", condition_words(with_condition->report));
    }
    if (const std::string& advice = runs.front().report.blas_advice; !advice.empty()) {
        text += row("BLAS", advice);
    }
    text += row("time", time_words(runs.front(), threads)) + effort_rows(runs.front().report);
    if (const std::string paths = written_words(written); !paths.empty()) {
        text += row("written", paths);
    }
    text += "\n" + columns_table(runs);
    return text + columns_messages(runs);
}

}  // namespace residua
