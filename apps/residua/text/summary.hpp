#pragma once

#include <string>
#include <vector>

#include <apps/residua/cli/args.hpp>
#include <apps/residua/commands/report.hpp>
#include <residua/solvers/system/load.hpp>

namespace residua {

/// What happened, for people: aligned rows, plain words, the stopping test as a formula.
///
/// written  the files that now hold results; empty names and "-" are passed over
std::string summary_text(const solve_args& args, const loaded_system& loaded, const run_record& run, int threads,
                         const std::vector<std::string>& written);

/// The same for several right-hand sides: what all share, and a table with a line for each column.
std::string columns_text(const solve_args& args, const loaded_system& loaded, const std::vector<run_record>& runs,
                         int threads, const std::vector<std::string>& written);

/// How lsqr is also tested.
inline constexpr const char* normal_test = "norm(A'(b - A x)) <= rtol norm(A) norm(b - A x)";

/// The size, kind and reading of the entries of a matrix in words.
std::string matrix_words(const matrix_facts& facts);
std::string entries_words(const matrix_facts& facts, index_t inexact_rhs = 0);

}  // namespace residua
