#pragma once

#include <memory>
#include <string>
#include <vector>

#include <residua/solvers/files/load.hpp>

#include <apps/residua/cli/args.hpp>

namespace residua {

/// A system as the command line asked for it.
struct asked_system : loaded_system {
    bool is_solved_by_ones = false;                                        ///< for rowsum with a square matrix
    std::vector<real> initial_guess = {};                                  ///< column after column; empty: zero
    std::vector<std::shared_ptr<const long_vector>> guess_in_pieces = {};  ///< instead, as solve_options has it
    double seconds = 0.0;                                                  ///< that reading the files took
};

/// Returns the bytes of a file. Its matrix is read as the transpose if the arguments ask for that.
///
/// throws  resource_error, before they are read, if memory does not hold them; as io::load
io::text load_text(const std::string& path, bool transposed = false);

/// The matrix in a file, or its transpose.
///
/// throws  as load_matrix
loaded_system read_matrix(const std::string& path, entry_reading reading, bool transposed);

/// Matrix, right-hand side and initial guess of a system, square or not.
///
/// several  whether a right-hand side file may have more than one column
/// time_limit  in seconds; 0: none
/// for_solve   as load_matrix has it
/// throws   as load_system
asked_system read_system(const system_args& args, bool several, double time_limit, const solve_options* for_solve);

/// The columns of --given-null-space for the unknowns of a system; none if the text is empty.
///
/// throws  as load_columns()
std::vector<std::vector<real>> read_null_space(const std::string& given, const linear_system& system,
                                               double time_limit);

/// The nodes of the rows by --block-size, --near-null-space and --coordinates.
///
/// throws  as load_columns(); usage_error for coordinates without a block size of 2 or 3, or for a complex system
node_facts read_nodes(const solve_args& args, const linear_system& system);

/// The numbers of --weights for the equations of a system, for each part of a complex one; none if the path is empty.
///
/// throws  as load_columns()
std::vector<real> read_weights(const std::string& path, const linear_system& system, double time_limit);

/// Whether the text names a file, and is not a word that --rhs or --x0 takes. A file with the name
/// of a word is given as ./ones.
bool is_rhs_file(const std::string& rhs);
bool is_x0_file(const std::string& x0);

/// Writes the reader's warnings to standard error.
void tell_warnings(const matrix_facts& facts, bool quiet = false);

}  // namespace residua
