#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <residua/solvers/assess/analyze.hpp>
#include <residua/solvers/solve.hpp>
#include <residua/solvers/system/load.hpp>

namespace residua {

/// What a verdict suggests, as options of the command line.
std::string option_of_command_line(const suggestion& what);

/// Keys in the order in which they were added.
using json = nlohmann::ordered_json;

/// How one solve went, with what the command knows beside the solver's report.
struct run_record {
    solve_report report;
    bool fits = true;                 ///< false: refused for want of memory; the report says what was asked
    std::optional<real> known_error;  ///< ||x - x*||_inf / ||x*||_inf where x* was given
    double read_seconds = 0.0;
    double total_seconds = 0.0;
    int asked_digits = 0;
};

/// Whether the digits asked for are backed; x = 0 for b = 0 has all of them.
bool has_asked_digits(const run_record& run);

/// A residual, error or condition number for machines: 6 digits in text; null for NaN.
json decimal_or_null(const real& x);

/// The status in words: the report's, or no_memory.
std::string_view status_name(const run_record& run);

/// The parts of a report. docs/command-line.md lists the fields.
json report_head(const char* command);
json matrix_json(const matrix_facts& facts);
json run_json(const run_record& run, int threads);

/// Of several right-hand sides: their number, the worst status, and each as run_json() has it, with its column from 1.
json columns_json(const std::vector<run_record>& runs, solve_status worst, int threads);

/// False where auto picks nothing, and the reason says why.
bool picks_method(const analysis& a);
json analysis_json(const analysis& a);

/// As text, with a final end of line.
std::string to_text(const json& document);

}  // namespace residua
