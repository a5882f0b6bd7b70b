#pragma once

#include <optional>
#include <string>
#include <vector>

#include <residua/solvers/system/load.hpp>

#include <apps/residua/cli/args.hpp>

namespace residua {

/// A system as the command line asked for it.
struct asked_system : loaded_system {
    std::optional<std::vector<real>> known_solution = {};  ///< ones for rowsum of a square matrix
    std::vector<real> initial_guess = {};                  ///< empty: zero; else column after column
    double seconds = 0.0;                                  ///< that reading took
};

/// The matrix in a file.
///
/// throws  as load_matrix
loaded_system read_matrix(const std::string& path, entry_reading reading);

/// Matrix, right-hand side and initial guess of a system, square or not.
///
/// several  whether a right-hand side file may have more than one column
/// throws   as load_system
asked_system read_system(const system_args& args, bool several);

/// Whether these name files: the words that --rhs and --x0 take do not. A file of such a name is
/// ./ones.
bool is_rhs_file(const std::string& rhs);
bool is_x0_file(const std::string& x0);

/// The reader's warnings on standard error.
void tell_warnings(const matrix_facts& facts, bool quiet = false);

}  // namespace residua
