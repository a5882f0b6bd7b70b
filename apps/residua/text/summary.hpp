#pragma once

#include <optional>
#include <string>
#include <vector>

#include <apps/residua/cli/args.hpp>
#include <apps/residua/commands/report.hpp>
#include <residua/solvers/files/load.hpp>

namespace residua {

/// The summary of a solve, for people, in aligned rows with the stopping test as a formula.
///
/// written  the files that now hold results; empty names and "-" are passed over
std::string summary_text(const solve_args& args, const loaded_system& loaded, const run_record& run, int threads,
                         const std::vector<std::string>& written);

/// The summary for several right-hand sides: what all share, and a table with a line for each column.
std::string columns_text(const solve_args& args, const loaded_system& loaded, const std::vector<run_record>& runs,
                         int threads, const std::vector<std::string>& written);

/// The second stopping test of lsqr.
inline constexpr const char* normal_test = "norm(A'(b - A x)) <= rtol norm(A) norm(b - A x)";

/// The size and kind of a matrix, and how its entries were read, in words.
std::string matrix_words(const matrix_facts& facts);
std::string entries_words(const matrix_facts& facts, const std::optional<reading_facts>& rhs = {});

}  // namespace residua
