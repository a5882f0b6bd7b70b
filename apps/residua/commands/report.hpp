#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <residua/solvers/files/load.hpp>
#include <residua/solvers/session/analyze.hpp>
#include <residua/solvers/solve.hpp>

namespace residua {

/// JSON with keys in the order in which they were added.
using json = nlohmann::ordered_json;

/// The solver's report on one solve, and what the command itself knows of it.
struct run_record {
    solve_report report;
    bool fits = true;                 ///< false: memory does not suffice; the report has the options asked for
    std::optional<real> known_error;  ///< ||x - x*||_inf / ||x*||_inf where x* was given
    double read_seconds = 0.0;        ///< until the solve began
    double write_seconds = 0.0;       ///< since the solve ended: comparing x with x*, text and files
    double total_seconds = 0.0;
    int asked_digits = 0;
    int required_digits = 0;

    /// Whether the error estimate backs `digits` digits. x = 0 for b = 0 has all digits.
    bool has(int digits) const { return report.digits >= digits || is_zero(report.rhs_norm); }

    int wanted_digits() const { return std::max(asked_digits, required_digits); }

    /// The correct digits of x: measured against x* where it was given, otherwise estimated; empty: unknown.
    std::optional<int> correct_digits() const;
};

/// Whether a solve has shown that A takes more than 0 to zero: then x = 1 for b = A*1 is one of several solutions, and not the
/// one that is sought.
bool has_several_solutions(const solve_report& report);

/// A residual, error or condition number in JSON: a string of 6 digits, or null for NaN.
json decimal_or_null(const real& x);

/// The status in words: the report's, or no_memory.
std::string_view status_name(const run_record& run);

/// The parts of a report. docs/command-line.md lists the fields.
json report_head(const char* command);
json matrix_json(const matrix_facts& facts);
json reading_json(const std::optional<reading_facts>& facts);
json run_json(const run_record& run, int threads);

/// For several right-hand sides: their number, the worst status, and run_json() of each with its column, from 1.
json columns_json(const std::vector<run_record>& runs, solve_status worst, int threads);

json analysis_json(const analysis& a);

/// The document as text, with a final end of line.
std::string to_text(const json& document);

}  // namespace residua
