#pragma once

#include <optional>
#include <string>
#include <vector>

#include <residua/io/matrix_market.hpp>
#include <residua/solvers/system/linear_system.hpp>

#include "args.hpp"

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

/// Bits for decimals at a working precision of p bits, so that the reading never limits.
/// p = 0: not chosen yet, so for the highest one.
long decimal_bits(number_format format, long precision_bits);

/// The matrix alone; b stays empty. May be rectangular.
///
/// bits    of entries that are taken as decimals
/// throws  input_error with file, line and reason; unsupported_error if it is complex;
///         resource_error if memory does not suffice
loaded_system load_matrix(const std::string& path, entry_reading reading, long bits);

/// Matrix, right-hand side and initial guess of a system, square or not.
///
/// several  whether a right-hand side file may have more than one column
/// throws   as load_matrix; also input_error for sizes that do not fit, with the file's name
loaded_system load_system(const system_args& args, long bits, bool several);

/// Whether these name files: the words that --rhs and --x0 take do not. A file of such a name is
/// ./ones.
bool is_rhs_file(const std::string& rhs);
bool is_x0_file(const std::string& x0);

/// The vector in a file of n x 1 numbers, array or coordinate, each as written to so many bits.
///
/// throws  input_error, also if it does not have n entries
std::vector<real> load_vector(const std::string& path, index_t n, long bits);

/// The reader's warnings on standard error.
void tell_warnings(const matrix_facts& facts, bool quiet = false);

}  // namespace residua
