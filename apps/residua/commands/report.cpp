#include "report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <residua/solvers/assess/forward_error.hpp>
#include <residua/solvers/options/names.hpp>
#include <residua/solvers/report_json.hpp>

#include <apps/residua/cli/args.hpp>
#include <apps/residua/cli/host.hpp>

namespace residua {
namespace {

constexpr int schema = 1;
constexpr int digits = 6;

json number_or_null(const std::optional<real>& x) { return x ? decimal_or_null(*x) : json(nullptr); }

}  // namespace

std::optional<int> run_record::correct_digits() const
{
    if (!fits || (!known_error && !report.forward_error)) {
        return std::nullopt;
    }
    if (!known_error) {
        return report.digits;
    }
    const int most = decimal_digits(report.solution_bits);
    return is_zero(*known_error) ? most : std::clamp(decimals_below(*known_error), 0, most);
}

bool has_several_solutions(const solve_report& report)
{
    return report.rank || report.looks_singular || is_zero(report.rhs_norm);
}

json decimal_or_null(const real& x) { return is_nan(x) ? json(nullptr) : json(to_string(x, digits)); }

std::string_view status_name(const run_record& run) { return run.fits ? to_string(run.report.status) : "no_memory"; }

json report_head(const char* command)
{
    return {{"schema", schema}, {"version", version_text()}, {"command", command}};
}

json reading_json(const std::optional<reading_facts>& facts)
{
    if (!facts) {
        return nullptr;
    }
    return {{"entries", to_string(facts->decimal ? entry_reading::decimal : entry_reading::binary64)},
            {"inexact_entries", facts->inexact},
            {"printed_digits", facts->printed_digits > 0 ? json(facts->printed_digits) : json(nullptr)}};
}

json matrix_json(const matrix_facts& facts)
{
    json fields = {{"file", facts.file},
                   {"rows", facts.header.rows},
                   {"cols", facts.header.cols},
                   {"nonzeros", facts.nonzeros},
                   {"stored_entries", facts.header.stored},
                   {"complex", facts.header.field == io::matrix_field::complex},
                   {facts.header.field == io::matrix_field::complex ? "hermitian" : "symmetric", facts.symmetric},
                   {"transposed", facts.transposed}};
    fields.update(reading_json(facts));
    return fields;
}

json run_json(const run_record& run, int threads)
{
    const solve_report& r = run.report;
    json fields = json::parse(to_json(r));
    fields["status"] = status_name(run);
    if (r.executor == executor::host) {
        fields["device"] = processor_name();
    }
    fields["threads"] = threads;
    if (r.processes > 1) {
        fields["processes"] = r.processes;
    }
    fields["known_error"] = number_or_null(run.known_error);
    fields["asked_digits"] = run.asked_digits;
    fields["required_digits"] = run.required_digits;
    fields["seconds"]["read"] = run.read_seconds;
    fields["seconds"]["write"] = run.write_seconds;
    fields["seconds"]["total"] = run.total_seconds;
    return fields;
}

json columns_json(const std::vector<run_record>& runs, solve_status worst, int threads)
{
    json columns = json::array();
    for (const run_record& run : runs) {
        json column = {{"column", columns.size() + 1}};
        column.update(run_json(run, threads));
        columns.push_back(std::move(column));
    }
    return {{"right_hand_sides", runs.size()}, {"status", to_string(worst)}, {"columns", std::move(columns)}};
}

json analysis_json(const analysis& a)
{
    const std::optional<decisions>& picks = a.picks;
    return {{"square", a.square},
            {"symmetric", a.symmetric},
            {"skew_symmetric", a.skew_symmetric},
            {"nonzero_diagonal", a.nonzero_diagonal},
            {"positive_diagonal", a.positive_diagonal},
            {"diagonally_dominant", a.diagonally_dominant},
            {"lower_bandwidth", a.lower_bandwidth},
            {"upper_bandwidth", a.upper_bandwidth},
            {"zero_rows", a.zero_rows},
            {"zero_cols", a.zero_cols},
            {"density", a.density},
            {"smallest_entry", decimal_or_null(a.smallest_entry)},
            {"largest_entry", decimal_or_null(a.largest_entry)},
            {"entry_bits", a.entry_bits ? json(*a.entry_bits) : json(nullptr)},
            {"positive_definite", a.positive_definite ? json(*a.positive_definite) : json(nullptr)},
            {"rank", a.rank ? json(*a.rank) : json(nullptr)},
            {"condition_estimate", number_or_null(a.condition)},
            {"condition_note", a.condition_note},
            {"method", picks ? json(to_string(picks->first.choice.method)) : json(nullptr)},
            {"preconditioner", picks ? json(to_string(picks->first.choice.preconditioner)) : json(nullptr)},
            {"factor_bits",
             picks && picks->first.choice.factor_bits > 0 ? json(picks->first.choice.factor_bits) : json(nullptr)},
            {"precision_bits", picks ? json(picks->first.in.bits) : json(nullptr)},
            {"format", picks ? json(to_string(picks->first.in.format)) : json(nullptr)},
            {"executor", picks ? json(to_string(a.executor)) : json(nullptr)},
            {"reasons", picks ? json{{"method", picks->reasons.method},
                                     {"preconditioner", picks->reasons.preconditioner},
                                     {"precision", picks->reasons.precision},
                                     {"format", picks->reasons.format},
                                     {"executor", picks->reasons.executor}}
                              : json(nullptr)},
            {"reason", a.reason}};
}

std::string to_text(const json& document)
{
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace residua
