#pragma once

#include <optional>
#include <string>
#include <vector>

#include <residua/io/matrix_market.hpp>
#include <residua/solvers/system/linear_system.hpp>

#include <apps/residua/cli/args.hpp>

namespace residua {

/// What is known about a matrix file besides its entries.
struct matrix_facts {
    std::string file;
    io::matrix_market_header header;
    index_t nonzeros = 0;  ///< entries after symmetry is expanded and repeated ones are summed
    bool symmetric = false;
    bool decimal = false;  ///< entries taken as written; otherwise rounded to binary64
    index_t inexact = 0;   ///< stored entries that binary64 does not hold exactly
    std::vector<std::string> warnings;
};

/// A system as the command line asked for it.
struct loaded_system {
    linear_system system;
    std::vector<std::vector<real>> columns;  ///< of a right-hand side file with several, whose system has none
    matrix_facts facts;
    index_t inexact_rhs = 0;  ///< numbers of the right-hand side file that binary64 does not hold
    std::optional<std::vector<real>> known_solution;  ///< ones for rowsum of a square matrix
    std::vector<real> initial_guess;                  ///< empty: zero; else column after column
    double seconds = 0.0;
};

/// Bits of numbers that are taken as decimals: twice those of the highest precision, and some, so that what reading rounds
/// is beyond any residual that a solve can reach.
long decimal_bits();

/// The matrix alone; b stays empty. May be rectangular.
///
/// throws  input_error with file, line and reason; unsupported_error if it is complex;
///         resource_error if memory does not suffice
loaded_system load_matrix(const std::string& path, entry_reading reading);

/// Matrix, right-hand side and initial guess of a system, square or not.
///
/// several  whether a right-hand side file may have more than one column
/// throws   as load_matrix; also input_error for sizes that do not fit, with the file's name
loaded_system load_system(const system_args& args, bool several);

/// Whether these name files: the words that --rhs and --x0 take do not. A file of such a name is
/// ./ones.
bool is_rhs_file(const std::string& rhs);
bool is_x0_file(const std::string& x0);

/// The vector in a file of n x 1 numbers, array or coordinate, each as written to decimal_bits().
///
/// throws  input_error, also if it does not have n entries
std::vector<real> load_vector(const std::string& path, index_t n);

/// The reader's warnings on standard error.
void tell_warnings(const matrix_facts& facts, bool quiet = false);

}  // namespace residua
