#pragma once

#include <string>
#include <vector>

#include <residua/solvers/options/predicted_cost.hpp>
#include <residua/solvers/solve.hpp>

namespace residua {

/// A report as one JSON object: the fields that docs/command-line.md lists for a solve, without those that only a
/// command knows. Figures that may leave binary64's range or precision are decimal strings of six digits; unknown ones
/// are null. The history is not part of it (io/history.hpp writes one as CSV).
///
/// shapes  one line, without an end of line; keys in a fixed order; bytes that are not UTF-8 are replaced
std::string to_json(const solve_report& report);

/// A plan as one JSON object: "reason", "candidates" with method, preconditioner and factor_bits in the order in which they are
/// tried, and "costs" of these and of others, as `residua info --report` has them, by the rates of a machine or by built-in ones.
///
/// shapes  as of a report
std::string to_json(const solve_plan& plan, const std::vector<predicted_cost>& costs, const machine_rates& rates = {});

}  // namespace residua
