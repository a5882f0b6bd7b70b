#include "report.hpp"

#include <apps/residua/cli/args.hpp>
#include <apps/residua/cli/host.hpp>

namespace residua {
namespace {

constexpr int schema = 1;
constexpr int digits = 6;

json number_or_null(const std::optional<real>& x) { return x ? decimal_or_null(*x) : json(nullptr); }

json spectrum_json(const solve_report& r)
{
    if (!r.spectrum) {
        return nullptr;
    }
    const real smallest(r.spectrum->smallest);
    const real largest(r.spectrum->largest);
    return {{"smallest", decimal_or_null(smallest)},
            {"largest", decimal_or_null(largest)},
            {"condition", decimal_or_null(largest / smallest)},
            {"of", r.spectrum_of_a ? "A" : "preconditioned A"}};
}

json parts_json(const std::optional<part_seconds>& parts)
{
    if (!parts) {
        return nullptr;
    }
    return {{"methods", parts->methods},    {"products", parts->products},   {"preconditioner", parts->preconditioner},
            {"vectors", parts->vectors},    {"transfers", parts->transfers}, {"true_residuals", parts->true_residuals},
            {"estimates", parts->estimates}};
}

json memory_json(const solve_report& r)
{
    return {{"predicted_bytes", r.predicted_bytes}, {"used_bytes", r.used_bytes ? json(*r.used_bytes) : json(nullptr)}};
}

json bits_or_null(long bits) { return bits > 0 ? json(bits) : json(nullptr); }

json escalation_json(const escalation& step)
{
    return {{"precision_bits", step.precision_bits},
            {"method", to_string(step.method)},
            {"factor_bits", bits_or_null(step.factor_bits)},
            {"iterations", step.iterations},
            {"relative_residual", decimal_or_null(step.relative_residual)},
            {"reason", step.reason}};
}

}  // namespace

bool has_asked_digits(const run_record& run)
{
    return run.report.digits >= run.asked_digits || is_zero(run.report.rhs_norm);
}

json decimal_or_null(const real& x) { return is_nan(x) ? json(nullptr) : json(to_string(x, digits)); }

std::string_view status_name(const run_record& run) { return run.fits ? to_string(run.report.status) : "no_memory"; }

json report_head(const char* command)
{
    return {{"schema", schema}, {"version", version_text()}, {"command", command}};
}

json matrix_json(const matrix_facts& facts)
{
    return {{"file", facts.file},
            {"rows", facts.header.rows},
            {"cols", facts.header.cols},
            {"nonzeros", facts.nonzeros},
            {"stored_entries", facts.header.stored},
            {"symmetric", facts.symmetric},
            {"entries", facts.decimal ? "decimal" : "binary64"},
            {"inexact_entries", facts.inexact}};
}

json run_json(const run_record& run, int threads)
{
    const solve_report& r = run.report;
    const bool has_bound = r.forward_kind != error_kind::unknown;
    json escalations = json::array();
    for (const escalation& step : r.escalations) {
        escalations.push_back(escalation_json(step));
    }
    return {{"method", to_string(r.method)},
            {"preconditioner", to_string(r.preconditioner)},
            {"format", to_string(r.format)},
            {"precision_bits", r.precision_bits},
            {"factor_bits", bits_or_null(r.factor_bits)},
            {"solution_bits", r.solution_bits},
            {"executor", to_string(r.executor)},
            {"device", r.executor == executor::host ? processor_name() : r.device},
            {"threads", threads},
            {"status", status_name(run)},
            {"iterations", r.iterations},
            {"restarts", r.restarts},
            {"corrections", r.corrections},
            {"matvecs", r.matvecs},
            {"rtol", decimal_or_null(r.rtol)},
            {"atol", decimal_or_null(r.atol)},
            {"rhs_norm", decimal_or_null(r.rhs_norm)},
            {"recursive_residual", decimal_or_null(r.recursive_residual)},
            {"relative_residual", decimal_or_null(r.relative_residual)},
            {"normal_residual", number_or_null(r.normal_residual)},
            {"least_squares", r.least_squares},
            {"backward_error", decimal_or_null(r.backward_error)},
            {"componentwise_backward_error", decimal_or_null(r.componentwise_backward_error)},
            {"forward_error",
             {{"bound", has_bound ? decimal_or_null(r.forward_error) : json(nullptr)},
              {"kind", to_string(r.forward_kind)},
              {"digits", r.digits}}},
            {"known_error", number_or_null(run.known_error)},
            {"asked_digits", run.asked_digits},
            {"condition_estimate", number_or_null(r.condition)},
            {"condition_source", to_string(r.condition_source)},
            {"spectrum", spectrum_json(r)},
            {"seconds",
             {{"read", run.read_seconds},
              {"setup", r.setup_seconds},
              {"solve", r.solve_seconds},
              {"total", run.total_seconds},
              {"parts", parts_json(r.parts)}}},
            {"memory", memory_json(r)},
            {"escalations", std::move(escalations)},
            {"message", r.message}};
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

bool picks_method(const analysis& a) { return a.method != method::automatic; }

json analysis_json(const analysis& a)
{
    const bool picks = picks_method(a);
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
            {"condition_estimate", number_or_null(a.condition)},
            {"condition_note", a.condition_note},
            {"method", picks ? json(to_string(a.method)) : json(nullptr)},
            {"preconditioner", picks ? json(to_string(a.preconditioner)) : json(nullptr)},
            {"precision_bits", picks ? json(a.precision_bits) : json(nullptr)},
            {"format", picks ? json(to_string(a.format)) : json(nullptr)},
            {"executor", picks ? json(to_string(a.executor)) : json(nullptr)},
            {"reasons", picks ? json{{"method", a.reasons.method},
                                     {"preconditioner", a.reasons.preconditioner},
                                     {"precision", a.reasons.precision},
                                     {"format", a.reasons.format},
                                     {"executor", a.reasons.executor}}
                              : json(nullptr)},
            {"reason", a.reason}};
}

std::string to_text(const json& document)
{
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace residua
